"""A question to a model until the answer can be used: the form bound as the provider can, the mistake said in words."""

import base64
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from pydantic import ValidationError

from protocol import VisualState
from roles.contracts import PictureKind, ScreenPicture
from roles.journal.transcripts import Occasion
from roles.policies.fallback import GaveUp
from roles.policies.llm.calls import Caller, FormRefused, Question, ended
from roles.policies.llm.prompts import Prompt
from roles.policies.llm.reply_parsing import LONGEST, UnusableReply, finish_of, object_of, text_of
from roles.policies.llm.schemas import form_told
from roles.policies.llm.settings import ModelSettings, provided

Picturing = Callable[[VisualState, ScreenPicture], bytes | None]
"""The picture of a screen as a PNG; None where it cannot be had."""
TOLD: dict[PictureKind, str] = {
    "clean": "the screen as it is",
    "annotated": "the same screen; each mark is the id of an element",
    "last_target": "the same screen, with a rectangle where your last target was",
    "side_by_side": "the screen as it is on the left, and with marks on the right; each mark is the id of an element",
}


def with_pictures(turn: str, pictures: Iterable[tuple[str, bytes | None]]) -> str | list[Any]:
    """The turn, with the pictures behind it, each after what it shows; where one could not be had, it says so."""
    blocks: list[Any] = []
    for told, png in pictures:
        if png is None:
            turn += f"\n(There is no picture of this: {told}. It could not be taken.)"
        else:
            blocks.append({"type": "text", "text": f"This picture shows {told}."})
            body = base64.b64encode(png).decode("ascii")
            blocks.append({"type": "image", "base64": body, "mime_type": "image/png"})
    return [{"type": "text", "text": turn}, *blocks] if blocks else turn


def of_screen(when: str, seen: VisualState, kinds: Sequence[PictureKind], picturing: Picturing) -> list[tuple[str, bytes | None]]:
    """The pictures of one screen, for who acts on none: there is no last target."""
    wanted = [ScreenPicture(kind=kind, state_id=seen.state_id) for kind in kinds if kind != "last_target"]
    return [(f"{when}: {TOLD[picture.kind]}", picturing(seen, picture)) for picture in wanted]


_MARK = {"cache_control": {"type": "ephemeral"}}
_CHANGING = re.compile(r"\n<(?!functions |plan |holds )\w+ [0-9a-f]+>")
"""Where the first section of a turn begins that is not the same at every question about a subtask."""


def marked(settings: ModelSettings, system: str, turn: str | list[Any]) -> list[BaseMessage]:
    """What a question begins with. Anthropic keeps what stands before a mark, the form of the answer with it: one stands behind
    what all questions of a role share, and one behind what those of a subtask share. Others find it by themselves."""
    if provided(settings.name)[0] != "anthropic":
        return [SystemMessage(content=system), HumanMessage(content=turn)]
    text, pictures = (turn, []) if isinstance(turn, str) else (turn[0]["text"], turn[1:])
    end = found.start() if (found := _CHANGING.search(text)) else len(text)
    parts = [{"type": "text", "text": text[:end], **_MARK}, *([{"type": "text", "text": text[end + 1 :]}] if text[end:] else [])]
    return [SystemMessage(content=[{"type": "text", "text": system, **_MARK}]), HumanMessage(content=[*parts, *pictures])]


_SHOWN = "of the given form"
_Decision = TypeVar("_Decision")
_QUOTED = 1_500
"""Characters of a bad answer that are shown again to the model."""
_PROBLEM = 600
_METHODS = {"schema": "json_schema", "tools": "function_calling", "json": "json_mode"}
Messages = Sequence[BaseMessage]


def until_read(
    caller: Caller,
    reasks: int,
    question: Callable[[Messages], Question],
    reply_to: Callable[[Messages], AIMessage],
    read: Callable[[AIMessage], _Decision],
    words: Callable[[AIMessage], str],
    again: Callable[[str, str, str], str],
) -> _Decision:
    """What `read` makes of an answer, asked for at most `1 + reasks` times. Only the last mistake is shown, so that asking again
    costs the same each time: `again` says it, given what is wrong, what was wrong before, and the answer in `words`.

    Raises GaveUp, and BudgetSpent.
    """
    settings, problem, mistake = caller.settings, "", list[BaseMessage]()
    for _ in range(reasks + 1):
        reply, before = AIMessage(content=""), problem
        try:
            reply = reply_to(mistake)
            if why := ended(finish_of(reply), settings):
                raise UnusableReply(why)
            return read(reply)
        except FormRefused as refused:
            raise GaveUp(f"{settings.name} refused: {refused}") from None
        except (UnusableReply, ValidationError) as bad:
            problem = worded(bad)
        said = words(reply)
        caller.error(problem, said, question(mistake), reply)
        mistake = [AIMessage(said[:_QUOTED] or "(nothing)"), HumanMessage(again(problem, before, said))]
    raise GaveUp(f"no usable answer in {reasks + 1} tries: {problem}")


