"""The command `date`: the world's day in the forms that a shell knows."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date as Day

from environments.simulated.apps.terminal_tree import Ran, Shell, Trouble

_DAY_FORMS = {"Y": "%Y", "m": "%m", "d": "%d", "F": "%Y-%m-%d", "y": "%y", "j": "%j", "D": "%m/%d/%y", "u": "%u"}
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
           "December")  # fmt: skip


def date(shell: Shell, words: Sequence[str], stdin: str | None) -> Ran:
    """The world's day; apps are not told the time of day, so it is left out."""
    day = Day.fromisoformat(shell.today)
    if not words:
        return Ran(shell, f"{_DAYS[day.weekday()][:3]} {_MONTHS[day.month - 1][:3]} {day.day:2} {day.year}\n")
    if len(words) > 1 or not words[0].startswith("+"):
        raise Trouble(f"extra operand '{words[-1]}'; only '+FORMAT' is known here")
    names = {"A": _DAYS[day.weekday()], "a": _DAYS[day.weekday()][:3], "B": _MONTHS[day.month - 1],
             "b": _MONTHS[day.month - 1][:3], "%": "%", "e": f"{day.day:2}"}  # fmt: skip
    first, *rest = _percents(words[0])
    said = [first[1:]]
    for part in rest:
        letter = part[:1]
        if letter not in names and letter not in _DAY_FORMS:
            raise Trouble(f"'%{letter}' is not known here; the day is: %F, %Y, %m, %d, %y, %j, %D, %a, %A, %b, %B, %e and %u")
        said.append((names.get(letter) or day.strftime(_DAY_FORMS[letter])) + part[1:])
    return Ran(shell, "".join(said) + "\n")


def _percents(form: str) -> list[str]:
    """The parts of a format at each sign: `+a%%b%d` is `+a`, `%b`, `d`."""
    parts, at = [""], 0
    while at < len(form):
        if form[at] == "%":
            parts.append(form[at + 1 : at + 2])
            at += 2
        else:
            parts[-1] += form[at]
            at += 1
    return parts
