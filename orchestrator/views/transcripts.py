"""The prompts and replies of a run for people, and the parts of them that its page holds."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from orchestrator.store.printable import clean, items_of
from orchestrator.store.salvage import Part
from orchestrator.views.page.data import Detail

FINISHES = {"cut_off": "the answer was cut off", "refused": "the model refused to answer"}
_NAME = re.compile(r"[0-9a-f]{32}")


def parts_of(details: Iterable[Detail], part: Part, *, pictures: bool) -> Iterator[tuple[str, str]]:
    """The parts that the calls behind a run's lines name, each once."""
    calls = [call["transcript"] for one in details for call in one.get("calls", ()) if call.get("transcript")]
    named = [it for call in calls for message in call.get("messages", ()) for it in message["parts"]]
    names = [it.get("text") or (it.get("picture") if pictures else None) for it in named]
    names += [call.get(key) for call in calls for key in ("schema", "reply")]
    for name in dict.fromkeys(str(one) for one in names if one):
        if _NAME.fullmatch(name) and (text := part(name)) is not None:
            yield name, text


def page_of(calls: Sequence[Mapping[str, Any]]) -> str:
    """For people: what several calls share is written out once."""
    if not calls:
        return "No prompt of a model was kept here: no model was asked, or record.prompts excludes it."
    seen: dict[str, int] = {}
    return "\n\n".join("\n".join(_lines(number, call, seen)) for number, call in enumerate(calls, start=1))


def _lines(number: int, call: Mapping[str, Any], seen: dict[str, int]) -> Iterator[str]:
    where = f", subtask {clean(call['subtask'], 60)}" if call["subtask"] else ""
    cached = f" ({call['tokens_cached']} of them cached)" if call.get("tokens_cached") else ""
    counted = f"{call['tokens_in']} tokens in{cached}, {call['tokens_out']} out" if "tokens_in" in call else "a call that failed"
    money = f", {call['money']:.4f}" if call.get("money") else ""
    heat = f", temperature {call['temperature']:g}" if "temperature" in call else ""
    yield f"=== call {number}: {clean(call['role'])}{where}, step {call['step']}"
    yield f"    {clean(call.get('model', ''))} ({clean(call.get('form', ''))}{heat}): {counted}{money}"
    if call.get("recalled"):
        yield "    not paid again: the reply was recorded before the process ended"
    for trouble in (call.get("problem"), FINISHES.get(str(call.get("finish"))), call.get("unusable")):
        if trouble:
            yield f"    ! {clean(trouble, 600)}"
    for message in call["messages"]:
        for one in message["parts"]:
            text = one.get("text")
            first = seen.setdefault(one["name"], number)
            told = f"as in call {first}" if first != number else "" if text else "no text is kept"
            if "picture" in one:
                told = f"a picture, {len(one['picture'] or '') * 3 // 4000} kB"
            yield f"--- {clean(message['role'])}{f' ({told})' if told else ''}"
            if text and not told:
                yield from (clean(line, 20_000) for line in text.splitlines())
    reply = call["reply"]
    yield "--- reply"
    said = [_shown(reply.get("content")), *map(_shown, items_of(reply.get("tool_calls")))] if isinstance(reply, dict) else []
    yield from (clean(line, 20_000) for text in said or ["(nothing)"] for line in text.splitlines())


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
