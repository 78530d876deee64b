"""Get to an application, a place in it, a list of records, and the one record that is meant: told apart from all others."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from environments.effects.words import effect_of_words
from protocol import ActionTarget, SelectOption
from roles.contracts.orders import FindStep, OpenStep, Records, RowTest, StepFailure
from roles.policies.orders.skills import lists  # fmt: skip
from roles.policies.orders.skills.revealing import HARMLESS, revealed
from roles.policies.orders.skills.situation import Move, Needed, Situation, act, done, fail, first, press
from roles.screen.language.words import phrases
from roles.screen.rows import Row, best_fitting, excepted, is_called, is_cut, matches, picked, words_of
from roles.screen.screens import Item, leads_back
from roles.screen.texts import fold

_PLACES = frozenset({"tab", "link", "treeitem", "menuitem", "option", "radio"})
_SHORT = 8
"""Rows below which a list without pages is not scrolled to see whether it goes on."""
_MOST_PAGES, _MOST_ROWS, _MOST_OPENED, _MOST_PLACES = 60, 3000, 40, 25


# --- applications and places ------------------------------------------------------------------------------------------


def open_place(step: OpenStep, at: Situation) -> Move:
    """Skill: an application and a place in it."""
    go_to(step.app, step.place, at)
    return done(f"{step.place or at.title(step.app)} is on the screen")


def go_to(app: str, place: str, at: Situation) -> None:
    """Gets to a place of an application. Raises Needed until it is at the front."""
    first(at.to_app(app))
    if not place or _is_at(place, at):
        return None
    outer = next((kind.within for kind in at.kinds(app) if kind.within), "")
    if outer and not any(_same_place(place, own) for kind in at.kinds(app) for own in (kind.place, *kind.places)):
        key = next(iter(at.keys(app, outer)), "")  # the record on whose page they stand: the conversation of a message
        within = Records(app=app, kind=outer, tests=(RowTest(label=key, value=place),))
        return find_record(within, at.apart("within"))
    tries, pressed = at.count(f"to {place}"), at.notes.setdefault("pressed places", [])
    changed = next((record for record in reversed(at.history) if record.visible_change), None)
    led_here = changed is not None and _same_place(str((changed.action.get("target") or {}).get("text") or ""), place)
    if place in pressed and ((at.last is not None and at.last.visible_change) or led_here):
        return None  # it shows nothing by which it could be known
    way = _leading_to(place, at) if tries < 8 else None
    if way is not None and way.action is not None and way.action.verb != "scroll":
        pressed.append(place)
    if tries < 8:
        first(way or step_back(at) or revealed(place, at, "section"))
    there = ", ".join(dict.fromkeys(e.name for e in at.screen.presses if e.role in _PLACES)) or "none"
    none = f'{at.title(app)} has no place "{place}"; places there are: {there}'
    raise Needed(fail(none, f"where to find {place} in {at.title(app)}"))


def _same_place(name: str, place: str) -> bool:
    """Also the last part of a path, `/Documents/Projects`."""
    return fold(name) == fold(place) or fold(name).rstrip("/").endswith("/" + fold(place).strip("/"))


def _is_at(place: str, at: Situation) -> bool:
    spots = [*at.screen.presses, *(e for e in at.screen.rows if e.role == "treeitem"), *at.screen.fields]
    selected = (e for e in spots if (e.selected and e.role in _PLACES) or e.role == "combobox")
    if any(_same_place(e.value or "" if e.role == "combobox" else e.name, place) for e in selected):
        return True
    heads = [e.name for e in at.screen.elements if e.role == "heading"]
    return any(_same_place(part, place) for head in heads for part in (head, *head.replace(" /", ": /").split(": ")[1:]))


def _leading_to(place: str, at: Situation) -> Move | None:
    """A tab, link or folder of this name, a choice of a list, a row of the list, else a button that only leads there."""
    links = [e for e in at.screen.elements if e.role in _PLACES and e.enabled]
    chosen = next(
        (e for e in links if _same_place(e.name, place) or _same_place(at.view.seen.by_id[e.element_id].name, place)), None
    )
    if chosen is not None:
        return press(chosen, f'"{chosen.name}" is the place', at=at)
    for box in at.screen.fields:
        option = next((o for o in box.options if fold(o) == fold(place)), None) if box.role == "combobox" else None
        if option is not None:
            return act(SelectOption(target=ActionTarget.of(box), options=(option,)), f'to see "{option}"', f'"{option}" shown')
    row = next((i for i in at.screen.items if place and fold(place) in {fold(i.text.split(" · ")[0]), fold(i.press.name)}), None)
    if row is not None:
        double = row.press is row.element and at.count(f"selected {place}")
        return press(row.press, f'"{place}" is in the list', count=2 if double else 1, at=at)
    buttons = [e for e in at.screen.presses if e.role == "button" and e.enabled and effect_of_words(e.name) in HARMLESS]
    button = next((e for e in buttons if fold(e.name) == fold(place)), None)
    return press(button, f'"{button.name}" leads there', at=at) if button is not None else None


def step_back(at: Situation) -> Move | None:
    """From a record or a form back to where one came from."""
    ways = (e for e in at.screen.presses if e.enabled)  # a tab that is called so and is chosen already leads nowhere
    back = next((e for e in ways if fold(e.name) in phrases("closes") or (leads_back(e.name) and not e.selected)), None)
    return press(back, "the list is there", at=at) if back is not None and at.count("backs") < 3 * _MOST_OPENED else None


# --- lists ------------------------------------------------------------------------------------------------------------


def to_list(records: Records, place: str, at: Situation) -> None:
    """Gets to the list of such records, be it empty. Raises Needed until it is on the screen."""
    kind = at.kind(records.app, records.kind)
    rows = [{fold(name) for name, _ in one.row.cells} for one in lists.listed(records, at)]
    heads = {fold(f.label) for f in kind.fields if f.listed} if kind is not None and not {*kind.places} - {place} else set()
    if heads and rows and place in at.notes.get("pressed places", ()) and all(heads <= names for names in rows):
        return  # nothing else of the application is such a list, and to press it again leads nowhere
    try:
        go_to(records.app, place, at)
    except Needed as needed:
        if needed.move.kind != "fail" or records.place or not lists.listed(records, at):
            raise  # where nobody named a place, a list on the screen will do
    if not (lists.listed(records, at) or lists.is_empty(at)):
        none = f'{at.title(records.app)} shows no list of "{records.kind}"{f" in {place}" if place else ""}'
        first(step_back(at) or fail(none))


# --- looking through a list -------------------------------------------------------------------------------------------


def survey(records: Records, at: Situation, labels: Sequence[str] = ()) -> list[Row]:
    """The records that are meant, over all pages; those of which the list does not tell enough are opened one by one.

    `labels` are what is to be learned of each. Raises Needed until all were seen, and StepFailure where there are fewer or more
    than were asked for.
    """
    state: lists.Survey = at.notes.setdefault("survey", {**_fresh(0, None), "places": None, "looked": []})
    all_meant = records.exactly == 0 or records.pick is not None  # of the list in which they stand first, not of the bin as well
    while state["phase"] == "walk":
        places = _places_of(records, at, state)
        unable = False
        try:
            _walk(records, places[state["place"]], state, at)
        except Needed as needed:
            unable = needed.move.kind == "fail" and bool(state["looked"] or state["place"] + 1 < len(places))
            if not unable:
                raise
        state["tried"].append(state["query"])
        places = _places_of(records, at, state)
        again = None if unable else _another_search(records, state, at)
        if again is not None:
            at.notes.pop("search fields", None)
            state.update({**_fresh(state["place"], again), "tried": state["tried"]})
        elif (not unable and (state["rows"] or all_meant)) or state["place"] + 1 >= len(places):
            state["phase"] = "look"
        else:
            for key in ("searched for", "dated"):
                at.notes.pop(key, None)
            state.update(_fresh(state["place"] + 1, None))
    if state["phase"] == "look":
        _look(records, labels, state, at)
        state["phase"] = "done"
    return _meant(records, [Row.load(kept) for kept in state["rows"]], state, at)


def _fresh(place: int, query: str | None) -> lists.Survey:
    """What is known of a list before it is looked through. A query of None is decided on its first page."""
    return {"phase": "walk", "place": place, "rows": [], "rows_here": [], "page": 0, "way": "page",
            "begun": False, "pages": [], "seen": 0, "whole": True, "query": query, "tried": []}  # fmt: skip


def _another_search(records: Records, state: lists.Survey, at: Situation) -> str | None:
    """Words that stand in no row may stand in records: the application's own search knows. One that found nothing is no proof."""
    if any(matches(Row.load(kept), records.tests) for kept in state["rows"]):
        return None
    words = lists.name_of(records, at)
    if words and words not in state["tried"] and at.screen.searches:
        return words
    return "" if not state["rows"] and "" not in state["tried"] else None


