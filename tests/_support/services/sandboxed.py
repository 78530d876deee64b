"""Tests of scripts that really run: without a sandbox on this machine they are skipped, with how to get one."""

import pytest

from environments.sandbox.detect import Detected

REFUSED = Detected().refusal
needs_sandbox = pytest.mark.skipif(bool(REFUSED), reason=REFUSED or "")
