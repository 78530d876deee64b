"""What a page answers to a press: by what it holds afterwards, and by words only where that does not tell.

A form that is gone or emptied, a record that came, went or is another, a box that is ticked: these show that something was done.
What stays as it was and says something was asked for more, unless the words confirm it (configs/lexicon/answers.yaml).
"""

import re
from collections import Counter
from collections.abc import Sequence
from functools import cache
from string import digits

from protocol import GUIElement, VisualState
from roles.contracts import StepRecord
from roles.screen.language.words import deeds, phrases, table
from roles.screen.page import LISTS, Page, Scopes, records
from roles.screen.screens import FIELD_ROLES, PRESS_ROLES, PRESS_VERBS
from roles.screen.texts import begins, fold, has_letters, has_phrase, plain, words

PAGE_SAYS_NO = "the page says after the last press"
"""How a finding begins that tells such words."""
_TELLS = frozenset({"alert", "status", "heading", "dialog", "alertdialog", "log", "tooltip"})
_TEXTS = frozenset({"text", "paragraph", "label"})
_RECORDS = frozenset({"row", "cell", "gridcell", "listitem", "rowheader", "heading", "treeitem", "article"})
_ENTERED = frozenset({"textbox", "combobox"})
_LONGEST = 240
"""A longer text tells a story, and says little about the last press."""
_FIGURES = str.maketrans("", "", digits)
_SHORT = 80
_FEW = 3
"""New texts; more of them are what was asked for, and no answer to it."""
_LABEL = 30
_LEAST = 3
"""A shorter option is a word like others."""


# --- words ------------------------------------------------------------------------------------------------------------


@cache
def _words_of(*names: str) -> re.Pattern[str]:
    """Words of the lexicon, by their beginnings; those of other scripts and marks anywhere, short ones as a whole."""
    every = [str(word) for name in names for word in table("answers")[name]]
    whole = {word: r"\b" * (len(word) < 4) for word in every if word[0].islower()}
    parts = [rf"\b{re.escape(word)}{whole[word]}" if word in whole else re.escape(word) for word in every]
    return re.compile("|".join(parts).replace("n't", "n[’']t"), re.IGNORECASE)


@cache
def _past() -> frozenset[str]:
    """What is said of a thing once something was done to it: saved, sent, booked."""
    verbs = {str(word) for words in deeds()["controls"].values() for word in words} | {*deeds()["controls"]}
    regular = {f"{verb.removesuffix('e')}ed" for verb in verbs} | {f"{verb[:-1]}ied" for verb in verbs if verb.endswith("y")}
    return frozenset({*regular, *(word for words in deeds()["past"].values() for word in words)})


def _tells_done(said: str, pressed: str) -> bool:
    """By a deed in its past, or in words such as thanks; none that is still to come: `To complete your order, ...`."""
    said = _pending().sub(" ", said.casefold())
    own = tuple(word[: max(4, len(word) - 1)] for word in words(pressed.casefold()) if len(word) > 2)
    done = any(word in _past() or (word.endswith("ed") and word.startswith(own)) for word in words(said))
    return done or _words_of("confirms").search(said) is not None


@cache
def _pending() -> re.Pattern[str]:
    """A word with one behind which it is still to come."""
    return re.compile(rf"\b(?:{'|'.join(table('answers')['pending'])})\s+\w+")


def confirms(said: str, written: Sequence[str] = (), pressed: str = "") -> bool:
    """Whether they say that something was done: by a deed in its past, by a result (`Total: 12`, `3 found`) or by what was
    written."""
    echoed = any(fold(value) in fold(said) for value in written) and phrases("stands").isdisjoint(words(said.casefold()))
    label, _, value = said.replace("=", ":").partition(":")
    result = said[:1].isdigit() or (0 < len(label) <= _LABEL and any(map(str.isdigit, "".join(value.split()[:1]))))
    return _tells_done(said, pressed) or echoed or result


def denies(words: str, goal: str, *lists: str) -> bool:
    """Whether they say no, but by what the goal asks for itself: `Declined`, where it was to be declined."""
    hits = (hit.group().casefold() for hit in _words_of(*lists).finditer(words))
    return any(len(hit) < 5 or hit[:5] not in goal.casefold() for hit in hits)


# --- messages ---------------------------------------------------------------------------------------------------------

_MEANINGS: tuple[tuple[frozenset[str], bool], ...] = (
    (frozenset({"alert", "objects"}), True),
    (frozenset({"alert", "form stays", "unconfirmed"}), True),
    (frozenset({"beside", "written", "objects"}), True),
    (frozenset({"beside", "written", "unconfirmed"}), True),
    (frozenset({"beside", "no status", "objects"}), True),
    (frozenset({"addressed", "denies"}), True),
    (frozenset({"beside", "written", "confirmed"}), False),
)
"""What is seen of a new text, and whether the page says by it that it did not do it; the first line of which all is seen."""