def _places_of(records: Records, at: Situation, state: lists.Survey) -> list[str]:
    """Where they may stand: the place that was named, else where they are listed first, and then its other places."""
    if records.place:
        return [records.place]
    card = at.kind(records.app, records.kind)
    places = list(card.places) if card else []
    first = card.place if card else ""
    if state["begun"] and not places and not state["places"]:
        folders = [e for e in at.screen.elements if e.role in {"treeitem", "tab"} and e.enabled and e.name]
        state["places"] = [e.name for e in folders if not e.selected and effect_of_words(e.name) in HARMLESS]
    return list(dict.fromkeys([*([first] if first or not places else []), *places, *(state["places"] or ())]))[:_MOST_PLACES]


def _walk(records: Records, place: str, state: lists.Survey, at: Situation) -> None:
    """Goes through the pages of one list. Raises Needed until all of it was seen."""
    to_list(records, place, at)
    if not state["begun"]:
        first(lists.prepared(records, place, state, at))
        state["looked"] = [*dict.fromkeys([*state["looked"], place or at.title(records.app)])]
    here, pages = lists.listed(records, at), lists.pages_of(at)
    before, texts, new = [Row.load(kept) for kept in state["rows_here"]], [one.row.text for one in here], 0
    if pages is not None:
        if pages[0] > len(state["pages"]) + 1:  # one was passed over
            first(lists.turn(False, at))
        new = len(here) if pages[0] in state["pages"] else 0
        state["pages"] = sorted({*state["pages"], pages[0]})
        state["page"] = pages[0] - 1
    elif state["way"] != "page" or texts == [row.text for row in before]:
        new = lists.overlap(before, [one.row for one in here])
        state["whole"] = state["whole"] and not (state["way"] == "scroll" and before and not new)  # some were passed over
    for one in here[new:]:
        state["seen"] += 1
        state["total"] = state.get("total", 0) + (not state["tried"])
        row = replace(one.row, page=state["page"])
        if matches(row, records.tests) is not False:
            state["rows"].append(row.dump())
    columns = [name for name, _ in here[0].row.cells] if here else state.get("columns", [])
    state.update({"rows_here": [one.row.dump() for one in here], "begun": True, "columns": columns})
    known, kept = map(fold, lists.numbers_of(records, at)), [[*map(fold, Row.load(kept).texts)] for kept in state["rows"]]
    if not any(number in row for number in known for row in kept):  # else the other pages need not be seen
        first(_onward(records, texts, state, at))


