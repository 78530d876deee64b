"""The moves that a screen and a plan allow, written out for a small model.

The first is what the skills do next, where they understand the subtask. What looks most like the job comes then, what was done
already in this attempt last, or not at all. A question that the job's own deed brought up is answered before all else. Where a
plan says what a subtask is to lead to, the moves follow it: a field that is to hold something and does not comes first, then
what is to be read and stands there under its label; what is right already is left alone; a list is searched before entries are
opened that do not say what is looked for; what commits comes after the fields, and the end after everything has been seen.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from rapidfuzz import fuzz

from environments.cards import vocabulary
from environments.effects.words import Effect, effect_of_words, is_way_out
from protocol import GUIElement, OperatorDecision, describe
from protocol.prompt_form.element_text import CHECKED, acts, kind
from roles.contracts import EffectSeen, Expectation, FactKnown, FieldHas, OperatorView, StepRecord, TextShown
from roles.contracts.orders import CollectStep, CreateStep, ReadStep, names_in
from roles.contracts.wording import plain, slots_in
from roles.knowledge.blackboard import board_in
from roles.policies.llm.decision_parsing import read_decision
from roles.policies.llm.reply_parsing import UnusableReply
from roles.policies.llm.schemas import Schema, object_of_form, verbs_of
from roles.policies.llm.subtask_words import COMMITS, cut, without_values
from roles.screen.dialogs import agree_choice, dismiss_choice, expected
from roles.screen.evidence import WRITES, is_search, names_effect, original
from roles.screen.matching import similarity, tokens
from roles.screen.rows import says
from roles.screen.screens import PRESS_VERBS, Screen
from roles.screen.texts import fold
from roles.screen.values import same_value

WRITTEN_IN = frozenset({"textbox", "searchbox", "spinbutton", "entry", "textarea", "input", "slider"})
CHOSEN_FROM = frozenset({"combobox", "listbox", "select"})
_HARMLESS = frozenset({Effect.OBSERVE, Effect.NAVIGATE, Effect.ACTIVATE})


ALIKE = 0.6
"""Two names that are at least so similar mean the same."""
TICKS = frozenset({"true", "false"})
_NAMED = re.compile(r'"([^"]+)"|“([^”]+)”')
_KIND = re.compile(r'\b(?:submit|send|save|hand in|create|make|new) (?:the|an?) "([^"]+)"', re.IGNORECASE)
"""What is made or handed in is said by its kind, which no screen has to show: the "form"."""


class Job:
    """One subtask on one screen. The Manager's instructions quote every name: of things to find, of values to write, of fields. A
    plan's expectations tell which of them is which; a job without a plan has only its words."""

    def __init__(self, view: OperatorView, missing: Sequence[Expectation]) -> None:
        expect, instruction = view.subtask.expect, view.subtask.instruction
        fields = [e for e in expect if isinstance(e, FieldHas)]
        nouns = {word for noun in vocabulary(view.cards).nouns for word in tokens(noun)}
        quoted = dict.fromkeys(first or second for first, second in _NAMED.findall(instruction))
        kinds = set(_KIND.findall(instruction))
        self.planned = bool(expect or view.subtask.steps)
        self.words = tokens(instruction)
        self.screen = Screen(view.seen)
        self.missing = missing
        self.named = [name for name in quoted if name not in kinds and not nouns.issuperset(tokens(name))]
        """What the job names, but for kinds of things: a "note", the "form"."""
        self.reading = self.planned and all(isinstance(e, FactKnown) for e in expect)
        """Whether it is to read, and nothing else."""
        self.facts = {fact.name: fact.value for fact in view.facts}
        tables = {step.name for step in view.subtask.steps if isinstance(step, CollectStep)}
        self.facts_missing = [e.name for e in missing if isinstance(e, FactKnown) and e.name not in tables]
        """Names under which something that stands on a screen is still to be kept."""
        reads = [step for step in view.subtask.steps if isinstance(step, ReadStep)]
        self.labels = {name: label for one in reads for name, label in zip(one.names, one.labels, strict=False)}
        """Under which label a fact stands, where the steps say it."""
        self.wants = [e for e in missing if isinstance(e, FieldHas)]
        """Fields that are to hold something and do not."""
        self.right = [e.label for e in fields if e not in missing]
        """Names of the fields that hold what the plan expects of them."""
        self.effects = [e.verb for e in expect if isinstance(e, EffectSeen)]
        plain = [word for word in tokens(_NAMED.sub(" ", instruction)) if word not in nouns]  # a "file" is no deed
        spoken = [verb for verb in COMMITS if any(names_effect(word, verb) for word in plain)]
        self.deeds = list(dict.fromkeys([*self.effects, *spoken]))
        """What it commits to: as the plan expects it, and as its words say it."""
        labels = {e.label for e in fields}
        meant = {e.value for e in fields} | labels
        meant |= {word for e in expect if isinstance(e, EffectSeen) for word in (e.target, e.verb)}
        facts = [e.name for e in expect if isinstance(e, FactKnown)] + list(self.facts)
        said = [n for n in self.named if n not in meant and not any(similarity(n, fact) >= ALIKE for fact in facts)]
        self.sought = self._tested(view) if view.subtask.steps else said
        """What of the names can be looked for: not what is to be written, nor what a field or a kind is called."""
        shown = "\n".join(f"{e.name} {e.value or ''}" for e in view.seen.elements).casefold()
        self.there = all(says(shown, name) for name in self.sought)
        """Whether all that is looked for is on this screen."""
        self.done = [_deed(step) for step in view.history]
        tried, searches = {(field, text) for _, field, text in self.done}, [field.name for field in self.screen.searches]
        untried = not tried.intersection((field, name) for field in searches for name in self.sought)
        self.unsought = bool(self.sought and searches) and not self.there and untried
        """Whether what is looked for is not in sight, and a search on this screen was not tried for it."""
        told = "\n".join([shown, *(f"{on} {text}" for _, on, text in self.done)]).casefold()
        unsaid = any(self.facts.get(name, name).casefold() not in told for name in self.named if name not in labels)
        places = [one.place for one in view.subtask.steps if isinstance(one, CreateStep)]
        self.making = places if view.subtask.steps and len(places) == len(view.subtask.steps) else None
        """The places in which something new is to be made, where nothing else is to be done; else None."""
        verbs = {"edit", "select", *(getattr(one, name, "") for one in view.subtask.steps for name in ("commit", "verb"))}
        verbs |= {"create"} if places else set()
        known = [verb for card in view.cards if card.app == view.seen.app for kind in card.kinds for verb in kind.verbs]
        own = names_in(view.subtask.steps)
        others = {verb.control for verb in known if verb.verb not in verbs and verb.control not in own}
        self.other_controls = others if view.subtask.steps else set()
        """Controls of the application for something that the steps do not say."""
        self.outstanding = unsaid or bool(self.wants)
        """Whether something that it names was neither seen nor written, or a field lacks its value: too early to commit."""
        unticked = (e for e in missing if isinstance(e, TextShown) or (isinstance(e, FieldHas) and e.value not in TICKS))
        self.texts_missing = not fields or any(unticked)
        """No, where the plan names fields and every text that it wants has been seen; what is ticked is not written."""

    def _tested(self, view: OperatorView) -> list[str]:
        """What typed steps say of the one record that is still to be read, or else of all that they are about."""
        steps = [one for one in view.subtask.steps if not isinstance(one, CollectStep)]
        reads = [one for one in steps if isinstance(one, ReadStep) and any(name in self.facts_missing for name in one.names)]
        records = [one for step in reads[:1] or steps if (one := getattr(step, "records", None)) is not None]
        tests = [test for one in records for test in one.tests if test.relation in {"is", "has"} and not test.negated]
        found = {test.value: slots_in(test.value) for test in tests}
        return [self.facts.get(slots[0], "") if slots else plain(value) for value, slots in found.items()]

    def names(self, text: str) -> bool:
        """Whether a text says something that is looked for."""
        return any(says(text, name) for name in self.sought)


