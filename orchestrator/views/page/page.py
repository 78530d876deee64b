"""One self-contained HTML file: data in inert blocks, one script, and a policy of content that lets nothing else run."""

import base64
import hashlib
import json
import os
import re
import zlib
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from functools import cache
from html import escape
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from orchestrator.store.printable import clean
from orchestrator.views.page.data import FIELDS, FLAGS, PER_CHUNK, Item, Pool, RunHead, chunks
from orchestrator.views.page.run_data import PARTS, RunReader
from orchestrator.views.transcripts import parts_of
from protocol import JsonObject
from protocol.log.log import whole_file

MAIN = "main.js"
_IMPORT = re.compile(r"^import \{[^}]*\} from '\./([\w-]+\.js)';\n", re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:const|let|function|async|class)\b)", re.MULTILINE)


def static(name: str) -> str:
    """A file of the page."""
    return (resources.files("orchestrator.views.page") / "static" / name).read_text(encoding="utf-8")


@cache
def script() -> str:
    """Every module that the main one needs, each after those that it needs itself."""
    order: dict[str, str] = {}
    _collect(MAIN, order, ())
    body = "\n".join(_EXPORT.sub("", _IMPORT.sub("", text)) for text in order.values())
    return f"(() => {{\n'use strict';\n{body}}})();"


def _collect(name: str, order: dict[str, str], above: tuple[str, ...]) -> None:
    if name in order:
        return
    if name in above:
        raise ValueError(f"{name} imports itself through {' > '.join(above)}")
    text = static(name)
    for needed in _IMPORT.findall(text):
        _collect(needed, order, (*above, name))
    order[name] = text


@cache
def style() -> str:
    return static("style.css")


WINDOW = 200
"""Lines of each run that are matched together, so that long runs take no longer a line than short ones."""
Pair = tuple[int | None, int | None]


def aligned(left: Sequence[Item], right: Sequence[Item]) -> list[Pair]:
    """Pairs of line numbers in order; None where the other run has no such line."""
    pairs: list[Pair] = []
    a = b = 0
    while a < len(left) or b < len(right):
        ours, theirs = left[a : a + WINDOW], right[b : b + WINDOW]
        more = a + WINDOW < len(left) or b + WINDOW < len(right)
        blocks = SequenceMatcher(None, [_said(x) for x in ours], [_said(y) for y in theirs], autojunk=False).get_opcodes()
        if more and len(blocks) > 1 and blocks[-1][0] != "equal":
            blocks = blocks[:-1]  # what follows may belong to it
        for _, i, j, k, m in blocks:
            both = min(j - i, m - k)
            pairs.extend((a + i + n, b + k + n) for n in range(both))
            pairs.extend((a + n, None) for n in range(i + both, j))
            pairs.extend((None, b + n) for n in range(k + both, m))
        used = blocks[-1][2], blocks[-1][4]
        a, b = a + used[0], b + used[1]
    return pairs


def _said(item: Item) -> tuple[str, str, str]:
    """What two lines must share to stand beside each other; ids, times and places differ from run to run."""
    return item.kind, item.role, item.line


def same(one: Item, other: Item) -> bool:
    """Whether both runs did the same and the same came of it."""
    return (*_said(one), one.status, one.subtask, one.app) == (*_said(other), other.status, other.subtask, other.app)


def differences(left: Sequence[Item], right: Sequence[Item], pairs: Sequence[Pair]) -> list[int]:
    """Places among the pairs where the runs are not the same."""
    return [
        place for place, (one, other) in enumerate(pairs) if one is None or other is None or not same(left[one], right[other])
    ]


PER_BLOCK = 100
"""Items whose details are read together."""
Block = tuple[str, str]
"""The id of an inert block and its text, which is base64 or escaped JSON."""


class PackedRun(NamedTuple):
    """A run as blocks of the page; `first` is all that the list of its steps needs."""

    head: RunHead
    items: Sequence[Item]
    first: Block
    rest: list[Block]


class PageResult(NamedTuple):
    """What came of it."""

    path: Path
    copied: int
    """Pictures that were put beside the page."""
    notes: list[str]


