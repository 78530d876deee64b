"""Chats to train a model on: a sample a step, with the picture before it, the last few actions as text, and the answer.

The answer is `Thought: ...` and `Action: ...`; the action is one line and the last one, whatever the thought says. A step
without a picture gives a sample of text only, in which the elements of the screen are listed; without these it gives none.
"""

from __future__ import annotations

import json
import re
from collections import Counter, deque
from collections.abc import Callable, Iterator
from typing import NamedTuple

from protocol.dialects.common.base import Context, Loss
from protocol.exports.common.base import Pictures, Run, RunInfo
from protocol.exports.common.kept import context_of, frames, sized
from protocol.model.steps import InteractionStep, Picture
from protocol.model.verbs import Action

HISTORY = 4
"""Actions before the sample's own that its prompt tells."""
_LISTED = 200
"""Elements of a screen that a sample of text only lists."""
PLACEHOLDER = re.compile(r"<(?=(?:image|video|audio|bbox|ref-object|start-image|end-image|cot-process)>)")
"""What LLaMA-Factory or ms-swift would put a picture or a box in place of."""
_HIDDEN = Loss(what="text", why="a placeholder such as <image> in a text is written with a blank, < image>")
_TEXT_ONLY = Loss(what="picture", why="there is none: the sample is text only and lists the elements of the screen")
_LEFT_OUT = Loss(what="action", why="the step is left out: neither a picture nor the elements of the screen are known")


class ChatAction(NamedTuple):
    """An action as the model should say it, and the places that its placeholders stand for."""

    text: str
    boxes: list[list[float]]
    losses: list[Loss]


Speaker = Callable[[Action, Context, bool], ChatAction]
"""Says an action; the flag is whether the model sees a picture."""


class Sample(NamedTuple):
    """One sample, before it is put into the columns of a format."""

    step: InteractionStep
    messages: list[dict[str, str]]
    picture: Picture | None
    boxes: list[list[float]]


def samples(run: Run, pictures: Pictures, losses: Counter[Loss], system: str, speak: Speaker) -> Iterator[Sample]:
    """A sample a step, in order; the losses are counted as they come."""
    past: deque[InteractionStep] = deque(maxlen=HISTORY)
    for step, found, _ in frames(run.steps, pictures, losses):
        picture = found if sized(step) else None
        if picture is None:
            losses[_TEXT_ONLY if step.visual_state.elements else _LEFT_OUT] += 1
        if picture is not None or step.visual_state.elements:
            yield _sample(run.info, step, picture, list(past), losses, system, speak)
        if sized(step):
            past.append(step)


def _sample(
    info: RunInfo,
    step: InteractionStep,
    picture: Picture | None,
    past: list[InteractionStep],
    losses: Counter[Loss],
    system: str,
    speak: Speaker,
) -> Sample:
    seen = picture is not None
    said = [speak(earlier.action, context_of(earlier), seen) for earlier in past]
    answer = speak(step.action, context_of(step) if seen else Context(), seen)
    losses.update(answer.losses)
    width, height = step.visual_state.screen_resolution
    asked = [f"Task: {_plain(info.goal, losses)}", f"Screen: {width} x {height} pixels"]
    asked += ["Done before:", *(earlier.text for earlier in said)] if said else []
    asked += [] if seen else ["Elements:", *(_plain(line, losses) for line in _elements(step))]
    thought = f"Thought: {_plain(step.reasoning, losses)}\n" if step.reasoning else ""
    return Sample(
        step,
        [
            {"role": "system", "content": system},
            {"role": "user", "content": ("<image>" if seen else "") + "\n".join(asked)},
            {"role": "assistant", "content": f"{thought}Action: {answer.text}"},
        ],
        picture,
        [box for one in (*said, answer) for box in one.boxes],
    )


def _plain(text: str, losses: Counter[Loss]) -> str:
    hidden = PLACEHOLDER.sub("< ", text)
    if hidden != text:
        losses[_HIDDEN] += 1
    return hidden


def _elements(step: InteractionStep) -> list[str]:
    """The elements that can be seen, a line each: never a value, which may be private."""
    seen = [element for element in step.visual_state.elements if element.visible]
    lines = [f"{e.element_id} {e.role or 'element'} {json.dumps(e.name, ensure_ascii=False)}" for e in seen[:_LISTED]]
    return lines + ([f"... {len(seen) - _LISTED} more"] if len(seen) > _LISTED else [])


def about(sample: Sample) -> dict[str, object]:
    """Columns that no trainer reads, and that say where a sample comes from."""
    return {
        "run_id": sample.step.run_id,
        "subtask": sample.step.subtask,
        "role": sample.step.role,
        "step": sample.step.step,
        "image_sha256": [sample.picture.sha256] if sample.picture else [],
        "image_moment": "before",
    }
