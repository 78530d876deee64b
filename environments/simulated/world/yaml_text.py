"""YAML as people write it: `No` is a word, `0042` keeps its zeros, and a key that is given twice is a mistake."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import yaml

from environments.files.yaml_lines import KeyPath, lines_of, refuse_deep


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


def read_yaml(text: str) -> YamlText:
    """The data in `text`. Raises yaml.YAMLError."""
    refuse_deep(text)
    loader = _Loader(text)
    try:
        node = loader.get_single_node()
        if node is None:
            return YamlText(None, {})
        return YamlText(_plain(loader, node), lines_of(node))
    except RecursionError:
        raise yaml.YAMLError("it is nested too deeply") from None
    finally:
        loader.dispose()


def _plain(loader: _Loader, node: yaml.Node) -> Any:
    lines_of(node)  # says what is given twice before it is made into one
    return loader.construct_document(node)


def load_yaml(text: str) -> Any:
    """The data alone."""
    return read_yaml(text).data
