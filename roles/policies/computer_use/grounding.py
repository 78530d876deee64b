"""Grounding: a model that finds the place of a thing in a picture, for whoever names what no element carries."""

import base64
import re
from dataclasses import dataclass
from typing import Any

from protocol import ActionTarget, VisualState
from protocol.dialects import DialectError, at
from roles.contracts import ScreenPicture
from roles.journal.transcripts import Occasion
from roles.policies.computer_use.tools import grained
from roles.policies.fallback import BudgetSpent, GaveUp, Unreachable
from roles.policies.llm.asking import TOLD, Asker, Picturing
from roles.policies.llm.calls import png_size
from roles.policies.llm.decision_parsing import pointed
from roles.policies.llm.prompts import load_prompt
from roles.policies.llm.reply_parsing import THINKING, UnusableReply
from roles.policies.llm.schemas import form_of
from roles.policies.llm.settings import Counting

_NUMBER = r"\s*(\d{1,6}(?:\.\d{1,6})?)\s*"
_POINTS = re.compile(rf"[(\[]{_NUMBER},{_NUMBER}(?:,{_NUMBER},{_NUMBER})?[)\]]|<point>{_NUMBER}\s{_NUMBER}</point>", re.ASCII)
_WORDS = 300


@dataclass(frozen=True)
class PictureGrounding:
    """Asks its model for one place. What it gives no usable answer to has none."""

    asker: Asker
    picturing: Picturing
    counts: Counting = "pixels"

    def __call__(self, described: str, seen: VisualState) -> ActionTarget | None:
        """The place, with every locator of the element that lies there. Raises Unreachable and BudgetSpent."""
        png = self.picturing(seen, ScreenPicture(kind="clean", state_id=seen.state_id))
        if png is None:
            return None
        size = png_size(base64.b64encode(png[:24]).decode("ascii"))
        prompt = load_prompt("grounding")
        unit = prompt.when[self.counts].replace("{{width}}", str(size[0])).replace("{{height}}", str(size[1]))
        values = {"described": described[:_WORDS], "unit": unit}

        def read(data: dict[str, Any]) -> ActionTarget | None:
            if data.get("found") is False:
                return None
            place: Any = (data.get("x"), data.get("y"))
            if not all(isinstance(number, int | float) and not isinstance(number, bool) for number in place):
                raise UnusableReply("x and y are the two numbers of the place")
            grid = self.counts == "grid_1000"
            counted = None if grid else grained(size, 28 if self.counts == "pixels_28" else 1)
            try:
                return pointed(at(place[0], place[1], "norm1000" if grid else "image", counted, "grounding", "the answer"), seen)
            except DialectError as bad:
                raise UnusableReply(str(bad)) from None

        try:
            about, pictures = Occasion(screens=(seen.state_id,)), [(TOLD["clean"], png)]
            return self.asker.ask(prompt, values, form_of("place"), read, about, pictures=pictures, plain=point_in)
        except (BudgetSpent, Unreachable):
            raise
        except GaveUp:
            return None


def point_in(text: str, longest: int) -> dict[str, Any] | None:
    """The one point of an answer in words, such as `(10,20)` or `click(start_box='(10,20)')`, or the middle of its one box."""
    said = THINKING.sub(" ", text[:longest]).rpartition("Action:")[2]
    found = {tuple(float(number) for number in match.groups() if number is not None) for match in _POINTS.finditer(said)}
    if len(found) != 1:
        return None
    (x, y, *corner), *_ = found
    return {"found": True, "x": (x + corner[0]) / 2 if corner else x, "y": (y + corner[1]) / 2 if corner else y}