def _deed(step: StepRecord) -> tuple[str, str, str]:
    """What was done: to what, and with which words."""
    action = step.action
    said = action.get("text") or next(iter(action.get("options") or ()), "")
    target = action.get("target") or {}
    return str(action.get("action_type", "")), str(target.get("text") or target.get("track_id") or ""), str(said)


def fits(field: GUIElement, wanted: FieldHas) -> bool:
    """Whether it is the field that is meant."""
    fillable = kind(field) in WRITTEN_IN | CHOSEN_FROM | CHECKED
    if wanted.value is not None and (kind(field) in CHECKED) != (wanted.value in TICKS):
        return False
    return fillable and not is_search(field) and similarity(wanted.label, field.name) >= ALIKE


class Move(NamedTuple):
    """One thing that can be done."""

    told: str
    """In words."""
    fields: dict[str, Any]
    """As fields of a flat answer."""
    open: str = ""
    """The field that the model writes itself."""
    about: str = ""
    """The words of the screen that it is about: by these it is held against the job."""
    decided: OperatorDecision | None = None
    """What is done for it, where that is not said by the fields."""


class Moves:
    """The moves of one decision, each with words of its own."""

    def __init__(self, moves: Sequence[Move]) -> None:
        self._moves: dict[str, Move] = {}
        for move in moves:
            alike = sum(told == move.told or told.startswith(f"{move.told} (no. ") for told in self._moves)
            self._moves[f"{move.told} (no. {alike + 1})" if alike else move.told] = move

    @property
    def told(self) -> str:
        return "\n".join(f"- {told}" for told in self._moves)

    @property
    def schema(self) -> Schema:
        """The words are spelt out again by the model, letter for letter: a small one is better at that than at numbers."""
        shut = [told for told, move in self._moves.items() if not move.open]
        forms = [_worded(shut)] if shut else []
        forms += [_worded([told], **{move.open: {"type": "string"}}) for told, move in self._moves.items() if move.open]
        return object_of_form("operator_decision", {"do": {"anyOf": forms}}, ("do",))

    def read(self, data: Mapping[str, Any], view: OperatorView) -> OperatorDecision:
        """The decision in an answer of this form, or of any other that is known. Raises UnusableReply or ValidationError."""
        said = data.get("do")
        if not isinstance(said, Mapping):
            return read_decision(data, view)
        move = self._moves.get(str(said.get("move", "")))
        if move is None:
            raise UnusableReply(
                f"there is no move {str(said.get('move', ''))[:60]!r}; give one of the {len(self._moves)} word for word"
            )
        if move.decided is not None:
            return move.decided
        if move.open and not str(said.get(move.open, "")).strip():
            raise UnusableReply(f'the move {move.told[:60]!r} needs "{move.open}", which is yours to write')
        given = {move.open: str(said[move.open])} if move.open else {}
        flat: dict[str, Any] = {"reasoning": move.told, "status": "CONTINUE", **move.fields, **given}
        return read_decision(flat, view)


