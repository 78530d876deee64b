"""The record of what was begun and ended, over several processes."""

from __future__ import annotations

from pathlib import Path

import pytest

from environments.browser import BrowserEnvironment
from environments.browser.session import Record
from protocol import ActionResult, ActionTarget, Click, ExecStatus, TargetError, resolve

SAVE = Click(target=ActionTarget(text="Save"))


def test_what_was_begun_and_not_ended_is_pending_in_the_next_process_and_never_forgotten(tmp_path: Path) -> None:
    first = Record(tmp_path)
    first.begin("done", SAVE)
    first.end("done", ActionResult(exec_status=ExecStatus.EXECUTED))
    first.begin("torn", SAVE)
    first.close()
    again = Record(tmp_path)
    done, torn = again.known("done", SAVE), again.known("torn", SAVE)
    assert done.ok
    assert torn.exec_status is ExecStatus.PENDING
    assert again.known("new", SAVE) is None
    again.close()


def test_a_record_knows_how_many_processes_had_it_before(tmp_path: Path) -> None:
    found = []
    for _ in range(3):
        record = Record(tmp_path)
        found.append(record.earlier)
        record.close()
    assert found == [0, 1, 2]
    assert Record().earlier == 0


def test_an_element_of_an_earlier_browser_is_found_by_its_words_and_never_by_its_number(tmp_path: Path) -> None:
    """The new page numbers its elements anew, and the old number of Save may be that of Delete there."""
    page = tmp_path / "page.html"
    targets = []
    for body in ("<button>Save</button>", "<button>Delete</button><button>Save</button>"):
        page.write_text(body)
        browser = BrowserEnvironment(page.as_uri(), allow_files=True, record=tmp_path / "record")
        seen = browser.observe()
        browser.close()
        targets.append(ActionTarget.of(next(e for e in seen.elements if e.text == "Save")))
    assert seen.by_id[resolve(targets[0], seen).element_id].text == "Save"
    bare = ActionTarget(track_id=targets[0].track_id, element_id=targets[0].element_id)
    with pytest.raises(TargetError):
        resolve(bare, seen)
