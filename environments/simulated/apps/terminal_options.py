"""Options of commands, as `-rn`, `-n 3` and `--` give them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from environments.simulated.apps.terminal_tree import Trouble

_COUNT_MAX = 9


class Options(NamedTuple):
    """Letters that were given, values of those that take one, and what is no option."""

    given: frozenset[str]
    values: dict[str, str]
    rest: list[str]


def options(words: Sequence[str], flags: str = "", valued: str = "") -> Options:
    """Split the words after a command's name. Raises Trouble for an option that the command does not have."""
    given: set[str] = set()
    values: dict[str, str] = {}
    rest: list[str] = []
    queue = list(reversed(words))
    while queue:
        word = queue.pop()
        if word == "--":
            rest += reversed(queue)
            break
        if word == "-" or not word.startswith("-"):
            rest.append(word)
            continue
        letters = word[1:]
        for at, letter in enumerate(letters):
            if letter in valued:
                value = letters[at + 1 :] or (queue.pop() if queue else "")
                if not value:
                    raise Trouble(f"option requires an argument -- '{letter}'", 2)
                values[letter] = value
                break
            if letter not in flags:
                raise Trouble(
                    f"invalid option -- '{letter}'" if not word.startswith("--") else f"unrecognized option '{word}'", 2
                )
            given.add(letter)
    return Options(frozenset(given), values, rest)


def number(text: str, noun: str) -> int:
    """A count that is not negative. Raises Trouble."""
    if not (text.isascii() and text.isdigit() and len(text) <= _COUNT_MAX):
        raise Trouble(f"invalid {noun}: '{text}'")
    return int(text)