def _worded(told: Sequence[str], **fields: Schema) -> Schema:
    return object_of_form("", {"move": {"type": "string", "enum": list(told)}, **fields}, ("move", *fields))


_NUMBERS = frozenset({"spinbutton", "slider"})
_SEARCHES = frozenset({"search", "find", "go"})
_LONG = 8
"""Entries of a list that may go on out of sight."""
_NUMBER = re.compile(r"[^A-Za-z]*\d[^A-Za-z]*")
_TRIED = 4
"""So many steps before a small model may give up."""
_MOST, _MOST_FREE, _MOST_KNOWN = 8, 24, 4
"""Moves of one list, with a plan, without, and where skills know the next; those that look least like the job are left out."""
_OFTEN = 2
"""What was done so often in this attempt is offered again only where there is nothing else."""
_SWITCH = 60.0
"""How much a change of application looks like the job, of 100: it is never left out for what has one word of it."""
_COMMITTED = 97.0
"""How much handing in what was filled in looks like the job."""
_INSIDE = 50.0
"""How much an entry of a list looks like the job, while what is looked for is not in sight: it may be inside."""
_ENDED = 89.0
"""Where everything expected has been seen, only what bears a name of the job goes before its end."""
_MOST_KEPT = 4
"""Of them such as keep what stands on the screen: there is always much of that."""
_WORDS = 60
"""Characters of a name or a value in a move."""
_HIDDEN = "(hidden)"
END = "the job is done"
_LAST = ("scroll", "wait", "go_back", "press_key", "fail")
"""Verbs that stand at the end of the list, however their words read."""