def refusal(before: VisualState | None, after: VisualState, goal: str = "", pressed: str = "") -> str:
    """The words by which the page says that it did not do it; empty where it says nothing of the kind.

    Beside a form that still holds what the `goal` says, what does not confirm it is taken for a no: whoever did what was asked
    for empties or closes the form, or says so.
    """
    if before is None:
        return ""
    fresh, gone = _messages(before, after)
    asked = f"{goal} {pressed}"  # "Declined" is no refusal of the press of Decline
    written = [e.value for e in before.elements if e.role in _ENTERED and e.value and fold(e.value) in fold(goal)]
    few, entered = len(fresh) <= _FEW and gone <= 1, {fold(e.value) for e in before.elements if e.value}
    kept, stays = is_as_before(before, after), _form(before) == _form(after) != ([], [])
    for element in fresh:
        text, role = " ".join(element.name.split()), element.role
        if _words_of("waits").search(text) or fold(text) in entered:
            continue
        said, confirmed = fold(text), confirms(text, written, pressed)
        for value in sorted(map(fold, written), key=len, reverse=True):
            said = said.replace(value, " ")
        titled = role == "heading" and (not written or begins(text, phrases("forms")))
        short = few and len(text) <= _SHORT
        seen = {
            role: True,
            "no status": role != "status",
            "form stays": stays,
            "written": bool(written),
            "beside": kept and short and not titled,
            "addressed": role in _TELLS or (short and role in _TEXTS and not confirmed),
            "denies": denies(said, asked, "denies"),
            "objects": denies(said, asked, "denies", "objects") or (text.endswith("?") and bool(written)),
            "confirmed": confirmed,
            "unconfirmed": not confirmed,
        }
        there = {name for name, holds in seen.items() if holds}
        refuses = next((meaning for signs, meaning in _MEANINGS if signs <= there), None)
        if refuses is not None:
            return text if refuses else ""
    return ""


def accepts(before: VisualState, after: VisualState, goal: str, pressed: str) -> bool:
    """Whether a page newly says that it did what was pressed, and nothing against it."""
    told = any(_tells_done(e.name, pressed) for e in _messages(before, after)[0])
    return told and not refusal(before, after, goal, pressed)


def tells_another(before: VisualState, after: VisualState, pressed: str) -> str:
    """The words by which a page newly says that something was done with another option of a list than the one that was chosen."""
    fresh = [e.name for e in _messages(before, after)[0] if len(e.name) <= _SHORT and _tells_done(e.name, pressed)]
    for one in (e for e in before.elements if e.role in LISTS and e.value and len(fresh) <= _FEW):
        for text in fresh:
            told = [plain(option) for option in one.options if len(option) > _LEAST and has_phrase(plain(text), plain(option))]
            named = [option for option in told if not any(option != other and has_phrase(other, option) for other in told)]
            if named and plain(one.value or "") not in named:
                return text
    return ""


def _messages(before: VisualState, after: VisualState) -> tuple[list[GUIElement], int]:
    """Texts that are new, whatever the numbers in them, and how many are gone."""
    told = _TELLS | _TEXTS | _RECORDS
    one, other = (
        [e for e in state.elements if e.role in told and len(e.name) <= _LONGEST and has_letters(e.name)]
        for state in (before, after)
    )
    known, fresh = Counter(map(_shape, one)), dict[str, GUIElement]()
    for element in other:
        known[_shape(element)] -= 1
        if known[_shape(element)] < 0:
            fresh.setdefault(element.name, element)
    return list(fresh.values()), sum(n for n in known.values() if n > 0)


def _shape(element: GUIElement) -> str:
    """Its words, whatever the numbers in them: `Page 2 of 3`."""
    return fold(element.name.translate(_FIGURES))


def _form(state: VisualState) -> tuple[list[str], list[str]]:
    fields = sorted(e.name for e in state.elements if e.role in FIELD_ROLES)
    return fields, sorted(e.name for e in state.elements if e.role == "button") if fields else []


def is_as_before(before: VisualState, after: VisualState) -> bool:
    """Whether all fields hold what they held, and nothing else is offered but one control at most."""
    texts, other = ([(e.name, e.value or "") for e in state.elements if e.role == "textbox"] for state in (before, after))
    ones, others = (Counter((e.role, e.name) for e in s.elements if e.role in FIELD_ROLES | PRESS_ROLES) for s in (before, after))
    here = before.app == after.app and before.modal == after.modal
    return here and texts == other and not ones - others and (others - ones).total() <= 1


# --- what it holds ----------------------------------------------------------------------------------------------------

Held = Counter[tuple[str, ...]]


def holding(state: VisualState) -> Held:
    """What a page holds, whatever it says: its fields, controls and records with their states, and its other texts."""
    kept = (e for e in state.elements if e.role not in {"alert", "status", "tooltip", "log", "progressbar"})
    return Counter(_said([*kept]))


def differences(before: VisualState, after: VisualState) -> tuple[Held, Held]:
    """What came and what went; a text that is new and takes no other's place is a message, and nothing that is held."""
    came, went = holding(after) - holding(before), holding(before) - holding(after)
    if not any(role in _TEXTS for role, *_ in went):
        came = Counter({one: n for one, n in came.items() if one[0] not in _TEXTS})
    return came, went


