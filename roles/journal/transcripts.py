"""Transcripts: what was said to models and by them, call by call, kept among a run's rows.

A prompt, a picture, the form of an answer and a reply are parts: texts under a hash of what they say, each stored once, and
redacted as everything is that is written. The event of a call names its parts.
"""

import hashlib
import json
from collections import defaultdict, deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from pydantic import Field

from protocol import Frozen
from roles.journal.events import Json, ModelCallEvent, SituationEvent, StepEvent
from roles.journal.rows import Rows, deflated, dumps, inflated
from roles.safety.privacy.redaction import Redactor

PICTURE = "data:image/png;base64,"
WITHDRAWN = "(withdrawn: something on this picture is private)"
_KNOWN = 4_096
_FRESH = 64
_STEPPING = frozenset({"operator", "technician"})
"""Roles whose calls lead to a step; those of the others lead to a turn of the hub."""


class RecordSettings(Frozen):
    """What is kept of the calls of models, beside what they cost."""

    prompts: Literal["all", "failed", "none"] = "all"
    """Prompt, pictures, form and reply of `all` calls, of those that `failed` (nothing was answered, or nothing that could be
    used), or of `none`."""
    megabytes: float = Field(default=200.0, gt=0)
    """What that may take; when it is used up, the run goes on and keeps no more."""


class Occasion(NamedTuple):
    """What a model is asked for: the subtask and the step, where there are any, and the screens that it is shown as pictures."""

    subtask: str = ""
    step: int = 0
    screens: tuple[str, ...] = ()


Messages = Sequence[tuple[str, Sequence[tuple[Literal["text", "picture"], str]]]]
"""To a model, by their roles: their texts, and their pictures as base64."""
Form = Mapping[str, Any] | None


class Transcripts:
    """The parts among a run's rows."""

    def __init__(self, rows: Rows, redactor: Redactor | None, settings: RecordSettings | None = None) -> None:
        self._rows = rows
        self._redactor = redactor
        self.settings = settings or RecordSettings()
        self._known: set[str] = set()
        self._fresh: deque[str] = deque(maxlen=_FRESH)
        """The latest parts, which may say what is found to be private by what they lead to."""
        self._secrets = 0
        self._bytes: int | None = None
        self._paid: defaultdict[tuple[str, str, str], deque[str]] | None = None

    def keep(self, model: str, heat: float | None, said: Messages, form: Form, way: str, about: Occasion) -> Json:
        """A request by the names of its parts, which are stored: messages by their roles, the form of the answer, and the `way`
        in which that is asked for; `heat` is the temperature. Why it is not kept, where that is too much."""
        if self._bytes is None:
            self._bytes = int(self._rows.text("SELECT coalesce(sum(length(body)), 0) FROM parts") or 0)
        if self._bytes >= self.settings.megabytes * 1_000_000:
            return {"missing": f"record.megabytes: {self.settings.megabytes:g} MB of transcripts are kept, and no more"}
        messages = [{"role": role, "parts": [{kind: self._part(kind, it)} for kind, it in parts]} for role, parts in said]
        schema = self._stored(dumps(self._sealed(form))) if form is not None else ""
        name = _digest(dumps([model, heat, messages, schema]))
        more: Json = {} if heat is None else {"temperature": heat}
        more |= {"screens": list(about.screens)} if about.screens else {}
        return {"request": name, "messages": messages, "schema": schema, "form": way, **more}

    def reply(self, said: Json) -> str:
        """The name of a reply, which is stored."""
        return self._stored(dumps(self._sealed(said)))

    def _part(self, kind: str, text: str) -> str:
        return self._stored(f"{PICTURE}{text}" if kind == "picture" else str(self._sealed(text)))

    def _sealed(self, value: Any) -> Any:
        return value if self._redactor is None else self._redactor.body(value)

    def _stored(self, text: str) -> str:
        name = _digest(text)
        if name not in self._known:
            if len(self._known) >= _KNOWN:
                self._known.clear()
            body = deflated(text.encode("utf-8", "surrogatepass"))
            # The first one of a name stays, since the name is made of what it says.
            self._rows.write("INSERT INTO parts (name, body) VALUES (?, ?) ON CONFLICT DO NOTHING", name, body)
            self._known.add(name)
            self._fresh.append(name)
            self._bytes = (self._bytes or 0) + len(body)
        return name

    def seal_again(self) -> None:
        """Put references into the latest parts where more is known to be private than when they were written: what a model
        makes up for a private field is so only once its answer is read."""
        if self._redactor is None or self._secrets == len(self._redactor.vault):
            return
        self._secrets = len(self._redactor.vault)
        for name in self._fresh:
            text = self.text(name) or ""
            if not text.startswith(PICTURE) and (sealed := str(self._sealed(text))) != text:
                self._replace(name, sealed)

    def withdraw(self, private: Callable[[str], bool]) -> None:
        """Take away the pictures of screens on which something is known to be private by now."""
        checked: dict[str, bool] = {}
        for row in self._rows.events([ModelCallEvent.KIND]):
            call = row.body.get("transcript") or {}
            for state_id in call.get("screens", ()):
                if state_id not in checked:
                    checked[state_id] = private(state_id)
            if any(checked[state_id] for state_id in call.get("screens", ())):
                for name in (part["picture"] for one in call["messages"] for part in one["parts"] if "picture" in part):
                    self._replace(name, WITHDRAWN)

    def _replace(self, name: str, text: str) -> None:
        self._rows.write("UPDATE parts SET body = ? WHERE name = ?", deflated(text.encode("utf-8", "surrogatepass")), name)

    def text(self, name: str) -> str | None:
        """What a part says."""
        row = self._rows.read("SELECT body FROM parts WHERE name = ?", name).fetchone()
        return None if row is None else inflated(bytes(row[0])).decode("utf-8", "surrogatepass")

    def paid(self, role: str, about: Occasion, request: Json) -> Json | None:
        """The reply that a process which is gone had to this very request, and to which it had done nothing yet. Once each."""
        if self._paid is None:
            # Names of replies, by role, subtask and request, of which nothing has come yet
            found: defaultdict[tuple[str, str, str], deque[str]] = defaultdict(deque)
            for row in self._rows.events([ModelCallEvent.KIND, StepEvent.KIND, SituationEvent.KIND]):
                if row.kind == ModelCallEvent.KIND:
                    call = row.body.get("transcript") or {}
                    if call.get("reply"):
                        found[row.role, row.subtask, call["request"]].append(call["reply"])
                    continue
                for key in [*found]:
                    stepped = row.kind == StepEvent.KIND and key[:2] == (row.role, row.subtask)
                    if stepped or (row.kind == SituationEvent.KIND and key[0] not in _STEPPING):
                        del found[key]
            self._paid = found
        left = self._paid.get((role, about.subtask, request.get("request", "")))
        text = self.text(left.popleft()) if left else None
        return None if text is None else dict(json.loads(text))


def picture_name(base64: str) -> str:
    """Under which a picture that a model is shown stands among the parts."""
    return _digest(f"{PICTURE}{base64}")


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
