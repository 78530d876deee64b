#!/usr/bin/env python
"""Write docs/reference anew from the code: commands, settings, protocol, what a journal records; and pictures of the concepts.

scripts/reference.py            # write the pages
scripts/reference.py --check    # say which of them are not what the code says, and exit 1
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, get_args

from concept_pictures import main as pictures
from pydantic import BaseModel

from orchestrator.cli.commands import SECTIONS, built
from orchestrator.core.machine import mermaid
from orchestrator.settings.settings import load_settings, show_config
from protocol import VERBS, ActionResult, ActionTarget, GUIElement, InteractionStep, VisualState
from protocol.model import verbs as verbs_module
from roles.journal.events import EVENTS

ROOT = Path(__file__).resolve().parents[1]
HOME = ROOT / "docs" / "reference"
NOTE = "\n\nThis page is written by `scripts/reference.py` from the code.\n"


def table(head: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(_cell(cell) for cell in line)} |" for line in lines) + "\n"


def _cell(value: Any) -> str:
    return " ".join(str(value).split()).replace("|", "\\|").replace("<", "&lt;") or " "


def _code(value: Any) -> str:
    said = " ".join(str(value).split())
    return f"`{said}`" if said else ""


def commands() -> str:
    """Every command with its arguments and options."""
    codes = "\nExit codes: 0 done, 1 failed, 2 usage, 3 waiting for a person or paused, 4 a budget is spent.\n"
    parts = ["# Commands", NOTE, codes]
    for title, section in SECTIONS.items():
        parts.append(f"\n## {title}\n")
        for name in section:
            parts += _command(f"deskcrew {name}", built(name))
    return "".join(parts)


def _command(name: str, command: Any) -> Iterator[str]:
    yield f"\n### `{name}`\n\n{' '.join((command.help or '').split())}\n"
    rows = [(_code(_param(p)), getattr(p, "help", "") or "") for p in command.params if p.name not in ("help", "debug")]
    if rows:
        yield "\n" + table(("option or argument", "what it is"), rows)
    for word, inner in sorted(getattr(command, "commands", {}).items()):
        yield from _command(f"{name} {word}", inner)


def _param(param: Any) -> str:
    return ", ".join(param.opts) if param.param_type_name == "option" else (param.metavar or param.name).strip("[]")


def settings() -> str:
    """Every key with what it is when nobody says otherwise."""
    rows = [(_code(line.key), _code(json.dumps(line.value, ensure_ascii=False))) for line in show_config(load_settings())]
    text = "\n`-c KEY=VALUE` sets one; [Configuration](../configuration.md) says which layer wins.\n\n"
    return "# Settings" + NOTE + text + table(("key", "default"), rows)


def protocol() -> str:
    """The verbs, and the fields of what is seen and done."""
    classes = [thing for thing in vars(verbs_module).values() if isinstance(thing, type) and issubclass(thing, BaseModel)]
    typed = [thing for thing in classes if "action_type" in thing.model_fields]
    known = {word: thing for thing in typed for word in get_args(thing.model_fields["action_type"].annotation) if word in VERBS}
    verbs = [(_code(name), _fields(verb), _first(verb)) for name, verb in sorted(known.items())]
    parts = ["# The protocol", NOTE, "\n## Actions\n\n", table(("verb", "fields", "what it does"), verbs)]
    for model in (VisualState, GUIElement, ActionTarget, ActionResult, InteractionStep):
        rows = [(_code(name), _code(_type(field))) for name, field in model.model_json_schema()["properties"].items()]
        parts.append(f"\n## {model.__name__}\n\n{_first(model)}\n\n{table(('field', 'type'), rows)}")
    return "".join(parts)


def _fields(verb: type[BaseModel]) -> str:
    names = (name if field.is_required() else f"[{name}]" for name, field in verb.model_fields.items() if name != "action_type")
    return _code(" ".join(names))


def _first(thing: Any) -> str:
    return (thing.__doc__ or "").strip().split("\n\n")[0]


def _type(schema: Any) -> str:
    """A JSON Schema in a few words."""
    if not isinstance(schema, dict):
        return "any"
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "const" in schema:
        return json.dumps(schema["const"])
    for several in ("anyOf", "oneOf"):
        if several in schema:
            return " | ".join(dict.fromkeys(map(_type, schema[several])))
    if "enum" in schema:
        return " | ".join(map(json.dumps, schema["enum"]))
    kind = str(schema.get("type", "any"))
    if kind == "array":
        inner = schema.get("items") or {"anyOf": schema.get("prefixItems") or [{}]}
        return f"array of {_type(inner)}"
    return kind


def journal() -> str:
    """Every kind of event that a journal records, with its body and the modules that write it."""
    folders = (ROOT / folder for folder in ("orchestrator", "roles"))
    texts = {path: path.read_text(encoding="utf-8") for folder in folders for path in sorted(folder.rglob("*.py"))}
    rows = []
    for kind, event in sorted(EVENTS.items()):
        writes = re.compile(rf"(?<!case )\b({event.__name__}|{kind}_event)\((?!\))")
        places = [path.relative_to(ROOT) for path, text in texts.items() if writes.search(text) and path.name != "events.py"]
        parts = [_code(part.alias or name) + ("" if part.is_required() else "?") for name, part in event.model_fields.items()]
        rows.append((_code(kind), str(event.__doc__), ", ".join(parts), ", ".join(_code(str(place)) for place in places)))
    text = "\nAn event has `id`, `at`, `kind`, `role`, `subtask`, `step` and a `body` in JSON; it is never changed. Its class,\n"
    text += "named after its kind, is in `roles/journal/events.py`. What has a `?` is left out where there is nothing to say.\n\n"
    return "# What a journal records" + NOTE + text + table(("kind", "what it says", "body", "written in"), rows)


def readme() -> str:
    """The README with the diagram of the machine's table."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    return re.sub(r"(?s)(?<=```mermaid\n).*?(?=\n```)", lambda _: mermaid(), text, count=1)


PAGES = {
    **{HOME / f"{made.__name__}.md": made for made in (commands, settings, protocol, journal)},
    ROOT / "README.md": readme,
}


def main() -> int:
    """0 where the pages are what the code says."""
    check, wrong = "--check" in sys.argv[1:], 0
    for path, made in PAGES.items():
        text = made()
        if check:
            if not path.is_file() or path.read_text(encoding="utf-8") != text:
                print(f"{path.relative_to(ROOT)} is not what the code says; run scripts/reference.py")
                wrong = 1
        else:
            path.write_text(text, encoding="utf-8")
    return pictures(sys.argv[1:]) or wrong


if __name__ == "__main__":
    sys.exit(main())
