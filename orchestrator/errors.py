"""Errors that are the user's to mend: one sentence with what is wrong, where, and what to do. Exit code 2."""

from __future__ import annotations

from collections.abc import Iterable

USER = "user"
"""Who answered, where they did not say who they are."""


class UsageProblem(Exception):
    """Its text is the whole message: shown as it is, without a traceback."""


class MissingDependency(UsageProblem):
    """Nothing is wrong with what was written; this machine lacks a package or a key for it."""


class MachineStopped(Exception):
    """Nothing is wrong with what was written, and nothing is lost: the machine does not let it go on now. Exit code 1."""


class StoreGone(MachineStopped):
    """The store that several machines share cannot be reached any more; what was committed is in it."""


class StoreTaken(MachineStopped):
    """Another process works the run by now."""


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word that was most likely meant, or None when nothing is close."""
    from rapidfuzz import fuzz, process

    match = process.extractOne(word.casefold(), {name: name.casefold() for name in known}, scorer=fuzz.WRatio, score_cutoff=60)
    return str(match[2]) if match else None


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """`; did you mean 'steps'?`, or what there is to choose from."""
    names = sorted(known)
    if close := nearest(word, names):
        return f"; did you mean {close!r}?"
    return f"; known here: {', '.join(names)}" if names else ""