class Asker:
    """Asks for one decision by a prompt; an answer of more than `longest` characters is not usable."""

    def __init__(self, caller: Caller, reasks: int, longest: int = LONGEST) -> None:
        self._caller = caller
        self._reasks = reasks
        self._longest = longest
        structure = caller.settings.structure
        self._ways = ["schema", "tools", "text"] if structure == "auto" else [structure]
        self.model = caller.model

    def ask(
        self,
        prompt: Prompt,
        values: Mapping[str, str],
        schema: Mapping[str, Any],
        read: Callable[[dict[str, Any]], _Decision],
        about: Occasion,
        *,
        pictures: Sequence[tuple[str, bytes | None]] = (),
        plain: Callable[[str, int], dict[str, Any] | None] = lambda text, longest: None,
    ) -> _Decision:
        """The decision that `read` makes of the answer to the prompt filled with `values`. Raises GaveUp, and BudgetSpent.

        `plain` finds the answer in words that hold no object of the schema, and None where it is not there.
        """

        def question(mistake: Messages) -> Question:
            """With the form in words, unless the model is shown it anyway."""
            way = self._ways[0]
            system, turn = prompt.filled({**values, "answer_form": _SHOWN if self._is_shown(way) else form_told(schema)})
            told = marked(self._caller.settings, system, with_pictures(turn, pictures))
            return Question([*told, *mistake], schema, way, about)

        def reply_to(mistake: Messages) -> AIMessage:
            """The answer in the best way that the model takes; a way that it refuses is not tried again."""
            while True:
                try:
                    return self._caller.call(question(mistake), self._bound(self._ways[0], schema))
                except FormRefused:
                    if len(self._ways) == 1:
                        raise
                    self._ways.pop(0)

        def again(problem: str, before: str, said: str) -> str:
            told = f"That answer cannot be used: {problem}. Answer again, with one JSON object of the form that was asked for."
            if _kind(problem) == _kind(before):  # the same request again would bring the same answer
                told += f" This is the same mistake again. Begin anew, with nothing but this form:\n{form_told(schema)}"
                self._ways = [*self._ways[1:], self._ways[0]] if not said else self._ways
            return told

        def decision(reply: AIMessage) -> _Decision:
            said_plainly = None if reply.tool_calls else plain(text_of(reply), self._longest)
            return read(said_plainly or object_of(reply, self._longest))

        return until_read(self._caller, self._reasks, question, reply_to, decision, _words, again)

    def _is_shown(self, way: str) -> bool:
        """Whether the model itself reads the schema: as that of a tool always, else with the providers that say so."""
        settings = self._caller.settings
        return way == "tools" or (way == "schema" and settings.provider.shows_schema and not settings.base_url)

    def _bound(self, way: str, schema: Mapping[str, Any]) -> Any:
        if way == "text":
            return self._caller.model
        try:
            return self._caller.model.with_structured_output(dict(schema), method=_METHODS[way], include_raw=True)
        # LangChain documents the first two for models that bind no tools and for arguments that they do not know; models of
        # others whose method takes no such argument raise the third. The next way is tried.
        except (NotImplementedError, ValueError, TypeError) as bad:
            raise FormRefused(f"it cannot be asked for answers by {way}{f': {bad}' if str(bad) else ''}") from None


def _words(reply: AIMessage) -> str:
    return text_of(reply) or str(reply.tool_calls[0]["args"] if reply.tool_calls else "")


def _kind(problem: str) -> str:
    """What is wrong, without the values that differ each time."""
    return re.sub(r"'[^']*'|\"[^\"]*\"|\d+", "", problem)


def worded(bad: UnusableReply | ValidationError) -> str:
    if isinstance(bad, UnusableReply):
        return str(bad)[:_PROBLEM]
    said = []
    for problem in bad.errors()[:3]:
        where = ".".join(str(part) for part in problem["loc"] if not str(part).startswith(("function-", "tagged-")))
        said.append(f"{where}: {problem['msg']}" if where else problem["msg"])
    return "; ".join(said)[:_PROBLEM]