def write_page(path: Path, runs: Sequence[RunReader], *, bundle: bool = False) -> PageResult:
    """The page for one run, or for two beside each other, which were read whole."""
    beside = path.with_name(f"{path.stem}-screens")
    packed = []
    copied = 0
    for name, run in zip("ab", runs, strict=False):
        refs, blocks, count = _pictures(name, run.journal.pictures(), path, beside, bundle)
        copied += count
        lines = run.heard.lines
        order: list[str] = []
        rest: list[Block] = []
        for number, chunk in enumerate(chunks(Pool(lines.items, lines.targets), run.journal.screens())):
            order.extend(chunk.screens)
            rest.append((f"{name}-screens-{number}", pack({"elements": chunk.elements, "screens": chunk.screens})))
        for number, start in enumerate(range(0, len(lines.items), PER_BLOCK)):
            rest.append((f"{name}-details-{number}", pack(lines.details[start : start + PER_BLOCK])))
        parts = parts_of(lines.details, run.journal.part, pictures=bundle)
        rest += [(f"{name}-part-{part}", pack(text)) for part, text in parts]
        data = {part: run.part(part) for part in PARTS} | {"items": lines.items}
        first = (f"{name}-run", pack({**data, "screens": order, "pictures": refs}))
        packed.append(PackedRun(data["head"], lines.items, first, [*rest, *blocks]))
    with whole_file(path) as file:
        for part in _parts(packed):
            file.write(part)
    return PageResult(path, copied, [note for run in runs for note in run.notes])


def _parts(packed: Sequence[PackedRun]) -> Iterator[str]:
    head = packed[0].head
    boot: JsonObject = {"runs": ["a", "b"][: len(packed)], "per_block": PER_BLOCK, "per_chunk": PER_CHUNK}
    boot |= {"element": FIELDS, "flags": FLAGS}
    first = [run.first for run in packed]
    if len(packed) > 1:
        left, right = (run.items for run in packed)
        pairs = aligned(left, right)
        first.append(("pairs", pack({"pairs": pairs, "different": differences(left, right, pairs)})))
    code, look = script(), style()
    page = static("page.html")
    filled = {
        "<!--policy-->": escape(policy(code, look)),
        "<!--title-->": escape(f"{clean(head['goal'], 120)} · {clean(head['run_id'], 60)}"),
        "/*style*/": look,
    }
    for mark, text in filled.items():
        page = page.replace(mark, text)
    before, after = page.split("<!--blocks-->\n")
    yield before
    yield f'<script type="application/json" id="boot">{inert(boot)}</script>\n'
    yield from map(_block, first)
    yield f"<script>{code}</script>\n"
    for run in packed:
        yield from map(_block, run.rest)
    yield after


def policy(code: str, look: str) -> str:
    """Only this script and this style; pictures from beside the page or out of it; no network, no frames, no forms."""
    return (
        f"default-src 'none'; script-src '{_hash(code)}'; style-src '{_hash(look)}'; img-src 'self' file: blob:; "
        "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    )


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def inert(value: Any) -> str:
    """JSON in which nothing looks like HTML, whatever it says."""
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def pack(value: Any) -> str:
    """JSON, deflated, in base64."""
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    return base64.b64encode(zlib.compress(text.encode("ascii"), 6)).decode("ascii")


def _block(block: Block) -> str:
    name, text = block
    return f'<script type="text/plain" id="{name}">{text}</script>\n'


def _pictures(
    name: str, pictures: dict[str, Path], page: Path, beside: Path, bundle: bool
) -> tuple[dict[str, str], list[Block], int]:
    """How each picture is named in the page, the blocks of those that are bundled, and how many were put beside the page."""
    home = page.parent.resolve()
    refs: dict[str, str] = {}
    blocks: dict[str, str] = {}
    copied: set[str] = set()
    for state, file in pictures.items():
        if bundle:
            known = f"{name}-picture-{file.stem}"
            refs[state] = f"#{known}"
            if known not in blocks:
                blocks[known] = base64.b64encode(file.read_bytes()).decode("ascii")
        elif file.resolve().is_relative_to(home):
            refs[state] = quote(file.resolve().relative_to(home).as_posix())
        else:
            refs[state] = quote(f"{beside.name}/{file.name}")
            beside.mkdir(exist_ok=True)
            partial = beside / f"{file.name}.part"
            partial.write_bytes(file.read_bytes())
            os.replace(partial, beside / file.name)
            copied.add(file.name)
    return refs, list(blocks.items()), len(copied)
