"""What a recorded run knew from earlier ones, said again; a run that is worked again neither reads nor changes the memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from orchestrator.replaying.recording import Recording
from roles.memory.answers import Answered, Remembered, plain
from roles.memory.settings import AnswersMode, MemorySettings


class RecordedAnswers:
    """Knows what was recalled or offered then, and nothing else."""

    def __init__(self, recording: Recording) -> None:
        settings = MemorySettings.model_validate(recording.record["settings"].get("memory", {}))
        self.mode: AnswersMode = settings.answers
        self._known: dict[str, Remembered] = {}
        for event in recording.events:
            if event.kind == "answer_recalled":
                self._known[plain(event.body["asked"])] = _remembered(event.body)
            elif event.kind == "approval_requested" and (offered := event.body.get("remembered")):
                asked = event.body["action_requests"][0]["args"].get("question", "")
                self._known[plain(asked)] = _remembered(offered)

    def find(self, question: str, app: str | None) -> Remembered | None:
        return self._known.get(plain(question))

    def keep(self, said: Answered) -> None:
        return

    def note_use(self, remembered: Remembered) -> None:
        return

    def withdraw(self, run: str, private: Callable[[str], bool]) -> int:
        return 0


def _remembered(body: Mapping[str, Any]) -> Remembered:
    return Remembered.model_validate({name: body[name] for name in Remembered.model_fields if name in body})