_PLAIN: dict[str, tuple[Move, ...]] = {
    "scroll": tuple(Move(f"scroll {way}", {"action": "scroll", "direction": way}) for way in ("down", "up")),
    "wait": (Move("wait two seconds", {"action": "wait", "seconds": 2}),),
    "go_back": (Move("go back to the screen before", {"action": "go_back"}),),
    "press_key": (Move("press a key", {"action": "press_key"}, open="keys"),),
}
"""Moves that need no element. A verb that takes more than one word of a small model is not offered to it."""


def narrow_moves(
    view: OperatorView, ids: Sequence[str], missing: Sequence[Expectation], known: OperatorDecision | None = None
) -> Moves:
    """`ids` are the elements that the prompt shows, `missing` what the subtask is still to lead to, and `known` what the skills
    do next, which is the first move."""
    moves = _MoveOffer(view, ids, missing).moves()
    if known is not None:
        told = describe(known.action) if known.action is not None else END
        others = (move for move in moves if not _is_same(move, known) and move.fields.get("status") != "FAIL")
        moves = [Move(told, {}, decided=known), *others][:_MOST_KNOWN]
    return Moves([move._replace(told=without_values({"told": move.told}, view.facts)["told"]) for move in moves])


def _is_same(move: Move, known: OperatorDecision) -> bool:
    """Whether a move does what the skills do."""
    if known.action is None:
        return move.told == END
    said = known.action.dump()
    at = (said.get("target") or {}).get("element_id")
    wrote = said.get("text") or "".join(said.get("options") or ())
    same = (move.fields["action"], move.fields.get("target")) == (said["action_type"], at)
    return same and str(move.fields.get("text") or move.fields.get("option") or "") == wrote