def _onward(records: Records, texts: Sequence[str], state: lists.Survey, at: Situation) -> Move | None:
    """The next page, more of the list, or the part of it below; None at its end."""
    buttons = [e for e in at.screen.presses if e.role in {"button", "link"} and e.expanded is None]
    following, pages = next((e for e in buttons if lists.is_next(e.name)), None), lists.pages_of(at)
    following = following or lists.numbered(at, state["page"] + 2)
    if state["page"] >= _MOST_PAGES or state["seen"] >= _MOST_ROWS:
        state["whole"] = False
        return None
    if following is not None and following.enabled and not (fold(following.name) in lists.DOWN and not texts):
        if state.get("stood") == texts and (state["way"] == "more" or at.count("stood still") > 2):
            state["whole"] = state["whole"] and state["way"] == "more"
            return None  # it brings nothing any more
        state.update({"page": state["page"] + 1, "stood": list(texts)})
        paged = pages is not None or "next" in fold(following.name) or following.name.isdecimal()
        state["way"] = "page" if paged else "more"
        return press(following, "the list goes on", at=at)
    state["whole"] = state["whole"] and (pages is None or pages[1] <= len(state["pages"]))
    last = at.last
    stood = state.get("stood") == texts and last is not None and last.verb == "scroll" and not last.visible_change
    if following is not None or pages is not None or stood or len(texts) < _SHORT:
        return None
    if at.count("scrolls") >= _MOST_PAGES:
        state["whole"] = False
        return None
    state.update({"page": state["page"] + 1, "way": "scroll", "stood": list(texts)})
    return lists.scrolled(True, at)


