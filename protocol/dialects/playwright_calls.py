"""How a tool call of Playwright's MCP server names its elements: by a reference or a selector, and a mere place by pixels."""

from __future__ import annotations

from typing import Any, NamedTuple, NoReturn

from protocol.dialects.base import Context, DialectError, Loss, element_of, without_delay
from protocol.dialects.playwright_tools import BUTTONS, NAME, REF, SKILL_ONLY
from protocol.dialects.strokes_written import spot_of
from protocol.targets import ActionTarget
from protocol.verbs import Action

_PLACES = {"point", "description", "state_id", "role"}


class Element(NamedTuple):
    """`target` and `element` of a call, and what they do not say."""

    arguments: dict[str, str]
    losses: list[Loss]

    def of(self, end: str) -> Element:
        """As one end of a drag: `target` is `startTarget` there."""
        return self._replace(arguments={end + name.capitalize(): value for name, value in self.arguments.items()})


class Says:
    """Writes one action."""

    def __init__(self, action: Action, context: Context, variant: str) -> None:
        self.verb = action.verb
        self.context = context
        self.variant = variant
        self.calls: list[dict[str, Any]] = []
        self.losses = without_delay(action)

    def lose(self, what: str, why: str) -> None:
        self.losses.append(Loss(what=what, why=why))

    def refuse(self, what: str, why: str) -> NoReturn:
        raise DialectError(NAME, f"{self.verb}.{what}" if what else self.verb, why)

    def call(self, tool: str, *elements: Element, **arguments: Any) -> None:
        """Add a call; arguments that are None are left out."""
        for element in elements:
            arguments = element.arguments | arguments
            self.losses += element.losses
        name = f"browser_{tool}"
        if name in SKILL_ONLY and self.variant == "mcp":
            self.refuse("", f"the server lists no tool for it; {name} is one of the variant cli")
        if arguments.get("button") not in (None, *BUTTONS):
            self.refuse("button", f"there is no button {arguments['button']!r}")
        self.calls.append({"name": name, "arguments": {k: v for k, v in arguments.items() if v is not None}})

    def element(self, target: ActionTarget, what: str = "target", *, needed: bool = False) -> Element | None:
        """The element that a call names; None for a mere place, unless an element is needed there."""
        found = self._reference(target, what, needed)
        if found is None:
            return None
        back, arguments = found
        other = [name for name in ActionTarget.model_fields if getattr(target, name) != getattr(back, name)]
        lost = [name for name in other if getattr(target, name) is not None] or other
        words = {"element": target.description} if target.description is not None else {}
        losses = [Loss(what=f"{what}.{lost[0]}", why="only the reference is said")] if lost else []
        return Element(arguments | words, losses)

    def _reference(self, target: ActionTarget, what: str, needed: bool) -> tuple[ActionTarget, dict[str, str]] | None:
        words = target.description
        state = self.context.state
        stale = state is not None and target.state_id is not None and target.state_id != state.state_id
        if target.element_id is not None and not stale:
            return _by_id(target.element_id, words)
        if target.selector is not None and not (stale and target.text is not None):
            written = f"css={target.selector}" if REF.fullmatch(target.selector) else target.selector
            return ActionTarget(selector=written, description=words), {"target": written}
        given = {name for name in ActionTarget.model_fields if getattr(target, name) is not None}
        if not needed and (given <= _PLACES or state is None):
            return None
        element, _ = element_of(target, self.context, NAME, what)
        if element is None and needed:
            self.refuse(what, "there is no element at this place")
        return _by_id(element.element_id, words) if element else None

    def field(self, target: ActionTarget) -> Element:
        """An element where nothing else will do."""
        return self.element(target, needed=True) or self.refuse("target", "an element is needed")

    def spot(self, target: ActionTarget, what: str = "target") -> tuple[float, float]:
        said, losses = spot_of(target, self.context, "px", None, NAME, what)
        self.losses += losses
        point = said.point
        return (point.x, point.y) if point else (0, 0)

    def move(self, target: ActionTarget | None, what: str = "target") -> None:
        """Bring the pointer somewhere before something else."""
        if target is None:
            return
        element = self.element(target, what)
        if element:
            self.call("hover", element)
        else:
            x, y = self.spot(target, what)
            self.call("mouse_move_xy", x=x, y=y)

    def click(self, target: ActionTarget) -> None:
        element = self.element(target)
        if element:
            self.call("click", element)
        else:
            x, y = self.spot(target)
            self.call("mouse_click_xy", x=x, y=y)

    def no_keys(self, modifiers: tuple[str, ...]) -> None:
        if modifiers:
            self.refuse("modifiers", "no keys can be held meanwhile")


def _by_id(element_id: str, words: str | None) -> tuple[ActionTarget, dict[str, str]]:
    """An id that does not look like a reference goes by the older name `ref`: as `target` it would be a selector."""
    name = "target" if REF.fullmatch(element_id) else "ref"
    return ActionTarget(element_id=element_id, description=words), {name: element_id}
