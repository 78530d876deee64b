"""A decision out of what a model said: from a call of a tool, or the first whole JSON object of its text.

Nothing is completed or guessed: an answer that was cut off is no answer.
"""

import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Literal

from langchain_core.messages import AIMessage, BaseMessage

from environments.files.yaml_lines import read_small, safe_data
from roles.contracts.limits import Limits

LONGEST = Limits().answer_output
"""Characters of an answer that are looked at where nobody says otherwise: a decision is far shorter."""
_DECODER = json.JSONDecoder()
_OPENING = re.compile(r"\{(?!\s*\{)")
"""Where an object may begin; of many in a row only the last, since each mistake costs as much as what stands before it."""
_FENCE = re.compile(r"^[ \t]*```[ \t]*(\w*)[ \t]*$\n?", re.MULTILINE)
THINKING = re.compile(r"<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL | re.IGNORECASE)


Finish = Literal["", "cut_off", "refused"]


@cache
def forms() -> Mapping[str, Any]:
    """The forms of answers, and how answers end."""
    data: Mapping[str, Any] = safe_data(read_small(Path(__file__).with_name("forms.yaml")))
    return data


class UnusableReply(ValueError):
    """An answer that is no decision. The text says why, in words for the model."""


def object_of(message: AIMessage, longest: int = LONGEST) -> dict[str, Any]:
    """What the model answered, as a JSON object. Raises UnusableReply."""
    if message.tool_calls:
        _not_too_long(str(message.tool_calls[0]["args"]), longest)
        return dict(message.tool_calls[0]["args"])
    return object_in(text_of(message), longest)


def finish_said(word: object) -> Finish:
    """How an answer ended of which a provider says this; an empty string where that is by itself."""
    return next((finish for finish, words in forms()["ends"].items() if str(word).lower() in words), "")


def finish_of(message: AIMessage) -> Finish:
    """Why an answer ends, where it does not end by itself, in whatever words its provider has for it."""
    known, more = message.response_metadata, message.additional_kwargs
    incomplete = known.get("incomplete_details")
    said = [known.get(key) for key in ("finish_reason", "stop_reason", "done_reason", "stopReason")]
    said += [incomplete.get("reason") if isinstance(incomplete, dict) else None]
    blocks = [] if isinstance(message.content, str) else message.content
    refused = bool(more.get("refusal")) or any(isinstance(b, dict) and b.get("type") == "refusal" for b in blocks)
    return "refused" if refused else next(filter(None, map(finish_said, said)), "")


def _not_too_long(text: str, longest: int) -> None:
    if len(text) > longest:
        raise UnusableReply(f"the answer is {len(text):,} characters long; one small JSON object is wanted")


def text_of(message: BaseMessage) -> str:
    """The words of a message, whatever blocks it comes in."""
    content = message.content
    if isinstance(content, str):
        return content
    parts = [block if isinstance(block, str) else str(block.get("text") or "") for block in content]
    return "\n".join(part for part in parts if part)


def object_in(text: str, longest: int = LONGEST) -> dict[str, Any]:
    """The first whole JSON object that stands in a text, fenced or not. Raises UnusableReply."""
    _not_too_long(text, longest)
    text = THINKING.sub(" ", text)
    opening, problem = _OPENING.search(text), "there is no JSON object in it"
    while opening is not None:
        at = opening.start()
        try:
            found, _ = _DECODER.raw_decode(text, at)
        except json.JSONDecodeError as bad:
            cut = bad.pos >= len(text.rstrip()) - 1 or bad.msg.startswith("Unterminated")
            near = text[max(0, bad.pos - 15) : bad.pos + 15]
            problem = "the JSON object is cut off before its end" if cut else f"its JSON is broken: {bad.msg} near {near!r}"
            # What comes next starts behind the place that is wrong.
            opening = _OPENING.search(text, max(bad.pos, at + 1))
        except (RecursionError, ValueError) as bad:
            raise UnusableReply(f"the JSON cannot be read: {bad or 'it is too deep'}") from None
        else:
            if isinstance(found, dict) and found:
                return found
            opening = _OPENING.search(text, at + 1)
    raise UnusableReply(problem)


def script_in(text: str, longest: int = LONGEST) -> dict[str, Any] | None:
    """The one script that stands in a text as a block of ```bash or ```python (seed 002), as the answer that it is."""
    _not_too_long(text, longest)
    match _FENCE.split(THINKING.sub(" ", text)):
        case [before, "bash" | "python" as language, code, "", after]:
            return {"outcome": "run", "language": language, "code": code, "reason": f"{before}{after}".strip()}
        case _:
            return None
