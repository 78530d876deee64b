"""One self-contained HTML file: data in inert blocks, one script, and a policy of content that lets nothing else run."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import zlib
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from orchestrator.faces.clean import clean
from orchestrator.viewer.aligned import aligned, differences
from orchestrator.viewer.data import RunData
from orchestrator.viewer.gather import gather
from orchestrator.viewer.screens import FIELDS, FLAGS, PER_CHUNK, Chunk, Pool, chunks
from orchestrator.viewer.script import script, static, style
from orchestrator.viewer.source import Source, screens_of
from protocol.whole import whole_file

PER_BLOCK = 100
"""Items whose details are read together."""
Block = tuple[str, str]
"""The id of an inert block and its text, which is base64 or escaped JSON."""


class Packed(NamedTuple):
    """A run as blocks of the page; `first` is all that the list of its steps needs."""

    data: RunData
    first: Block
    rest: list[Block]


class Written(NamedTuple):
    """What came of it."""

    path: Path
    copied: int
    """Pictures that were put beside the page."""
    notes: list[str]


def write_page(path: Path, sources: Sequence[Source], *, bundle: bool = False) -> Written:
    """The page for one run, or for two beside each other."""
    beside = path.with_name(f"{path.stem}-screens")
    packed = []
    copied = 0
    for name, source in zip("ab", sources, strict=False):
        refs, blocks, count = _pictures(name, source.pictures, path, beside, bundle)
        copied += count
        packed.append(_packed(name, source, refs, blocks))
    with whole_file(path) as file:
        for part in _parts(packed):
            file.write(part)
    return Written(path, copied, [note for source in sources for note in source.notes])


def _parts(packed: Sequence[Packed]) -> Iterator[str]:
    head = packed[0].data["head"]
    boot: dict[str, Any] = {"runs": ["a", "b"][: len(packed)], "per_block": PER_BLOCK, "per_chunk": PER_CHUNK}
    boot |= {"element": FIELDS, "flags": FLAGS}
    first = [run.first for run in packed]
    if len(packed) > 1:
        left, right = (run.data["items"] for run in packed)
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


def _packed(name: str, source: Source, refs: dict[str, str], pictures: list[Block]) -> Packed:
    found = gather(source)
    items = found.data["items"]
    order: list[str] = []
    rest: list[Block] = []
    for number, chunk in enumerate(chunks(Pool(items, found.targets), screens_of(source))):
        order.extend(chunk.screens)
        rest.append((f"{name}-screens-{number}", pack(_as_json(chunk))))
    for number, start in enumerate(range(0, len(items), PER_BLOCK)):
        rest.append((f"{name}-details-{number}", pack(found.details[start : start + PER_BLOCK])))
    first = pack({**found.data, "screens": order, "pictures": refs})
    return Packed(found.data, (f"{name}-run", first), [*rest, *pictures])


def _as_json(chunk: Chunk) -> dict[str, Any]:
    return {"elements": chunk.elements, "screens": chunk.screens}


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
            _copy(file, beside)
            copied.add(file.name)
    return refs, list(blocks.items()), len(copied)


def _copy(file: Path, beside: Path) -> None:
    beside.mkdir(exist_ok=True)
    partial = beside / f"{file.name}.part"
    partial.write_bytes(file.read_bytes())
    os.replace(partial, beside / file.name)