# --- what the list does not tell --------------------------------------------------------------------------------------


def _look(records: Records, labels: Sequence[str], state: lists.Survey, at: Situation) -> None:
    """Opens each record of which the list does not tell enough, and goes back. Raises Needed until nothing is unknown."""
    rows = [Row.load(kept) for kept in state["rows"]]
    told = [matches(row, records.tests) for row in rows]
    loose = state.setdefault("loose", all(test.label for test in records.tests) or True not in told)
    by = [records.pick.by] if records.pick and records.pick.by else []
    unknown = [
        n for n, row in enumerate(rows)
        if row.body is None and ((told[n] is None and loose) or (told[n] and _lacks(row, records, by)))
    ]  # fmt: skip
    if not unknown and labels:  # of those that are meant only
        meant = fitting(records, rows, at)
        unknown = [n for n, row in enumerate(rows) if row.body is None and row in meant and _lacks(row, records, labels)]
    if not unknown:
        return
    if len(unknown) > _MOST_OPENED and all(row.body is None for row in rows):
        raise StepFailure(f"{len(unknown)} records would have to be opened to find out which are meant; that is too many")
    row = rows[unknown[0]]
    open_row(row, records, at)
    pairs = [(pair.label, pair.value) for pair in at.screen.pairs]
    inside = [] if lists.listed(records, at) else [item.text for item in at.screen.items]  # the lines of an order
    said = [*(e.name for e in at.screen.detail_texts), *(f.value or "" for f in at.screen.inputs), *inside]
    body = " · ".join(dict.fromkeys(said))
    opened = row.opened(pairs, body)
    kind = at.kind(records.app, records.kind)
    there = {f.label for f in kind.fields} if kind else set()
    silent = next((t.label for t in records.tests if t.label and t.label not in there and opened.value(t.label) is None), "")
    if silent:
        labels = ", ".join(dict.fromkeys(label for label, _ in opened.cells))
        raise StepFailure(f'neither the list nor the page of "{row.key}" says anything about "{silent}"; they show {labels}')
    empty = [(label, "") for label in sorted(there) if opened.value(label) is None]  # what a page does not show is empty
    state["rows"][unknown[0]] = opened.opened(empty, body).dump()
    at.notes.pop("opening", None)
    first(step_back(at))
    _look(records, labels, state, at)


def _lacks(row: Row, records: Records, labels: Sequence[str]) -> bool:
    unknown = any(matches(row, group) is None for group in records.but)
    return unknown or any(is_cut(row.value(label) or "…") for label in labels if row.value(label) != "")


