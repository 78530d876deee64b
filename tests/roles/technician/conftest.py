"""The real sandbox, and small worlds with files."""

import pytest
from support import desktop

from environments.sandbox.contract import Sandbox
from environments.sandbox.detect import installed

WORLD = """
name: bureau
apps:
  files:
    files:
      /Documents/trips.txt: "Berlin 12.50\\nParis 8\\nRome 100\\n"
      /Documents/plan.txt: "Go to Berlin\\n"
      /costs.csv: "Item,Amount\\nbus,12.50\\nhotel,\\"1,100\\"\\n"
      /names.txt: "Zoe 3\\nann 20\\nZoe 3\\nBob 1\\n"
  notes: {}
open: [files]
"""


@pytest.fixture
def sandbox() -> Sandbox:
    found = installed()
    if found.refusal:
        pytest.skip(found.refusal)
    return found


@pytest.fixture
def desk():
    made = desktop(world=WORLD)
    yield made
    made.close()
