"""Help documents: Markdown files by application, found by their words."""

from __future__ import annotations

import re
from pathlib import Path

from rapidfuzz import fuzz

from roles.contracts import Supplement
from roles.rules.lexicon import WORD, words_of

_EMPTY = words_of("a an and do find for from goes how i in into is it my of on or shows that the this to what where with your")
_LEAST = 0.5
_MAX_BYTES = 200_000


class HelpDocuments:
    """A SupplementSource over `<folder>/<app>/*.md`, and `<folder>/*.md` for all applications. Nothing fits, nothing "
    "is returned."""

    def __init__(self, folder: Path | str) -> None:
        self._folder = Path(folder)
        self.name = f"help documents in {self._folder.name}"

    def search(self, query: str, app: str | None, limit: int) -> list[Supplement]:
        """The documents that fit `query` best, those of `app` first."""
        scored = [(score, found) for found in self._documents(query) if (score := _score(query, found, app)) >= _LEAST]
        scored.sort(key=lambda pair: (-pair[0], pair[1].title))
        return [found for _, found in scored[:limit]]

    def _documents(self, query: str) -> list[Supplement]:
        if not self._folder.is_dir():
            return []
        found = []
        for path in sorted(self._folder.rglob("*.md")):
            try:
                if not path.is_file() or not path.resolve().is_relative_to(self._folder.resolve()):
                    continue  # a link out of the folder would put a file of the user's before a model
                with path.open("rb") as file:
                    text = file.read(_MAX_BYTES).decode("utf-8", "replace")
            except OSError:
                continue
            parts = path.relative_to(self._folder).parts
            app = parts[0] if len(parts) > 1 else None
            found.append(Supplement(query=query, source=f"help:{'/'.join(parts)}", title=_title(text, path), text=text, app=app))
        return found


def _title(text: str, path: Path) -> str:
    match = re.search(r"^#+\s+(.+)$", text, re.MULTILINE)
    return match.group(1).strip() if match else path.stem.replace("-", " ").replace("_", " ")


def _stems(text: str) -> set[str]:
    return {
        re.sub(r"(?:ing|ed|es|s|e)$", "", w.casefold())
        for w in WORD.findall(text)
        if w.casefold() not in _EMPTY and not re.search(r"\d", w)
    }


def _score(query: str, document: Supplement, app: str | None) -> float:
    """How much of the title the query names, then how much of the query the text knows."""
    wanted, title, body = _stems(query), _stems(document.title), _stems(document.text)
    if not wanted:
        return 0.0
    in_title = len(wanted & title) / len(title) if title else 0.0
    in_body = len(wanted & body) / len(wanted)
    fuzzy = fuzz.token_set_ratio(" ".join(sorted(wanted)), " ".join(sorted(title))) / 100
    score = 0.55 * in_title + 0.25 * in_body + 0.2 * (fuzzy if fuzzy > 0.7 else 0.0)
    return score + (0.05 if app and document.app == app else 0.0)