def fitting(records: Records, rows: Sequence[Row], at: Situation) -> list[Row]:
    """Those that fit all tests, less what is excepted, as the superlative leaves them."""
    keys = at.keys(records.app, records.kind)
    fit = best_fitting([row for row in rows if matches(row, records.tests)], records.tests)
    if not records.exactly:  # who is called so, and not all whose names contain it
        called = [test for test in records.tests if test.relation == "is" and not test.negated and test.label in keys]
        fit = [row for row in fit if all(is_called(row, test) for test in called)]
    if () in records.but:
        raise StepFailure(f"an exception from {naming(records)} does not say what is excepted")
    for group in records.but:  # whoever names one that is not there may mean another
        named = group[0].label in keys or (not group[0].label and group[0].relation in {"is", "has"})
        if named and not any(matches(row, group) for row in fit):
            raise StepFailure(f"what is excepted, {words_of(group)}, is not among {naming(records)}")
    out = [row for group in records.but for row in excepted(fit, group)]
    fit = [row for row in fit if row not in out]
    return picked(fit, records.pick) if records.pick is not None and (fit or records.exactly != 1) else fit


def _meant(records: Records, rows: Sequence[Row], state: lists.Survey, at: Situation) -> list[Row]:
    """The records that fit, in the number that was asked for."""
    fit = fitting(records, rows, at)
    what, where = naming(records), " and ".join(state["looked"]) or at.title(records.app)
    open_ones = [row for row in rows if matches(row, records.tests) is None and row.body is not None]
    if open_ones and (not fit or all(test.label for test in records.tests)):
        raise StepFailure(f'neither the list in {where} nor "{open_ones[0].key}" itself says whether it is {what}')
    if not state["whole"]:
        raise StepFailure(f"the list in {where} is too long to be seen whole: {state['seen']} records were looked at for {what}")
    if not (records.exactly or records.place) and (folders := at.notes.get("folders")):
        raise StepFailure(f"{what} may also stand in {', '.join(folders[:4])} of {where}; say in which folder")
    if records.exactly and len(fit) != records.exactly:
        if not fit:
            raise StepFailure(f"no {what} was found in {where} ({state.get('total', 0)} looked at)")
        names = "; ".join(f'"{row.text}"' for row in fit[:8])
        raise StepFailure(f"{len(fit)} fit {what} in {where} where {records.exactly} was to be found: {names}")
    return fit


def naming(records: Records) -> str:
    """What is looked for, in words."""
    return f"{records.kind}{' with ' + words_of(records.tests) if records.tests else ''}"


# --- one record -------------------------------------------------------------------------------------------------------


def _on_screen(row: Row, records: Records, at: Situation) -> Item:
    """The row in its list, on whichever page that stands. Raises Needed until it is on the screen."""
    to_list(records, records.place, at)
    here = lists.listed(records, at)
    found = [one.item for one in here if one.row.text == row.text] or [one.item for one in here if lists.like(one.row, row)]
    if found:
        return found[0]
    pages, tries = lists.pages_of(at), at.count(f"turning to {row.key}")
    shown = pages[0] - 1 if pages else -1
    forward = row.page > shown if pages else tries >= 10
    if tries > 2 * _MOST_PAGES or (pages and row.page == shown):
        raise StepFailure(f'"{row.text}" is no longer in the list')
    if tries < 2 and not pages and (button := lists.numbered(at, row.page + 1)) is not None:
        raise Needed(press(button, f"page {row.page + 1} has it", at=at))
    first(lists.turn(forward, at))
    if pages or tries > 20:
        raise StepFailure(f'"{row.text}" is no longer in the list')
    raise Needed(lists.scrolled(forward, at))


