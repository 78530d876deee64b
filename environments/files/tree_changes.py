"""What becomes of files: which go, are moved, lose what they hold, are changed or are new. Nothing is read from a command."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TypeAlias

from environments.effects import Change, Effect

Text: TypeAlias = str | None
"""What a file holds; None for a folder."""
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|\w+")
_KEPT = 0.5
"""A file of which less than this share of the words stays is overwritten and not changed."""


def tree_changes(app: str, before: Mapping[str, Text], after: Mapping[str, Text]) -> Iterator[Change]:
    """The changes between what was and what is, by path. Both may leave out whatever is the same."""
    for effect, told, path in _Tree(before, after).changes():
        yield Change(effect=effect, app=app, told=told, path=path)


class _Tree:
    """One difference. A file that goes while its text comes to be elsewhere was moved."""

    def __init__(self, before: Mapping[str, Text], after: Mapping[str, Text]) -> None:
        self.gone = {path: text for path, text in before.items() if path not in after}
        self.new = {path: text for path, text in after.items() if path not in before}
        self.changed = {p: (text, after[p]) for p, text in before.items() if p in after and after[p] != text}
        self.places: dict[Text, list[str]] = {}
        for path, text in (*self.new.items(), *((path, now) for path, (_, now) in self.changed.items())):
            if text is not None or not any(_inside(other, path) for other in self.new):
                self.places.setdefault(text, []).append(path)
        self.moved: set[str] = set()

    def changes(self) -> Iterator[tuple[Effect, str, str]]:
        for path, text in self.gone.items():
            if text is None and any(_inside(other, path) for other in self.gone):
                continue  # what becomes of all that was in it is told
            if (to := self._place(text)) is not None:
                yield Effect.EDIT, f"moves {path} to {to}", path
            else:
                yield Effect.DELETE, f"deletes {'the folder ' if text is None else ''}{path}", path
        for path, (old, now) in self.changed.items():
            yield *self._rewritten(path, old, now), path
        for path, text in self.new.items():
            if path not in self.moved:
                yield Effect.EDIT, f"makes {'the folder ' if text is None else ''}{path}", path

    def _place(self, text: Text) -> str | None:
        """Where this is now, each place once."""
        left = self.places.get(text)
        if not left:
            return None
        self.moved.add(left[-1])
        return left.pop()

    def _rewritten(self, path: str, old: Text, now: Text) -> tuple[Effect, str]:
        if old is None or now is None:
            return Effect.DELETE, f"puts a {'folder' if now is None else 'file'} in the place of {path}"
        if not old.strip() or self._place(old) is not None or _stays(old, now):
            return Effect.EDIT, f"changes {path}"
        return Effect.DELETE, f"overwrites {path}" if now.strip() else f"empties {path}"


def _inside(path: str, folder: str) -> bool:
    return path.startswith(f"{folder.rstrip('/')}/")


def _stays(old: str, now: str) -> bool:
    """Whether enough of a text is still there."""
    words, left = (Counter(_WORD.findall(text.casefold())) for text in (old, now))
    many = words.total()
    return (words & left).total() >= many * _KEPT if many else bool(now.strip())
