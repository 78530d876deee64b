"""What stands at the end of a letter: after the greeting come the name, perhaps a firm, and how to reach the writer."""

from __future__ import annotations

import re

from protocol import GUIElement
from roles.rules.moves import Situation
from roles.rules.screens import shown
from roles.rules.spots import Spot, shape_of

SIGNED = "signature "
"""Facts of this prefix are read from a signature."""
_GREETING = re.compile(
    r"^(?:--+|(?:(?:with\s+)?(?:kind|best|warm|many|all the|the)\s+)*(?:regards|best|wishes|greetings|thanks|cheers|sincerely"
    r"|yours|bye|all the best)(?:\s+(?:sincerely|truly|faithfully|again|regards|wishes))*)\s*[,.!]?$",
    re.IGNORECASE,
)


def signed(fact: str, at: Situation) -> Spot | None:
    """The value of `signature phone` and the like."""
    lines = _lines(at)
    begins = max((number for number, (text, _) in enumerate(lines) if _GREETING.match(text)), default=None)
    if begins is None:
        return None
    return _part(fact.removeprefix(SIGNED), lines[begins + 1 :])


def _lines(at: Situation) -> list[tuple[str, GUIElement]]:
    texts = [e for e in at.screen.detail_texts if e.role in {"text", "paragraph", "statictext"}]
    return [(line.strip(), e) for e in texts for line in shown(e).splitlines() if line.strip()]


def _part(fact: str, lines: list[tuple[str, GUIElement]]) -> Spot | None:
    """Numbers and addresses are known by their shape; of the others the first is the name and the next the firm."""
    shape = shape_of(fact)
    if shape is not None and fact != "name":
        return next((Spot(m.group(), e) for text, e in lines if (m := shape.search(text))), None)
    plain = [(text, e) for text, e in lines if not re.search(r"\d{3}|@|www\.|https?:", text)]
    at = {"name": 0, "company": 1}.get(fact, len(plain))
    return Spot(plain[at][0].rstrip(","), plain[at][1]) if at < len(plain) else None
