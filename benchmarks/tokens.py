#!/usr/bin/env python3
"""What a screen costs a model: the prompt form beside the forms of others, on the same screens.

    benchmarks/tokens.py           the table
    benchmarks/tokens.py --each    and one line for each screen
    benchmarks/tokens.py --show mail    what one form of each kind looks like on the first screen of that name

Screens: every shipped world, each of its apps opened and a few things done in it, and three larger pages. A form's elements
are said (they are on a line), counted (the form says that they are not there) or dropped without a word.

Ends with 1 where the prompt form takes more than 15 tokens an element.

Counts with o200k if `tiktoken` is installed and its vocabulary is found: in `TIKTOKEN_CACHE_DIR`, or inside of `litellm`,
whose wheel ships it (`pip install tiktoken`, `pip install --no-deps litellm`). With the estimate of `protocol.prompt_form`
otherwise. Nothing is downloaded.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import yaml

from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.screen.elements import Area, Pane, place, show
from environments.simulated.screen.widgets import (
    Widget,
    bar,
    button,
    cell,
    combobox,
    form,
    group,
    heading,
    link,
    row,
    table,
    text,
    textbox,
)
from environments.simulated.world.worldfile import load_world
from protocol import Action, ActionTarget, Click, Fill, GUIElement, LaunchApp, VisualState
from protocol.prompt_form import Counter, Form, Style, diff_form, estimate_tokens, whole_form
from protocol.prompt_form.element_text import CELLS, WRAPPERS, kind

WORLDS = ("office", "office-interrupted", "stuck-button", "unsteady-form", "changed-behind-the-back")
AIM = 15


class Screen(NamedTuple):
    """A state, and the one before it in the same app if there was one."""

    name: str
    state: VisualState
    before: VisualState | None = None


class Said(NamedTuple):
    """A form of a screen: its text, and how many elements are on a line, and told to be left out or folded."""

    text: str
    said: int
    counted: int


# Screens


def screens() -> list[Screen]:
    """Each screen once, though worlds have many in common."""
    found: dict[str, Screen] = {}
    for screen in (screen for world in WORLDS for app in load_world(world).apps for screen in worked(world, app)):
        found.setdefault(screen.state.state_id, screen)
    return [*found.values(), *large()]


def worked(world: str, app: str) -> Iterator[Screen]:
    """An app of a world, with a few things done in it; what the world does not allow is left out."""
    desktop = SimulatedDesktop(load_world(world))
    before: VisualState | None = None
    for number, action in enumerate([LaunchApp(app=app), *DONE[app]]):
        if desktop.perform(action, key=str(number)).ok:
            state = desktop.observe()
            yield Screen(f"{world}: {app} {number}", state, before)
            before = state
    desktop.close()


def on(name: str, role: str | None = None) -> ActionTarget:
    return ActionTarget(text=name, role=role)


DONE: dict[str, tuple[Action, ...]] = {
    "billing": (Click(target=on("Back to invoices")), Click(target=on("Next")), Fill(target=on("Search invoices"), text="INV")),
    "reimbursement": (Fill(target=on("Vendor"), text="Acme Print Ltd"), Fill(target=on("Amount"), text="12.00"),
                      Click(target=on("I confirm that the receipt is attached")), Click(target=on("Submit"))),
    "mail": (Click(target=on("Next")), Click(target=on("Compose")), Fill(target=on("To"), text="ada@example.com"),
             Click(target=on("Discard")), Click(target=on("Discard message"))),
    "notes": (Click(target=on("New note")), Fill(target=on("Title"), text="Milk"), Click(target=on("Save"))),
    "files": (Click(target=on("/Documents")), Click(target=on("New folder")), Click(target=on("Cancel"))),
    "settings": (Click(target=on("Enable notifications")), Click(target=on("Save settings")), Click(target=on("Delete account"))),
}  # fmt: skip


def large() -> list[Screen]:
    """Pages of hundreds and thousands of elements, most of them out of view."""
    columns = ("Item", "Vendor", "Date", "Quantity", "Price", "Total", "Status")
    rows = [row(f"r{n}", *(cell(f"{name} {n * 37 % 991}") for name in columns)) for n in range(80)]
    fields = [
        combobox(f"Choice {n}", f"f{n}", "", ("Yes", "No", "Later"))
        if n % 5 == 4
        else textbox(f"Field {n}", f"f{n}", f"text {n}")
        for n in range(120)
    ]
    posts = [
        group(link(f"Report number {n}", f"p{n}"), text(f"Ada wrote on day {n}: the numbers are in the folder."),
              bar(button("Like", f"l{n}"), button("Reply", f"y{n}"), button("Share", f"s{n}"), key=f"b{n}"), key=f"g{n}")
        for n in range(300)
    ]  # fmt: skip
    return [
        Screen("large: sheet", page("sheet", heading("Stock", "h"), table("t", columns, rows))),
        Screen("large: form", page("form", heading("Survey", "h"), form("f", *fields, button("Send", "send"), submit="send"))),
        Screen("large: feed", page("feed", heading("Feed", "h"), *posts)),
    ]


def page(app: str, *widgets: Widget) -> VisualState:
    clip = (40, 760)
    nodes, _ = place(widgets, app, Area(24, 52, 1232, clip))
    elements = [shown.element for shown in show(nodes, Pane(app, (0, clip[0], 1280, clip[1])), 1)]
    return VisualState(elements=tuple(elements), app=app)


# Forms of others, as their sources write them, each at its shortest


def json_of(state: VisualState, indent: int | None) -> Said:
    """Seed 004's elements with the six fields that it has and no nulls, indented as in its example, or without any blank."""
    fields = {"element_id", "tag", "text", "role", "bbox", "visible"}
    written = [e.model_dump(mode="json", include=fields, exclude_none=True) for e in state.elements]
    separators = None if indent else (",", ":")
    return Said(json.dumps(written, indent=indent, separators=separators, ensure_ascii=False), len(written), 0)