class _MoveOffer:
    """What can be done on one screen for one subtask."""

    def __init__(self, view: OperatorView, ids: Sequence[str], missing: Sequence[Expectation]) -> None:
        self._view = view
        self._job = Job(view, missing)
        self._screen = self._job.screen
        known = [view.seen.by_id[name] for name in ids if name in view.seen.by_id]
        near = {e.element_id for e in self._screen.elements}  # an open dialog takes all input
        self._elements = [e for e in known if e.enabled and (not view.seen.modal or e.element_id in near)]
        self._entries = {item.press.element_id for item in self._screen.items}
        self._agreeing = self._agreement()
        lacking = [e for e in self._job.wants if not self._holds(e)]
        pairs = [(field, e) for e in lacking for field in self._elements if fits(field, e)]
        self._due = [(field, e) for field, e in pairs if e is max((w for f, w in pairs if f is field), key=_like(field))]
        """Each field with what it is to hold and does not."""

    def moves(self) -> list[Move]:
        verbs = verbs_of(self._view)
        found = [move for verb in verbs for move in self._next(verb)] if self._due else []
        if not found and self._agreeing is not None and "click" in verbs:
            found = [self._press(self._agreeing, ())]
        if not found and self._job.planned and "memorize" in verbs:
            found = [move for move in self._kept() if self._labelled(move)]
        found = found or [move for verb in verbs for move in self._any(verb)]
        if not self._job.missing and not self._due and not self._view.seen.modal:
            found.append(Move(END, {"action": "none", "status": "FINISH"}))
        found = sorted(found, key=self._far)
        found = [move for move in found if move.fields["action"] in _LAST or self._times(move) < _OFTEN] or found
        found = found[: _MOST if self._job.planned else _MOST_FREE]
        if not found or sum(not step.recovery for step in self._view.history) >= _TRIED:
            found.append(Move("give up: it cannot be done", {"action": "none", "status": "FAIL"}))
        return found

    # --- fields that come first ---------------------------------------------------------------------------------

    def _next(self, verb: str) -> Iterator[Move]:
        """What brings a field that stands on the screen to what the plan wants of it."""
        for field, wanted in self._due:
            if field.element_id in self._idle(verb) or (verb == "type" and "fill" in self._view.verbs):
                continue
            match verb, kind(field):
                case (("fill" | "type"), role) if role in WRITTEN_IN and wanted.fact:
                    yield _written(verb, field, f"fact:{wanted.fact}", f'the fact "{wanted.fact}"')
                case (("fill" | "type"), role) if role in WRITTEN_IN and wanted.beside and verb == "fill":
                    held = original(field, self._view.history, (self._view.seen, *self._view.earlier)).rstrip()
                    told = f'add {_quoted(wanted.value)} below what "{field.name}" holds'
                    yield Move(told, _target("fill", field) | {"text": "\n".join(filter(None, [held, wanted.value]))})
                case (("fill" | "type"), role) if role in WRITTEN_IN:
                    yield _written(verb, field, wanted.value or "")
                case "select_option", role if role in CHOSEN_FROM:
                    yield from self._choices([field])
                case "click", role if role in CHECKED:
                    yield self._press(field, ())
                case _:
                    pass

    # --- what is not done, or not yet ---------------------------------------------------------------------------

    def _holds(self, wanted: FieldHas) -> bool:
        """Whether a field on the screen holds it already."""
        value = self._job.facts.get(wanted.fact, "") if wanted.fact else wanted.value or ""
        return any(fits(field, wanted) and same_value(field.value or "", value) for field in self._elements)

    def _commits(self, element: GUIElement) -> bool:
        """Whether it hands in what stands in the fields of this screen, which is done before the screen is left."""
        wrote = {on for verb, on, _ in self._job.done if verb in WRITES}
        filled = any(field.name in wrote for field in self._screen.inputs if field.value)
        return self._job.planned and filled and any(names_effect(element.name, verb) for verb in self._job.deeds)

    def _agreement(self) -> GUIElement | None:
        """In a dialog that the job's own deed brought up: the button that goes on with it. It often has the words of the one
        that was pressed before, so it looks as if it had been done; and what the job speaks of need not be named again."""
        dialog = self._screen.dialog
        pressed = next((s for s in reversed(self._view.history) if s.action.get("action_type") in PRESS_VERBS), None)
        if dialog is None or pressed is None or not self._job.planned:
            return None
        inside = self._screen.elements
        yes = [e for e in inside if e.role == "button" and effect_of_words(e.name) is Effect.CONFIRM]
        for verb in (verb for verb in self._job.deeds if names_effect(pressed.target, verb)):
            agreed = agree_choice(verb, self._screen)
            if agreed is dismiss_choice(dialog, inside):  # "Cancel" beside "Yes" does not cancel an order
                agreed = yes[0] if yes and expected(dialog, inside, verb) else None
            if agreed is not None:
                return agreed
        return None

    def _idle(self, verb: str) -> frozenset[str]:
        """The elements of this very screen to which it was done already for nothing, and the field just written in."""
        here = self._view.seen.state_id
        same = [s for s in self._view.history if s.action.get("action_type") == verb and s.after == here]
        again = [s for s in same if s.before == here or (s is self._view.history[-1] and verb != "click")]
        targets = (s.action.get("target") or {} for s in again)
        return frozenset(str(target["element_id"]) for target in targets if target.get("element_id"))

    def _in_vain(self, fields: Mapping[str, Any]) -> bool:
        """Whether this very screen was scrolled that way, or gone back from, and stayed as it is."""
        here = self._view.seen.state_id
        same = [s.action for s in self._view.history if s.before == s.after == here]
        if fields["action"] == "scroll":
            down = [a["delta"].get("y", 0) > 0 for a in same if a.get("action_type") == "scroll" and a.get("delta")]
            return (fields["direction"] == "down") in down
        return fields["action"] == "go_back" and any(a.get("action_type") == "go_back" for a in same)

    def _left_alone(self, element: GUIElement) -> bool:
        """A field that is right already."""
        field = kind(element) in WRITTEN_IN | CHOSEN_FROM | CHECKED
        named = any(similarity(label, element.name) >= ALIKE for label in self._job.right)
        return field and (named or any(fits(element, w) and self._holds(w) for w in self._job.wants))

    def _too_early(self, element: GUIElement) -> bool:
        """Whether it commits too early, or to what nobody named, or does anything at all where one only reads."""
        if not self._job.planned or kind(element) in CHECKED or element is self._agreeing or is_way_out(element.name):
            return False
        if element.name in self._job.other_controls:
            return True
        does = {verb for verb in COMMITS if names_effect(element.name, verb)}
        if does and not does.intersection(self._job.effects):
            return not does.intersection(self._job.deeds)
        if self._job.reading and kind(element) == "button" and effect_of_words(element.name) not in {None, *_HARMLESS}:
            return True
        return self._job.outstanding and any(names_effect(element.name, verb) for verb in self._job.effects)

    # --- everything else ----------------------------------------------------------------------------------------

    def _any(self, verb: str) -> Iterator[Move]:
        idle = self._idle(verb)
        free = [e for e in self._elements if e.element_id not in idle]
        match verb:
            case "click":
                offered = [e for e in self._pressed(free) if not self._too_early(e) and not self._left_alone(e)]
                yield from (self._press(e, offered) for e in offered)
            case "fill" | "type":
                yield from self._writing(verb, [e for e in free if kind(e) in WRITTEN_IN and not self._left_alone(e)])
            case "select_option":
                lists = [e for e in free if kind(e) in CHOSEN_FROM or e.choices]
                yield from self._choices([e for e in lists if not self._left_alone(e)])
            case "memorize":
                yield from self._kept()
            case "launch_app" | "switch_window":
                own = self._view.app
                apps = [a.app for a in self._view.apps if a.app != self._view.seen.app and own in {None, a.app}]
                yield from (Move(f"go to the application {app}", {"action": verb, "app": app}) for app in apps)
            case "hover":
                yield from (Move(f"point at {_called(e)}", _target(verb, e), about=e.name) for e in self._pressed(free))
            case "scroll" if self._job.planned and (len(self._screen.items) < _LONG or self._job.unsought):
                pass
            case _:
                yield from (move for move in _PLAIN.get(verb, ()) if not self._in_vain(move.fields))

    def _writing(self, verb: str, fields: Sequence[GUIElement]) -> Iterator[Move]:
        """A plan names every value: then one of these is written, and nothing else. A job without a plan takes any text."""
        free = not self._job.planned or not self._job.named
        if not self._job.texts_missing or (verb == "type" and "fill" in self._view.verbs and not free):
            return
        held = {field.value for field in self._screen.inputs if field.value}
        texts = [name for name in self._job.named if name not in self._job.facts and name not in held]
        for field in fields:
            named = texts if kind(field) not in _NUMBERS else filter(_NUMBER.fullmatch, texts)
            if free:
                search = is_search(field)
                done = "search with" if search else "write into" if verb == "fill" else "write at the end of"
                more = {"submit": True} if search else {}
                yield Move(f"{done} {_called(field)}: a text of yours", _target(verb, field) | more, "text", field.name)
            elif is_search(field):
                yield from (_written(verb, field, text) for text in self._job.sought)
            elif not self._job.reading:
                yield from (_written(verb, field, text) for text in named)
                for fact in (fact for fact in board_in(self._view).facts if fact.value not in held):
                    yield _written(verb, field, f"fact:{fact.name}", f'the fact "{cut(fact.name, _WORDS)}"')

    def _kept(self) -> Iterator[Move]:
        """What stands on the screen, kept under the name that the plan has for it. Nothing is copied by the model."""
        names = self._job.facts_missing
        if self._job.planned and not names:
            return
        if names and not self._job.there:
            return  # what it is to be read of is not on this screen
        rows = [i for i in self._screen.items if not self._job.sought or self._job.names(i.text)]
        others = {e.element_id for i in self._screen.items if i not in rows for e in self._screen.within(i.element)}
        pairs = {pair.element.element_id: pair for pair in (*(cell for i in rows for cell in i.cells), *self._screen.pairs)}
        labels = {pair.label for pair in pairs.values()}
        found: list[Move] = []
        for element in (e for e in self._elements if e.element_id not in others):
            pair = pairs.get(element.element_id)
            value = pair.value if pair else element.value or element.name
            label = pair.label if pair else element.name if element.value else ""
            if not value or (acts(element) and not element.value) or (not pair and value in labels):
                continue
            said = f"keep {_HIDDEN if element.private else _quoted(value)}" + (f', the "{cut(label, _WORDS)}",' if label else "")
            fields = _target("memorize", element) | {"value": value}
            found += [Move(f'{said} as "{cut(name, _WORDS)}"', fields | {"name": name}, about=label or value) for name in names]
            if not names:
                found.append(Move(f"{said} under a name of yours", fields, "name", label or value))
        labelled = [move for move in found if self._labelled(move)]
        if not labelled and any(self._job.names(item.text) for item in self._screen.items):
            return  # it is to be opened first
        yield from sorted(labelled or found, key=self._far)[:_MOST_KEPT]

    def _labelled(self, move: Move) -> bool:
        """Whether it keeps what stands under the label that the plan says, or that its name for it fits."""
        labels = self._job.labels
        return any(similarity(labels.get(name, name), move.about) >= ALIKE for name in self._job.facts_missing)

    def _choices(self, lists: Sequence[GUIElement]) -> Iterator[Move]:
        for element in lists:
            fields = {"action": "select_option", "target": element.element_id}
            if not element.choices:
                yield Move(f"choose in {_called(element)}: an entry that you name", fields, open="option")
            for choice in element.choices:
                if choice != element.value:
                    yield Move(f"choose {_quoted(choice)} in {_called(element)}", fields | {"option": choice})

    def _far(self, move: Move) -> tuple[int, float]:
        """How little a move looks like the job: the order of the list."""
        target = self._target(move)
        done = self._times(move)
        if done or move.fields["action"] in _LAST:
            return 1 + done, 0.0
        if move.fields["action"] == "launch_app":
            return 0, -_SWITCH
        if move.fields["action"] == "none":
            return (0, -_ENDED) if self._job.planned else (_OFTEN, 1.0)
        about = (move.about or move.told).casefold()
        names = [n.casefold() for n in (*self._job.named, *self._job.facts_missing)]
        near = max((fuzz.token_sort_ratio(name, about) for name in names), default=0.0)
        held = any(len(name) > 3 and name in about for name in names)
        shared = fuzz.token_set_ratio(" ".join(self._job.words), " ".join(tokens(about)))
        commits = target is not None and move.fields["action"] == "click" and self._commits(target)
        inside = target is not None and target.element_id in self._entries and not self._job.there
        scores = (_COMMITTED if commits else 0, 90 if held else 0, _INSIDE if inside else 0, 0.7 * shared)
        return 0, -max(near, *scores)

    def _target(self, move: Move) -> GUIElement | None:
        return self._view.seen.by_id.get(str(move.fields.get("target", "")))

    def _times(self, move: Move) -> int:
        """How often it was done in this attempt."""
        target, said = self._target(move), str(move.fields.get("text") or move.fields.get("option") or "")
        on = (target.name or target.track_id or "") if target else ""  # a row has no name of its own
        return self._job.done.count((move.fields["action"], on, said))

    def _pressed(self, free: Sequence[GUIElement]) -> list[GUIElement]:
        """What is there to be clicked: controls, and rows and cells in which no control stands."""
        other = WRITTEN_IN | (CHOSEN_FROM if "select_option" in self._view.verbs else frozenset())
        searches = bool(self._screen.searches) and "fill" in self._view.verbs  # with Enter, so their button is not needed
        controls = [e for e in free if acts(e) and kind(e) not in other and not (searches and fold(e.name) in _SEARCHES)]
        items = self._entries
        if self._job.planned:  # a list is searched before entries are opened that do not say what is looked for
            named = {item.press.element_id for item in self._screen.items if self._job.names(item.text)}
            if self._job.making is not None:  # what is there already is not changed
                named = {i.press.element_id for i in self._screen.items for one in self._job.making if one and says(i.text, one)}
            others = items - named if named or self._job.unsought or self._job.making is not None else set()
            free, controls = [e for e in free if e.element_id not in others], [e for e in controls if e.element_id not in others]
        return [*controls, *(e for e in free if not acts(e) and (e.element_id in items or kind(e) == "gridcell"))]

    def _press(self, element: GUIElement, others: Sequence[GUIElement]) -> Move:
        role = kind(element)
        if role in CHECKED and element.value in TICKS:
            said = "untick" if element.value == "true" else "tick"
        else:
            said = "open" if role == "link" or not acts(element) else "press"
        twins = sum(e.name == element.name for e in others) > 1
        row = next((i for i in self._screen.items if i.press is element), None)
        if row is None and twins:  # of several controls of one name, the row tells which it is
            row = next((i for i in self._screen.items if element in self._screen.within(i.element)), None)
        if row is None or row.text == element.name:
            return Move(f"{said} {_called(element)}", _target("click", element), about=element.name)
        what = f"{said} {_called(element)} of {_quoted(row.text)}" if acts(element) else f"{said} {role} {_quoted(row.text)}"
        return Move(what, _target("click", element), about=f"{element.name} {row.text}")


def _like(field: GUIElement) -> Callable[[FieldHas], float]:
    return lambda wanted: similarity(wanted.label, field.name)


def _target(verb: str, element: GUIElement) -> dict[str, Any]:
    return {"action": verb, "target": element.element_id}


def _written(verb: str, field: GUIElement, text: str, said: str = "") -> Move:
    """A search is sent off with Enter: it is one move for a person, too."""
    if is_search(field):
        said = f"search for {said or _quoted(text)} with {_called(field)}"
        return Move(said, _target(verb, field) | {"text": text, "submit": True}, about=text)
    held = f", which holds {_HIDDEN if field.private else _quoted(field.value)}" if field.value else ""
    return Move(
        f"write {said or _quoted(text)} into {_called(field)}{held}", _target(verb, field) | {"text": text}, about=field.name
    )


def _called(element: GUIElement) -> str:
    return f"{kind(element)} {_quoted(element.name)}"


def _quoted(text: str | None) -> str:
    return f'"{cut(text or "", _WORDS)}"'
