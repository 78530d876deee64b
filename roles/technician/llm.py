"""The Technician by a model: it writes one script after the other; whether one worked is told by its exit code alone."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from roles.contracts import FactKnown, RanScript, Script, ScriptAnswer, ScriptRequest
from roles.contracts.policies import notes_told
from roles.journal.transcripts import Occasion
from roles.policies.llm.asking import Asker
from roles.policies.llm.prompts import Prompt
from roles.policies.llm.reply_parsing import UnusableReply, script_in
from roles.policies.llm.schemas import form_of
from roles.policies.llm.subtask_words import cut, facts_told, instruction_told, listed, part, some, without_values

_FILES = 120
_CODE = 1_500
_OUTPUT = 800
_RAN = 3


@dataclass(frozen=True)
class LlmTechnician:
    """One question to the model for one script, or for the end of the job."""

    asker: Asker
    prompt: Prompt

    def write(self, request: ScriptRequest) -> ScriptAnswer:
        read, about = partial(read_script, request=request), Occasion(request.subtask.id)
        return self.asker.ask(self.prompt, _values(request), form_of("script"), read, about, plain=script_in)


def _values(request: ScriptRequest) -> dict[str, str]:
    names = [e.name for e in request.subtask.expect if isinstance(e, FactKnown)]
    wanted = f"The script prints one line each, as NAME: VALUE, for {', '.join(names)}." if names else ""
    if len(names) == 1:
        wanted = f"All that the script prints becomes the fact {names[0]!r}, so it prints this and nothing else."
    first = max(0, len(request.ran) - _RAN)
    ran = [f"({first} earlier scripts are not shown)"] if first else []
    data = {
        "files": "\n".join(some(request.files, _FILES, "(and {} more)")),
        "facts": facts_told(request),
        "ran": "\n\n".join([*ran, *(_one_told(number, script) for number, script in enumerate(request.ran[first:], first + 1))]),
        "refused": listed(request.refused),
    }
    return without_values(data, request.facts) | {
        "goal": request.goal,
        "user_says": notes_told(request.notes),
        "subtask": instruction_told(request.subtask),
        "wanted": wanted,
    }


def _one_told(number: int, ran: RanScript) -> str:
    lines = [f"script {number} ({ran.script.language}), exit code {ran.exit_code}:", part(ran.script.code, _CODE)]
    lines += [f"it did not work, and changed nothing: {cut(ran.error)}"] if ran.error else []
    lines += [f"changed: {part(', '.join(ran.changed), _OUTPUT)}"] if ran.changed else []
    streams = (("stdout", ran.stdout), ("stderr", ran.stderr))
    return "\n".join([*lines, *(f"{name}: {part(text, _OUTPUT)}" for name, text in streams if text.strip())])


def read_script(data: Mapping[str, Any], request: ScriptRequest) -> ScriptAnswer:
    """The answer, held against what was run. Raises UnusableReply or ValidationError."""
    outcome, reason = str(data.get("outcome", "")), str(data.get("reason") or "")
    if outcome == "cannot":
        return ScriptAnswer(outcome="cannot", reason=reason or "the model knows no script for this")
    if outcome == "done":
        if not request.ran:
            raise UnusableReply("nothing was run yet; done is said after a script that worked")
        if request.ran[-1].error:
            raise UnusableReply(f"the last script did not work ({cut(request.ran[-1].error)}); run another one, or say cannot")
        return ScriptAnswer(outcome="done", reason=reason or f"{len(request.ran)} scripts run")
    if outcome != "run":
        raise UnusableReply(f"there is no outcome {outcome[:40]!r}; it is one of run, done, cannot")
    code = data.get("code")
    if not isinstance(code, str) or not code.strip():
        raise UnusableReply("the outcome run needs the code of a script")
    script = Script.model_validate({"language": data.get("language") or "bash", "code": code, "why": reason[:300]})
    again = next((r for r in request.ran if r.error and r.script.code.strip() == code.strip()), None)
    if again is not None:
        raise UnusableReply(f"this script was run already and did not work ({cut(again.error)}); write another one")
    return ScriptAnswer(outcome="run", script=script, reason=reason)