def osworld(state: VisualState) -> Said:
    """`tag name text class description position size`; what is out of view, or has neither name nor text, is not there."""
    lines = ["tag\tname\ttext\tclass\tdescription\tposition (top-left x&y)\tsize (w&h)"]
    for e in state.elements:
        if not e.visible or not (e.name or e.value) or e.bbox is None:
            continue
        words = e.value or '""'
        at, size = (e.bbox.x1, e.bbox.y1), (e.bbox.x2 - e.bbox.x1, e.bbox.y2 - e.bbox.y1)
        lines.append(f"{e.role}\t{e.name}\t{words}\t\t\t{at}\t{size}")
    return Said("\n".join(lines), len(lines) - 1, 0)


def playwright(state: VisualState, boxes: bool) -> Said:
    """`- button "Submit" [disabled] [ref=e2]`; plain texts have no ref, and what is out of view is written like the rest."""
    lines: list[str] = []
    for e, depth in nested(state):
        lines.append("  " * depth + "- " + _aria(e, boxes))
        lines += ["  " * (depth + 1) + f"- option {json.dumps(option)}" for option in e.options]
    return Said("\n".join(lines), len(state.elements), 0)


def _aria(e: GUIElement, boxes: bool) -> str:
    if e.role == "text":
        return "text: " + yaml.safe_dump(e.name, width=10**6, allow_unicode=True).removesuffix("\n...\n").strip()
    marks = {"checked": e.value == "true" and e.role == "checkbox", "disabled": not e.enabled, "active": e.focused,
             "selected": e.selected, f"ref={e.element_id}": True}  # fmt: skip
    box = f" [box={e.bbox.x1},{e.bbox.y1},{e.bbox.x2 - e.bbox.x1},{e.bbox.y2 - e.bbox.y1}]" if boxes and e.bbox else ""
    name = f" {json.dumps(e.name, ensure_ascii=False)}" if e.name else ""
    key = (e.role or "generic").replace("group", "generic") + name + "".join(f" [{m}]" for m, so in marks.items() if so) + box
    return f"{key}: {e.value}" if e.value and e.role in ("textbox", "combobox") else key


