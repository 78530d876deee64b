"""The recorded replies of models in the models' place: prompts, reading and all the rest are the present code's."""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict, deque
from collections.abc import Callable
from contextlib import closing
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

from orchestrator.errors import UsageProblem
from orchestrator.runs.replay.recording import Difference
from orchestrator.store.salvage import open_read_only, salvage
from orchestrator.store.transcripts import part_in
from protocol import JsonObject
from roles.journal.events import Json, ModelCallEvent
from roles.journal.transcripts import Occasion
from roles.policies.fallback import Unreachable
from roles.policies.llm.reply_parsing import UnusableReply

Part = Callable[[str], str | None]


class NothingRecorded(Exception):
    """A role, or its model, is asked for something that it was not asked for then."""


class RecordedCall(NamedTuple):
    """One call with its transcript; `reply` is None where there was none."""

    step: int
    transcript: JsonObject
    reply: JsonObject | None
    problem: str
    finish: str


class RecordedReplies:
    """Gives the replies by role and subtask, in order, and notes where a prompt is otherwise for the first time."""

    def __init__(self, calls: dict[tuple[str, str], deque[RecordedCall]], texts: dict[str, str]) -> None:
        self._left = calls
        self._texts = texts
        self.difference: Difference | None = None

    def take(self, role: str, about: Occasion, request: Json, part: Part) -> Json:
        """Raises NothingRecorded, and what the call raised then."""
        left = self._left.get((role, about.subtask))
        if not left:
            where = f" about subtask {about.subtask}" if about.subtask else ""
            raise NothingRecorded(f"the {role}'s model is asked{where} once more than it was then")
        call = left.popleft()
        while call.reply is None and left and left[0].transcript["request"] == call.transcript["request"]:
            call = left.popleft()  # it was tried again
        self._compare(role, about, call, request, part)
        if call.reply is None:
            raise UnusableReply(call.problem) if call.finish else Unreachable(call.problem)
        return call.reply

    def _compare(self, role: str, about: Occasion, call: RecordedCall, request: Json, part: Part) -> None:
        if self.difference is not None:
            return
        then, now = _names(call.transcript), _names(request)
        for (what, old), (_, new) in zip_longest(then, now, fillvalue=("a message", "")):
            if old != new:
                lines = zip_longest((self._texts.get(old) or "").splitlines(), (part(new) or "").splitlines(), fillvalue="")
                said = next((pair for pair in lines if pair[0] != pair[1]), ("", ""))
                self.difference = Difference(call.step, about.subtask, f"what the {role}'s model is told", what, *said)
                return


def _names(transcript: JsonObject) -> list[tuple[str, str]]:
    said = [(f"{one['role']} {kind}", name) for one in transcript["messages"] for it in one["parts"] for kind, name in it.items()]
    return [*said, ("the form of the answer", transcript["schema"])]


def replies_of(folder: Path) -> RecordedReplies:
    """What the models of a run replied. Raises UsageProblem where that was not kept of every call."""
    calls: defaultdict[tuple[str, str], deque[RecordedCall]] = defaultdict(deque)
    texts: dict[str, str] = {}
    try:
        with closing(open_read_only(folder / "journal.sqlite")) as db:
            part = partial(part_in, db, lambda value: value)
            for event in salvage(folder / "journal.sqlite").events:
                if event.kind != ModelCallEvent.KIND:
                    continue
                known, transcript = calls[event.role, event.subtask], event.body.get("transcript") or {}
                if "request" not in transcript:
                    why = transcript.get("missing") or "record.prompts"
                    raise UsageProblem(f"Run {folder.name} did not keep all replies ({why}); replay it without --replies.")
                same = [old for old in known if old.transcript["request"] == transcript["request"]]
                if event.body.get("recalled") and same:  # what was done with it then went with its process
                    known.remove(same[-1])
                texts |= {name: part(name) or "" for _, name in _names(transcript) if name not in texts}
                reply = part(transcript.get("reply", ""))
                told = json.loads(reply) if reply is not None else None
                problem, finish = event.body.get("problem", ""), event.body.get("finish", "")
                known.append(RecordedCall(event.step, transcript, told, problem, finish))
    except (sqlite3.Error, ValueError) as bad:
        raise UsageProblem(f"Run {folder.name} cannot be replayed: its transcripts are damaged ({bad}).") from None
    if not calls:
        raise UsageProblem(f"Run {folder.name} asked no model; replay it without --replies.")
    return RecordedReplies(calls, texts)
