"""The line of every key and list item of a YAML text, and its mistakes that the YAML library lets pass."""

import re
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from environments.files.small_files import LARGEST as LARGEST
from environments.files.small_files import MAX_BYTES as MAX_BYTES
from environments.files.small_files import TooLarge as TooLarge
from environments.files.small_files import read_small as read_small

KeyPath = tuple[str | int, ...]


MOST = 200_000
"""Keys and items of a text, those that aliases repeat among them: ten lines of aliases can say a billion."""
DEEPEST = 200
_DIGITS = 400
_NESTED = re.compile(rf"(?:[\[{{]\s*){{{DEEPEST}}}")
_SURROGATE = re.compile(r"[\ud800-\udfff]")


def safe_data(text: str) -> Any:
    """The data of a YAML text. Raises yaml.YAMLError or ValueError for what is none, and for every trap that is known here."""
    return read_yaml(text, yaml.SafeLoader).data


@cache
def packaged(package: str, name: str) -> Any:
    """The data of a YAML file that is part of a package of ours: read once, and not to be changed."""
    return yaml.load((resources.files(package) / name).read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)


def texts_in(path: Path) -> dict[str, Any]:
    """A table of our own beside the module that uses it: everything in it is a text."""
    return dict(yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.CBaseLoader))  # noqa: S506 - it makes texts alone


def nearest_line(lines: dict[KeyPath, int], path: KeyPath) -> int | None:
    """The line of what stands at `path`, or of the nearest thing around it."""
    return next((line for end in range(len(path), 0, -1) if (line := lines.get(path[:end])) is not None), None)


def _weigh(node: yaml.Node, known: dict[int, int]) -> int:
    """How many keys and items there are below a node, each alias counted as often as it stands; every node is looked at once."""
    if (weight := known.get(id(node))) is not None:
        if weight < 0:
            raise yaml.MarkedYAMLError(None, None, "an alias that contains itself", node.start_mark)
        return weight
    known[id(node)] = -1
    weight = sum(1 + _weigh(part, known) for part in _parts(node))
    if weight > MOST:
        raise yaml.MarkedYAMLError(None, None, f"more than {MOST:,} keys and items, aliases counted", node.start_mark)
    known[id(node)] = weight
    return weight


def _parts(node: yaml.Node) -> list[yaml.Node]:
    if isinstance(node, yaml.MappingNode):
        return [part for pair in node.value for part in pair if not isinstance(part, yaml.ScalarNode) or part is pair[1]]
    return list(node.value) if isinstance(node, yaml.SequenceNode) else []


def _note(node: yaml.Node, path: KeyPath, lines: dict[KeyPath, int]) -> None:
    if isinstance(node, yaml.ScalarNode) and _SURROGATE.search(node.value):
        raise yaml.MarkedYAMLError(None, None, "half of a character, such as \\ud800", node.start_mark)
    if isinstance(node, yaml.ScalarNode) and node.tag == "tag:yaml.org,2002:int" and len(node.value) > _DIGITS:
        raise yaml.MarkedYAMLError(None, None, f"a number of {len(node.value):,} digits", node.start_mark)
    if isinstance(node, yaml.SequenceNode):
        for index, item in enumerate(node.value):
            lines[*path, index] = item.start_mark.line + 1
            _note(item, (*path, index), lines)
    elif isinstance(node, yaml.MappingNode):
        seen: set[str] = set()
        for key, value in node.value:
            word = str(key.value)
            if word in seen:
                raise yaml.MarkedYAMLError(None, None, f"the key {word!r} is given twice", key.start_mark)
            seen.add(word)
            lines[*path, word] = key.start_mark.line + 1
            _note(value, (*path, word), lines)


class _Loader(yaml.SafeLoader):
    """YAML 1.2's core words only: of plain scalars just true, false, null and plain numbers are more than text."""


_Loader.yaml_implicit_resolvers = {}
_Loader.add_implicit_resolver("tag:yaml.org,2002:null", re.compile(r"^(?:~|null|Null|NULL|)$"), ["~", "n", "N", ""])
_Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile(r"^(?:true|True|TRUE|false|False|FALSE)$"), list("tTfF"))
_Loader.add_implicit_resolver("tag:yaml.org,2002:int", re.compile(r"^[-+]?(?:0|[1-9][0-9]*)$"), list("-+0123456789"))
_Loader.add_implicit_resolver("tag:yaml.org,2002:float", re.compile(r"^[-+]?[0-9]+\.[0-9]+$"), list("-+0123456789"))


class YamlText(NamedTuple):
    """The data of a text, with the line of every key and list item."""

    data: Any
    lines: dict[KeyPath, int]


def read_yaml(text: str, words: type[yaml.SafeLoader] = _Loader) -> YamlText:
    """The data in `text`, whose plain scalars mean what `words` says.

    Raises yaml.YAMLError or ValueError: also for a key that is there twice, for an alias that contains itself, for aliases that
    make a text into more than anybody wrote, for what is no text, and for more opening brackets in a row than anybody writes,
    which the library reads for minutes.
    """
    if _NESTED.search(text):
        raise yaml.YAMLError("it is nested too deeply")
    loader = words(text)
    try:
        node = loader.get_single_node()
        if node is None:
            return YamlText(None, {})
        _weigh(node, {})  # first: it refuses what would be loaded for hours
        lines: dict[KeyPath, int] = {}
        _note(node, (), lines)
        return YamlText(loader.construct_document(node), lines)
    except RecursionError:
        raise yaml.YAMLError("it is nested too deeply") from None
    finally:
        loader.dispose()


def load_yaml(text: str) -> Any:
    """The data alone."""
    return read_yaml(text).data