def browsergym(state: VisualState, centers: bool) -> Said:
    """`[id] role 'name' value='text', required`; wrappers without a name are not there, nor is what repeats its parent."""
    lines: list[str] = []
    skipped = [e for e in state.elements if kind(e) in WRAPPERS - CELLS and not e.name]
    for e, depth in nested(state, {e.element_id for e in skipped}):
        lines.append("\t" * depth + _node(e, centers))
        lines += ["\t" * (depth + 1) + f"[{e.element_id}-{n}] option {option!r}" for n, option in enumerate(e.options)]
    return Said("\n".join(lines), len(state.elements) - len(skipped), 0)


def _node(e: GUIElement, centers: bool) -> str:
    if e.role == "text":
        return f"StaticText {e.name!r}"
    check = e.role == "checkbox"
    marks = {f"checked={e.value!r}": check, "disabled=True": not e.enabled, "focused": e.focused, "required": e.required,
             "selected=True": e.selected}  # fmt: skip
    at = [f'center="({e.bbox.center.x},{e.bbox.center.y})"'] if centers and e.bbox else []
    value = f" value={e.value!r}" if e.value is not None and not check else ""
    return ", ".join([f"[{e.element_id}] {e.role} {e.name!r}{value}", *at, *(mark for mark, so in marks.items() if so)])


def nested(state: VisualState, skipped: frozenset[str] | set[str] = frozenset()) -> Iterator[tuple[GUIElement, int]]:
    """Elements with their depth; the simulated desktop lists every container before what it holds."""
    depth: dict[str | None, int] = {None: 0}
    for e in state.elements:
        own = depth.get(e.parent, 0)
        depth[e.element_id] = own if e.element_id in skipped else own + 1
        if e.element_id not in skipped:
            yield e, own


def ours(state: VisualState, style: Style | None = None, budget: int | None = None, count: Counter = estimate_tokens) -> Said:
    return _said(whole_form(state, style=style, budget=budget, count=count))


def _said(form: Form) -> Said:
    return Said(form.text, len(form.written), len(form.folded) + len(form.left_out))


FORMS: dict[str, Callable[[VisualState], Said]] = {
    "seed 004 JSON, indent 2": lambda state: json_of(state, 2),
    "seed 004 JSON, compact": lambda state: json_of(state, None),
    "OSWorld TSV": osworld,
    "Playwright aria": lambda state: playwright(state, False),
    "Playwright aria with boxes": lambda state: playwright(state, True),
    "BrowserGym AXTree": lambda state: browsergym(state, False),
    "BrowserGym AXTree with centers": lambda state: browsergym(state, True),
    "prompt form without points": lambda state: ours(state, Style(points="none")),
    "prompt form": ours,
    "prompt form, all points": lambda state: ours(state, Style(points="all")),
}


# Counting


def tokenizer() -> tuple[str, Counter]:
    """o200k where it can be had without a download, and the estimate otherwise."""
    folder = os.environ.get("TIKTOKEN_CACHE_DIR") or _shipped()
    if not folder or importlib.util.find_spec("tiktoken") is None:
        return "the estimate of protocol.prompt_form (tiktoken or its vocabulary is not here)", estimate_tokens
    os.environ["TIKTOKEN_CACHE_DIR"] = folder
    import tiktoken

    encoding = tiktoken.get_encoding("o200k_base")
    return "o200k_base", lambda words: len(encoding.encode(words, disallowed_special=()))


