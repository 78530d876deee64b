"""`python -m orchestrator.cli.tools.worker`: works one run, as it is told on its input, for nobody in particular to see.

Nothing of the server is in this process; it is led from outside like every run (`deskcrew pause ID`), and SIGTERM pauses it.
"""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING

import typer
from pydantic import TypeAdapter

from orchestrator.cli.common import guarded
from orchestrator.desk.workers import Begin, GoOn, Order
from roles.journal.events import RunStartedEvent

if TYPE_CHECKING:
    from orchestrator.control.controls import Stop
    from orchestrator.runs.handle import RunControl
    from orchestrator.runs.outcome import Outcome
    from roles.journal.journal import Event

_LETS_GO_WITHIN = 600.0
"""Seconds for a process that asked something to let go of its run: it is about to end, or somebody sits at its prompt."""


def main() -> None:
    """The exit code is the run's."""
    try:
        with guarded(debug=False):
            from orchestrator.control.controls import Stop, heeding

            order: Order = TypeAdapter(Order).validate_json(sys.stdin.buffer.read())
            # A crew's scripts get nothing from here
            nothing = os.open(os.devnull, os.O_RDONLY)
            os.dup2(nothing, 0)
            os.close(nothing)
            stop = Stop()
            with heeding(stop, lambda: None):
                outcome = _begun(order, stop) if isinstance(order, Begin) else _gone_on(order, stop)
            sys.exit(0 if outcome is None else outcome.exit_code)
    except typer.Exit as ended:
        sys.exit(ended.exit_code)


def _begun(order: Begin, stop: Stop) -> Outcome:
    from orchestrator.desk.routes.start import loaded, plan_given, target_of
    from orchestrator.runs import runs

    def tell_id(event: Event) -> None:
        if event.kind == RunStartedEvent.KIND:
            sys.stdout.write(f"{event.body['run_id']}\n")
            sys.stdout.flush()

    target, secrets = target_of(order), {"secrets": order.secrets}
    return runs.start(loaded(order, target), target, listener=tell_id, plan=plan_given(order), parts=secrets, stop=stop)


def _gone_on(order: GoOn, stop: Stop) -> Outcome | None:
    from orchestrator.runs.handle import RunControl

    control = RunControl(order.run_id, runs_dir=order.runs_dir, who=order.who, parts={"secrets": order.secrets})
    if order.do == "hand_back":
        return control.handback(order.say, stop=stop)
    if order.answered and not _is_wanted(control, order.answered):
        return None
    return control.resume(overrides=order.overrides, stop=stop)


def _is_wanted(control: RunControl, asking: str) -> bool:
    """Whether the run waits for somebody to go on with this answer, now that nobody has it in hand."""
    from orchestrator.control.requests import asked_of

    deadline = time.monotonic() + _LETS_GO_WITHIN
    while (now := control.standing()).holder is not None and time.monotonic() < deadline:
        time.sleep(0.1)
    return now.holder is None and not now.ended and any(one.id == asking and not one.heard for one in asked_of(control.folder))


if __name__ == "__main__":
    main()
