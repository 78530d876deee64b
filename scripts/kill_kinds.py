"""The runs that `kill_sweep.py` kills: one of each kind of thing that a run can be in the middle of."""

from __future__ import annotations

from typing import NamedTuple

SUBMIT = 'In the reimbursement form, enter "$12.50" as the amount and submit the form'
SORT = "Run `sort /Logs/door.log > /Logs/sorted.log`"
BROWSED = (
    'Click "Open Reimbursement", type "$12.50" into the Amount field, type "Acme" into the Vendor field and click "Save draft".'
)
BROWSER = ("environment=browser", "browser.resumes=true")
STALE_AND_SWALLOWED = "faults=[{kind: stale, rate: 1.0, times: 1}, {kind: swallow, rate: 0.6, times: 1}]"


class Work(NamedTuple):
    """What is run and killed: a task or a goal, and settings for it."""

    task: str
    overrides: tuple[str, ...] = ()
    later: bool = False
    """Whether approvals are given by a process of their own, once the run waits for them."""
    served: str = ""
    """A world that a server of its own shows to the run's browser; the server is not killed."""
    held: bool = False
    """Whether requests of its pages are held. What was held is gone with the process, and comes again by another step."""


KINDS: dict[str, Work] = {
    "replan": Work("plan-again"),
    "approval pending": Work(SUBMIT, later=True),
    "supplement": Work("ask-the-handbook"),
    "technician script": Work(SORT, ("world=workshop",)),
    "fault injected": Work(SUBMIT, (STALE_AND_SWALLOWED, "seed=3")),
    "rehearsal": Work(SUBMIT, ("crew.rehearse.n=2",)),
    "browser world": Work(BROWSED, (*BROWSER, "safety.network=watch"), served="office"),
    "held request": Work(BROWSED, BROWSER, served="office", held=True),
    "held request approved later": Work(BROWSED, BROWSER, later=True, served="office", held=True),
}
"""By the name under which docs/durability.md has them."""