def is_taken_back(seen: Sequence[VisualState], later: Sequence[tuple[VisualState, VisualState]]) -> bool:
    """Whether a page undid by itself what came of a step: `seen` before and after it, `later` what it did while nobody did
    anything."""
    before, after = seen
    pressed = [(s, [e.name for e in s.elements if e.role in PRESS_ROLES]) for s in (after, *(one[1] for one in later))]
    settled = next((s for s, names in pressed if not any(name.endswith(("…", "...")) for name in names)), after)
    came, went = differences(before, settled)
    if not came and not went:
        return False
    back, gone = Counter[tuple[str, ...]](), Counter[tuple[str, ...]]()
    for one, other in later:
        back.update(holding(other) - holding(one))
        gone.update(holding(one) - holding(other))
    return not (went - back) and not (came - gone)


# --- records ----------------------------------------------------------------------------------------------------------


def unshown(target: GUIElement, before: VisualState, now: VisualState) -> str:
    """Why a press that was for one of several records is not shown to have done anything to it; empty where it is: the record is
    another now, something else that the page holds is, or a message names it that nothing contradicts."""
    parts = _parts(target, before) if target.role in PRESS_ROLES else []  # a field is only gone to
    mine = next((part for part in parts if target in part), None)
    if mine is None or len(parts) < 2 or before.app != now.app:
        return ""
    again = [e for e in now.elements if e.role == target.role and e.name == target.name]
    was, there = [_said(part) for part in parts], [_said(part) for part in (_parts(again[0], now) if again else [])]
    if there.count(_said(mine)) < was.count(_said(mine)):
        return ""
    if Counter(was) - Counter(there):
        return "another record is changed, and it stands there as it was"
    if any(differences(before, now)):
        return ""
    words = fold(" ".join(e.name for e in _messages(before, now)[0]))
    common = [text for part in parts if part is not mine for text in _texts(part)]
    if not words or not any(fold(text) in words for text in _texts(mine) if text not in common):
        return "the record stands there as it was, and nothing that the page says names it"
    shows = {fold(e.name) for e in before.elements if e.role == "columnheader"} & {
        str(word) for word in table("answers")["states"]
    }
    if shows or any(text in common for text in _texts(mine)):  # how records stand is seen, and this one is as before
        return "only a message says that it was done: the record itself stands there as it was"
    return ""


def _texts(part: Sequence[GUIElement]) -> list[str]:
    """What is said of a record, without numbers and without what can be pressed."""
    return [e.name for e in part if e.role in _TEXTS | _RECORDS - {"row", "listitem"} and has_letters(e.name)]


def _parts(target: GUIElement, state: VisualState) -> list[list[GUIElement]]:
    """The records of a page that have such a control: its rows, else what stands between two of them."""
    alike = [e for e in state.elements if e.role == target.role and e.name == target.name]
    scopes, rows = Scopes(state.elements), {e.element_id: e for e in state.elements if e.role in _RECORDS - {"heading", "cell"}}
    held = [[e, *scopes.inside(e)] for e in rows.values()]
    mine = [min((part for part in held if one in part), key=len, default=[]) for one in alike]
    if all(mine):
        return mine
    return [[*record.parts, record.press] for record in records(Page(state, ""), alike)]


def is_for_another(control: str, name: str, state: VisualState) -> bool:
    """Whether what was pressed is called by another thing, beside the same control for this one: `Remove A`, `Remove B`."""
    first = fold(control).split()[:1]
    alike = [e.name for e in state.elements if e.role in PRESS_ROLES and first and fold(e.name).split()[:1] == first]
    own = [one for one in alike if fold(name) in fold(one)]
    return bool(own) and fold(name) not in fold(control)


def _said(part: Sequence[GUIElement]) -> tuple[tuple[str, ...], ...]:
    return tuple((e.role or "", e.name, e.value or "", str(bool(e.selected))) for e in part if e.name or e.value)


# --- questions --------------------------------------------------------------------------------------------------------

PAGE_ASKED = "the page asked"
"""How a finding begins that tells such a question."""


def called_off(step: StepRecord, steps: Sequence[StepRecord]) -> str:
    """That the page asked before it did what the step was for, and was not told yes; empty where nothing was called off."""
    for answer in (s for s in steps if s.step > step.step and s.action.get("action_type") in PRESS_VERBS):
        asked = next((event.partition(" ")[2] for event in step.events if event.startswith("popup:")), "")
        if not asked or answer.exec_status != "executed":
            return ""
        said = answer.target.strip() or "+".join(map(str, answer.action.get("keys", [])))
        if said == "Escape" or plain(said) in phrases("no to it") or begins(said, ("keep",)):
            return f'{PAGE_ASKED} "{asked}", and the answer was "{said}"'
        step = answer  # it was told yes, and may ask on
    return ""
