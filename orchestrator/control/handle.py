"""Control of a run from anywhere: pause, cancel, steer, take over, hand back. The face for commands, programs and servers.

What is asked for is written down at once, whoever works the run; the crew takes it in at its next safe point. Where nobody works
the run, it is done here.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from orchestrator.control.channel import myself, open_channel
from orchestrator.control.lease import Held, told
from orchestrator.control.standing import RUNNING, Standing, standing
from orchestrator.errors import UsageProblem, did_you_mean
from orchestrator.store.folders import find_run, read_run, stored_report
from roles.contracts.requests import screen_of
from roles.contracts.steering import ADDRESSEES, Addressee

if TYPE_CHECKING:
    from orchestrator.control.hands import Hands
    from orchestrator.runs.face import Approver
    from orchestrator.runs.outcome import Outcome
    from roles.journal.journal import Listener

_LOOK_AGAIN = 0.05
_WORDS = 2_000


class Told(NamedTuple):
    """What came of a request, and what can be typed next."""

    run_id: str
    state: str
    said: str
    next: tuple[str, ...]


class RunControl:
    """One run, by its id or any unique beginning or end of it. Raises UsageProblem where there is no such run."""

    def __init__(
        self,
        run_id: str,
        *,
        runs_dir: Path = Path("runs"),
        who: str = "",
        parts: Mapping[str, Any] | None = None,
        wait: float = 20.0,
        key: str = "",
    ) -> None:
        """`parts` are those that the run was started with; `wait` is how long a crew at work is waited for, in seconds.

        With a `key` what is asked counts once, however often it is sent: for clients that send again when nobody answered.
        """
        self.folder = find_run(run_id, runs_dir)
        self.run_id = str(read_run(self.folder)["run_id"])
        if self.run_id != self.folder.name:  # what is meant for the copy must not be done in the run
            raise UsageProblem(
                f"The folder {self.folder} is a copy of run {self.run_id!r}, or was renamed; name the run itself, "
                "or give the folder the name of the run again."
            )
        self._runs_dir = runs_dir
        self._who = who or myself()
        self._parts = parts
        self._wait = wait
        self._key = key

    def standing(self) -> Standing:
        return standing(self.folder, stored_report(self.folder))

    # --- what can be asked --------------------------------------------------------------------------------------

    def pause(self) -> Told:
        """Let the crew stop before its next action. The run goes on with `resume`."""
        now = self._alive()
        if now.state != "running":
            return self._told(now.state, f"nobody works run {self.run_id} now: {now.reason or now.state}")
        now = self._after(self._send("pause", {}))
        return (
            self._told(now.state, f"run {self.run_id} is {now.reason or now.state}")
            if now.state != "running"
            else self._later("stops")
        )

    def cancel(self, why: str = "") -> Told:
        """End the run, rejected, before its next action."""
        self._alive()
        now = self._after(self._send("cancel", {"why": self._checked(why)}))
        if now.holder is not None:
            return self._later("ends")
        if not now.ended:
            from orchestrator.runs import runs

            runs.resume(self.run_id, runs_dir=self._runs_dir, parts=self._parts)
        return self._told("cancelled", f"run {self.run_id} is ended: {self.standing().reason}")

    def steer(self, words: str, to: Addressee = "crew") -> Told:
        """Say something to the crew, or to one role: it reaches that role's next decision."""
        if to not in ADDRESSEES:
            raise UsageProblem(f"There is no role {str(to)!r} to say something to{did_you_mean(str(to), ADDRESSEES)}.")
        if not words.strip():
            raise UsageProblem("There is nothing to say; give the words, such as: deskcrew steer ID 'use the other supplier'")
        now = self._alive()
        number = self._send("steer", {"words": self._checked(words).strip(), "to": to})
        if now.holder is None:
            return self._told(now.state, f"{_whom(to)} hears it as soon as run {self.run_id} goes on")
        if not self._heard(number):
            return self._later("hears it")
        return self._told(self.standing().state, f"{_whom(to)} minds it from the next decision on")

    def takeover(self) -> Told:
        """Take the run in your own hands: the crew stops before its next action, and does nothing until `handback`."""
        now = self._alive()
        if now.state != "taken_over":
            now = self._after(self._send("takeover", {}))
            if now.holder is None and now.state != "taken_over" and not now.ended:
                from orchestrator.runs import runs

                runs.settle(self.run_id, runs_dir=self._runs_dir, parts=self._parts)
                now = self.standing()
        if now.state == "running":
            return self._later("hands over")
        return self._told(now.state, f"run {self.run_id} is {now.reason}; the crew does nothing meanwhile")

    @contextmanager
    def hands(self) -> Iterator[Hands]:
        """The environment of a run that was taken over, to act in by hand."""
        with by_hand(self.run_id, self._runs_dir, self._who, self._parts) as hands:
            yield hands

    def resume(self, *, listener: Listener | None = None, approver: Approver | None = None, **more: Any) -> Outcome | None:
        """Go on here with a run that holds still; None where its own process goes on with it."""
        if (answer := more.get("answer")) is not None and (asking := self._answered_there(answer)):
            if not self._is_let_go_unheard(asking):
                return None
            more["answer"] = None  # it counts already
        return self._go_on("resume", {}, listener, approver, more)

    def handback(
        self, say: str = "", *, listener: Listener | None = None, approver: Approver | None = None, **more: Any
    ) -> Outcome | None:
        """Give the run back to the crew, which looks anew, and go on with it here; `say` is a note to the crew.

        None where the run's own process goes on with it.
        """
        now = self._alive()
        if now.state not in {"taken_over", "running"}:
            raise UsageProblem(f"Run {self.run_id} is in nobody's hands; go on with: deskcrew resume {self.run_id}")
        return self._go_on("handback", {"say": self._checked(say)}, listener, approver, more)

    def _go_on(
        self, kind: str, body: dict[str, Any], listener: Listener | None, approver: Approver | None, more: Mapping[str, Any]
    ) -> Outcome | None:
        now = self.standing() if kind == "resume" else self._alive()  # a run that spent a budget may yet go on
        if now.holder is not None and more.get("overrides"):
            raise Held(f"Run {self.run_id} is {now.reason}; its limits can be changed when that process has stopped.")
        if now.holder is not None and now.state == "running":
            raise Held(f"Run {self.run_id} is {now.reason}; stop it there first.")
        if now.holder is not None or kind == "handback":
            number = self._send(kind, body)
            if now.holder is not None and self._until(lambda: self._is_taken(number)):
                return None
        from orchestrator.runs import runs

        return runs.resume(self.run_id, runs_dir=self._runs_dir, listener=listener, approver=approver, parts=self._parts, **more)

    def _answered_there(self, answer: Mapping[str, Any]) -> str:
        """Give the answer to the process that works the run and waits for one, as at a prompt in another terminal.

        Gives the name of what was asked; an empty one where no process waits.
        """
        if self.standing().state != RUNNING:
            return ""
        from orchestrator.control.asked import asked_of, seen_at
        from orchestrator.runs.answer_check import check_answer
        from orchestrator.runs.answers import said_in
        from orchestrator.runs.privacy.secrets import answer_to

        waiting = next((one for one in asked_of(self.folder) if one.said is None), None)
        if waiting is None:
            return ""
        decision = {"who": self._who, **answer["decisions"][0], "digest": waiting.request.digest}
        screen = seen_at(self.folder, screen_of(waiting.request))
        mine = answer_to(self.folder, {"decisions": [decision]}, waiting.request, screen)
        check_answer(mine, waiting.request)
        with closing(open_channel(self.folder)) as channel:
            first = channel.answer(waiting.id, mine, decision["who"])
        if first.answer != mine:
            raise UsageProblem(f"Somebody has answered before you: {said_in(first)}.")
        return waiting.id

    def _is_let_go_unheard(self, asking: str) -> bool:
        """Whether whoever works the run ended before it heard the answer: it came to answer itself, and was second."""
        from orchestrator.control.asked import asked_of

        def is_heard() -> bool:
            return any(one.id == asking and one.heard for one in asked_of(self.folder))

        self._until(lambda: is_heard() or self.standing().holder is None)
        now = self.standing()
        return now.holder is None and not now.ended and not is_heard()

    # --- how it is asked ----------------------------------------------------------------------------------------

    def _alive(self) -> Standing:
        now = self.standing()
        if now.ended:
            raise UsageProblem(f"Run {self.run_id} is finished ({now.state}); see it with: deskcrew show {self.run_id}")
        return now

    def _send(self, kind: str, body: dict[str, Any]) -> int:
        with closing(open_channel(self.folder)) as channel:
            return channel.send(kind, body, self._who, self._key)

    def _after(self, number: int) -> Standing:
        """How the run stands once the request was taken in and whoever works it holds still, or after waiting long enough."""
        if self._heard(number):
            self._until(lambda: standing(self.folder, {}).state != RUNNING)
        return self.standing()

    def _heard(self, number: int) -> bool:
        """Whether the request was taken in, or nobody is there who could; waits for it."""
        return self._until(lambda: self._is_taken(number) or standing(self.folder, {}).holder is None)

    def _is_taken(self, number: int) -> bool:
        with closing(open_channel(self.folder)) as channel:
            return channel.is_taken(number)

    def _until(self, holds: Callable[[], bool]) -> bool:
        deadline = time.monotonic() + self._wait
        while not holds():
            if time.monotonic() >= deadline:
                return False
            time.sleep(_LOOK_AGAIN)
        return True

    def _checked(self, words: str) -> str:
        if len(words) > _WORDS:
            raise UsageProblem(f"These are {len(words)} characters; say it in {_WORDS}.")
        from orchestrator.runs.privacy.secrets import said_to

        return said_to(self.folder, words)

    def _later(self, what: str) -> Told:
        now = self.standing()
        whom = told(now.holder) if now.holder is not None else "the crew"
        return Told(
            self.run_id,
            now.state,
            f"{whom} is in the middle of something, and {what} before the next action",
            self._next(now.state),
        )

    def _told(self, state: str, said: str) -> Told:
        return Told(self.run_id, state, said, self._next(state))

    def _next(self, state: str) -> tuple[str, ...]:
        name = self.run_id
        if state == "taken_over":
            return (f"deskcrew takeover {name} --do 'click \"Save\"'", f"deskcrew handback {name}", f"deskcrew cancel {name}")
        if state in {"paused", "on_hold", "interrupted"}:
            return (f"deskcrew resume {name}", f"deskcrew cancel {name}")
        if state == "running":
            return (f"deskcrew show {name}", f"deskcrew pause {name}")
        return (f"deskcrew show {name}",)


def _whom(to: str) -> str:
    return "the crew" if to == "crew" else f"the {to.capitalize()}"


@contextmanager
def by_hand(run_id: str, runs_dir: Path, who: str, parts: Mapping[str, Any] | None = None) -> Iterator[Hands]:
    """The run open in a person's hands. Raises UsageProblem where it was not taken over."""
    from environments.effects import Guarded, Network
    from orchestrator.control.controls import BY_HAND
    from orchestrator.control.hands import Hands
    from orchestrator.control.lease import BY_HAND as DOING
    from orchestrator.runs.open_run import With
    from orchestrator.runs.runs import taken_up

    with taken_up(run_id, runs_dir, With(parts=parts), doing=DOING) as run:
        if run.controls.standing.get("state") != BY_HAND:
            name = run.record["run_id"]
            raise UsageProblem(f"Run {name} is not in your hands; take it over with: deskcrew takeover {name}")
        if isinstance(run.context.environment, Guarded):  # who acts by hand has said yes to what comes of it
            run.context.environment.guard(Network(mode="watch"))
        hands = Hands(run, who)
        hands.remember()
        yield hands