def open_row(row: Row, records: Records, at: Situation) -> None:
    """Opens the record of a row. Raises Needed until it is open."""
    opening = at.notes.get("opening", {})
    if opening.get("text") != row.text:
        opening = at.notes["opening"] = {"text": row.text, "times": 0, "list": []}
    if opening["times"] and _is_open(row, records, opening["list"], at):
        return
    item = _on_screen(row, records, at)
    first(at.reach(item.press))
    opening.update(times=opening["times"] + 1, list=[one.row.key for one in lists.listed(records, at)])
    opener = next((e for e in at.screen.presses if e.enabled and fold(e.name) in {"open", "view", "details", "show"}), None)
    match opening["times"]:
        case 1:
            first(press(item.press, f'it is the one that is meant: "{row.text}"'))
        case 2 | 4 if opener is not None:
            first(press(opener, "a click only selected it", at=at))
        case 2 | 3 | 4:
            first(press(item.press, "a click did not open it", count=2))
    first(fail(f'"{row.text}" does not open'))


def _is_open(row: Row, records: Records, before: Sequence[str], at: Situation) -> bool:
    """It is named outside of lists, or the list has given way to a screen that names it."""
    if at.screen.says(row.key):
        return True
    named = any(fold(row.key.rstrip("….")) in fold(e.name or e.value or "") for e in at.screen.elements)
    return named and bool(before) and not lists.listed(records, at)


def find_record(records: Records, at: Situation) -> None:
    """Opens the one record that is meant. Raises Needed until it is open."""
    if is_here(records, at):
        return None
    card = at.kind(records.app, records.kind)
    if card is not None and card.single:
        return go_to(records.app, records.place or card.place, at)
    if is_any(records) and _is_page_of(records, at):
        return None  # the one that is open is meant
    if "survey" not in at.notes and shows_it(records, at):
        return None
    rows = survey(records, at)
    if len(rows) != 1:
        raise StepFailure(f"{len(rows)} fit {naming(records)}, and one can be opened at a time")
    open_row(rows[0], records, at)
    here = {"records": records.model_dump(mode="json"), "app": at.view.seen.app, "heads": _heads(at)}
    at.notes["here"] = {**here, "row": rows[0].dump()}
    return None


def is_any(records: Records) -> bool:
    """Whether nothing is said of the record but its kind."""
    return not (records.tests or records.pick or records.but or records.place)


def _is_page_of(records: Records, at: Situation) -> bool:
    """Whether a record of the kind is open: what stands there are its fields, and not rather another kind's."""
    labels = {fold(pair.label) for pair in at.screen.pairs} | {fold(e.name) for e in at.screen.inputs}
    shares = {kind.kind: len(labels & {fold(f.label) for f in kind.fields}) for kind in at.kinds(records.app)}
    own = shares.get(records.kind, len(labels))
    return at.view.seen.app == records.app and not lists.listed(records, at) and 0 < own >= max(shares.values(), default=0)


def shows_it(records: Records, at: Situation) -> bool:
    """Whether the record with the number that is meant is open already."""
    if at.view.seen.app != records.app or lists.listed(records, at):
        return False
    pairs = tuple((pair.label, pair.value) for pair in at.screen.pairs)
    page = Row("", "", pairs, 0, " · ".join(e.name for e in at.screen.detail_texts))
    return any(fold(n) in map(fold, page.texts) for n in lists.numbers_of(records, at)) and matches(page, records.tests) is True


def is_here(records: Records, at: Situation) -> bool:
    """Whether it was opened by this step or the one before, and is open still."""
    here: dict[str, Any] = at.notes.get("here") or {"records": None}
    same = here["records"] == records.model_dump(mode="json") and here["app"] == at.view.seen.app
    return same and here["heads"] == _heads(at) and at.screen.says(here["row"][1])


def _heads(at: Situation) -> list[str]:
    return [e.name for e in at.screen.elements if e.role == "heading"]


def find_row(records: Records, at: Situation) -> Item:
    """The row of the one record that is meant, in its list and not opened. Raises Needed until it is on the screen."""
    rows = survey(records, at)
    if len(rows) != 1:
        raise StepFailure(f"{len(rows)} fit {naming(records)}, and one is worked on at a time")
    return _on_screen(rows[0], records, at)


def find(step: FindStep, at: Situation) -> Move:
    """Skill: the one record that is meant, open on the screen."""
    find_record(step.records, at)
    return done(f"{naming(step.records)} is open")