def _shipped() -> str:
    """The folder of vocabularies inside of litellm, which is found without importing it."""
    spec = importlib.util.find_spec("litellm")
    folders = (
        [Path(place) / "litellm_core_utils" / "tokenizers" for place in spec.submodule_search_locations or ()] if spec else []
    )
    return next((str(folder) for folder in folders if folder.is_dir()), "")


class Sum(NamedTuple):
    """What some screens take in one form."""

    tokens: int
    elements: int
    said: int
    counted: int

    @property
    def each(self) -> float:
        return self.tokens / self.elements


def measure(shown: list[Screen], say: Callable[[VisualState], Said], count: Counter) -> Sum:
    parts = [say(screen.state) for screen in shown]
    elements = sum(len(screen.state.elements) for screen in shown)
    return Sum(sum(count(p.text) for p in parts), elements, sum(p.said for p in parts), sum(p.counted for p in parts))


def report(shown: list[Screen], count: Counter) -> list[list[str]]:
    bounded: dict[str, Callable[[VisualState], Said]] = {
        "prompt form, budget 1,000": lambda state: ours(state, None, 1_000, count)
    }
    pages = [screen for screen in shown if screen.name.startswith("large")]
    desktop = [screen for screen in shown if screen not in pages]
    rows = [["tokens per element", "desktop", "large pages", "per said", "said", "counted", "dropped"]]
    for name, say in (FORMS | bounded).items():
        found = measure(shown, say, count)
        each = (measure(desktop, say, count).each, measure(pages, say, count).each, found.tokens / found.said)
        figures = (found.said, found.counted, found.elements - found.said - found.counted)
        rows.append([name, *(f"{one:.1f}" for one in each), *(f"{one:,}" for one in figures)])
    return rows


def diffs(shown: list[Screen], count: Counter) -> str:
    """What following a screen by diffs costs, over all steps within an app."""
    pairs = [(screen.before, screen.state) for screen in shown if screen.before]
    forms = [diff_form(before, state, count=count) for before, state in pairs]
    whole = sum(whole_form(state, count=count).tokens for _, state in pairs)
    short = sum(not form.whole for form in forms)
    return (
        f"{len(pairs)} steps within an app: {sum(form.tokens for form in forms) / len(pairs):.0f} tokens a step by diffs "
        f"({short} of them diffs, {len(pairs) - short} whole), {whole / len(pairs):.0f} by whole forms"
    )


def as_table(rows: list[list[str]]) -> str:
    widths = [max(len(line[i]) for line in rows) for i in range(len(rows[0]))]

    def say(line: list[str]) -> str:
        return (
            "| "
            + " | ".join(c.ljust(w) if i == 0 else c.rjust(w) for i, (c, w) in enumerate(zip(line, widths, strict=True)))
            + " |"
        )

    rule = "|" + "|".join("-" * (w + 1) + ("-" if i == 0 else ":") for i, w in enumerate(widths)) + "|"
    return "\n".join([say(rows[0]), rule, *(say(line) for line in rows[1:])])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--each", action="store_true", help="one line for each screen, too")
    parser.add_argument("--show", metavar="NAME", help="print every form of the first screen whose name holds this")
    given = parser.parse_args()
    shown = screens()
    if given.show:
        state = next(screen.state for screen in shown if given.show in screen.name)
        print("\n\n".join(f"== {name}\n{say(state).text}" for name, say in FORMS.items()))
        return 0
    name, count = tokenizer()
    elements = sum(len(screen.state.elements) for screen in shown)
    print(f"{len(shown)} screens, {elements:,} elements, tokens by {name}\n")
    print(as_table(report(shown, count)))
    print("\n" + diffs(shown, count))
    if given.each:
        for screen in shown:
            one = measure([screen], ours, count)
            print(f"{one.each:6.1f} {one.elements:6} {screen.name}")
    return 0 if measure(shown, ours, count).each <= AIM else 1


if __name__ == "__main__":
    sys.exit(main())
