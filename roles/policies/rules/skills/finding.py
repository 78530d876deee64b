"""Get to a record: choose its entry, or search, turn pages and go back until it is there."""

from __future__ import annotations

import re
from dataclasses import replace

from protocol import ActionTarget, AskUser, GUIElement, Type
from roles.policies.rules.skills.moves import Move, Situation, act, fail, press, set_value
from roles.screen.language import clauses as c
from roles.screen.language.masks import Masks
from roles.screen.language.wording import entity_words
from roles.screen.matching import best, similarity
from roles.screen.records import Entry, entry_of, matching_entries, on_record, picked
from roles.screen.screens import Item, fold
from roles.screen.synonyms import leads_back, similarity_next

_PAGES = re.compile(r"(?:of|von|/)\s*(\d+)\s*$", re.IGNORECASE)
_LONG = 4
"""Pages from which on a list is long."""


def search_for(entity: c.Entity, at: Situation) -> Move | None:
    """Fill the search field with what the record is called, and start; None when there is none or it was done."""
    words = entity.id or entity.name or entity.subject
    field = next((f for f in at.screen.searches if f.enabled), None)
    if field is None or not words or at.notes.get("searched"):
        return None
    if field.value != words:
        return set_value(field, words, f'to search for "{words}"', at)
    at.notes.update(searched=True, page=0, entries={})
    return start_search(field, at)


def start_search(field: GUIElement, at: Situation) -> Move:
    """Press the button that belongs to the search field: one in the same group before one that merely has such a name."""
    buttons = [e for e in at.screen.presses if e.role == "button" and e.name.casefold() in {"search", "find", "go"}]
    own = [e for e in buttons if e.parent == field.parent or any(a.element_id == e.parent for a in at.screen.above(field)[:2])]
    if own or (buttons and not any(e.name.casefold() == "go" for e in buttons)):
        return press((own or buttons)[0], "", at=at)
    return act(Type(target=ActionTarget.of(field), text="", submit=True), "to search")


def sooner(entity: c.Entity, at: Situation) -> Move | None:
    """In a long list, looking for a name of one's own is quicker than turning its pages."""
    pages = next((m for e in at.screen.elements if (m := _PAGES.search(e.name))), None)
    named = (entity.id or entity.name) and not (entity.pick or entity.filters or entity.subject)
    if pages is None or int(pages[1]) < _LONG or not named or at.notes.get("chosen"):
        return None
    here = [entry_of(item, 0) for item in at.screen.items]
    return None if matching_entries(entity, here) else search_for(entity, at)


_BACKWARD = {"previous", "previous page", "prev", "newer", "<", "‹", "«", "←"}
MAX_PAGES = 40
_PAGE = re.compile(r"(?:page|seite|第)\s*(\d+)\b", re.IGNORECASE)


def is_open(entity: c.Entity, at: Situation) -> bool:
    """Whether the record is on the screen by itself."""
    entity = chosen_entity(entity, at)
    chosen = at.notes.get("chosen")
    if chosen and not at.screen.columns:
        return bool(at.notes.get("opened")) or at.screen.says(chosen)
    if chosen:
        return at.screen.says(chosen) or bool(at.notes.get("opened") and at.notes.get("list") != _listing(at))
    if entity.pick:
        return False
    if at.screen.items and is_list(at):
        return entity.specific and on_record(entity, at.screen)
    return on_record(entity, at.screen)


def _listing(at: Situation) -> str:
    return "|".join(at.screen.columns)


def chosen_entity(entity: c.Entity, at: Situation) -> c.Entity:
    """With what the user answered when asked which one is meant."""
    answer = at.fact(_question_name(entity)) if at.notes.get("asked") else None
    answer = answer or next((f for f in at.view.facts if f.name == _question_name(entity)), None)
    return _told(entity, answer.value) if answer else entity


def _told(entity: c.Entity, answer: str) -> c.Entity:
    """`The one with the number INV-7` gives an id; other words are looked for in the entries."""
    masks = Masks()
    ids = masks.of_kind(masks.hide_typed(answer), "id")
    if ids:
        return replace(entity, id=masks.show(ids[0]), pick="")
    plain = re.sub(
        r"^(?:i mean|it is|it's|the one (?:with|from|called|for)|please take)\s+|[.!]+$", "", answer.strip(), flags=re.I
    )
    return replace(entity, subject=plain, pick="")


def _question_name(entity: c.Entity) -> str:
    return f"which {entity.noun or 'item'}"


def go_to(entity: c.Entity, at: Situation) -> Move:
    """The next step towards the record. Call it only while `is_open` says no."""
    entity = chosen_entity(entity, at)
    if (own := _own_list(entity, at)) is not None:
        return own
    if at.screen.items and is_list(at):
        move = sooner(entity, at) or _from_list(entity, at)
        if move:
            return move
    return look_elsewhere(entity, at)


def is_list(at: Situation) -> bool:
    """Rows that lead somewhere; the lines of an invoice on its own page do not."""
    if any(i.press is not i.element for i in at.screen.items):
        return True
    return not _leads_away(at) and not at.screen.prose


def _leads_away(at: Situation) -> bool:
    return any(leads_back(e.name) for e in at.screen.presses)


def _from_list(entity: c.Entity, at: Situation) -> Move | None:
    """Choose among the entries, over all pages when a superlative or a second match demands it."""
    page = int(at.notes.get("page", 0))
    if not at.notes.get("entries") and (back := to_first_page(at)) is not None:
        return back
    here = [entry_of(item, page) for item in at.screen.items]
    seen = _remembered(at, here, page)
    if not at.notes.get("chosen"):
        if _more_pages(entity, here, at):
            following = next_page(at)
            if following is not None:
                at.notes["page"] = page + 1
                return press(following, "the other pages may hold it too", at=at)
        fitting = _called_so(entity, picked(entity, matching_entries(entity, seen)))
        if not fitting:
            return None
        if len(fitting) > 1 and len({e.text for e in fitting}) > 1:
            return _which(entity, fitting, at)
        at.notes.update(chosen=fitting[0].key, chosen_page=fitting[0].page, chosen_text=fitting[0].text)
    return _open_chosen(at, page)


def _called_so(entity: c.Entity, fitting: list[Entry]) -> list[Entry]:
    """The one that is called exactly so, among others that only contain the name: `Ada Byron` beside `Ada Byron 2`."""
    if len(fitting) < 2 or not entity.name:
        return fitting
    exact = [e for e in fitting if fold(entity.name) in {fold(part) for part in e.text.split(" · ")}]
    return exact if len(exact) == 1 else fitting


def _remembered(at: Situation, here: list[Entry], page: int) -> list[Entry]:
    kept: dict[str, list[list[object]]] = at.notes.setdefault("entries", {})
    kept[str(page)] = [[e.text, [list(cell) for cell in e.cells]] for e in here]
    return [
        Entry(str(text), tuple((str(k), str(v)) for k, v in cells), int(number))  # type: ignore[attr-defined]
        for number, entries in sorted(kept.items(), key=lambda pair: int(pair[0]))
        for text, cells in entries
    ]


def _more_pages(entity: c.Entity, here: list[Entry], at: Situation) -> bool:
    """An id or a title is found as soon as it is seen; anything else may be on a later page as well."""
    if int(at.notes.get("page", 0)) >= MAX_PAGES:
        return False
    found = matching_entries(entity, here)
    return not (entity.id and found) and not (entity.pick == "first" and found)


def next_page(at: Situation) -> GUIElement | None:
    """What shows more of a list. A `More` that opens and closes is a menu."""
    presses = [e for e in at.screen.presses if e.enabled and e.role in {"button", "link"} and e.expanded is None]
    wanted = [e for e in presses if similarity_next(e.name)]
    return wanted[0] if wanted else None


def to_first_page(at: Situation) -> Move | None:
    """A list that was left on a later page, by an earlier attempt or by somebody else, is read from its beginning."""
    number = next((m for e in at.screen.elements if (m := _PAGE.match(e.name.strip()))), None)
    if number is None or int(number[1]) < 2:
        return None
    button = next((e for e in at.screen.presses if e.enabled and e.name.strip().casefold() in _BACKWARD), None)
    if button is None or at.count("turned back") >= MAX_PAGES:
        return None
    return press(button, "the list is read from its first page", at=at)


def _open_chosen(at: Situation, page: int) -> Move | None:
    text = at.notes.get("chosen_text", "")
    item = next((i for i in at.screen.items if i.text == text), None)
    if item is None:
        return _turn_back(at, page)
    times = at.count("opened")
    at.notes["list"] = _listing(at)
    if times == 0 and item.press.visible:
        return press(item.press, f'it is the one that is meant: "{text}"', at=at)
    return _open_otherwise(item, times, at)


def _open_otherwise(item: Item, times: int, at: Situation) -> Move | None:
    """A click that only selects is followed by a double click, then by an Open button."""
    if scroll := at.reach(item.press):
        at.notes["opened"] = times
        return scroll
    if times == 0:
        return press(item.press, f'it is the one that is meant: "{item.text}"')
    opener = next((e for e in at.screen.presses if e.enabled and e.name.casefold() in {"open", "view", "details", "show"}), None)
    if opener is not None and times in {1, 3}:
        return press(opener, "a click only selected it", at=at)
    if times <= 3:
        return press(item.press, "a click did not open it", count=2, at=at)
    return None


def _turn_back(at: Situation, page: int) -> Move | None:
    """The chosen entry is on an earlier page."""
    wanted = int(at.notes.get("chosen_page", 0))
    names = _BACKWARD if wanted < page else {"next", "next page", ">", "›", "»", "→"}
    button = next((e for e in at.screen.presses if e.enabled and e.name.strip().casefold() in names), None)
    if button is None or wanted == page:
        return None
    at.notes["page"] = page + (1 if wanted > page else -1)
    return press(button, "the one that is meant is on another page", at=at)


def _which(entity: c.Entity, fitting: list[Entry], at: Situation) -> Move:
    if at.count("asked") > 0:
        return fail(f"several entries fit {entity_words(entity)}: {'; '.join(e.text for e in fitting[:5])}")
    listed = "; ".join(entry.text for entry in fitting[:8])
    question = f"Which {entity.noun or 'one'} do you mean? These fit: {listed}"
    return Move(
        "ask", "several entries fit equally well", AskUser(question=question, name=_question_name(entity)), confidence=0.4
    )


def look_elsewhere(entity: c.Entity, at: Situation) -> Move:
    """Search, then another list of the same application, then back; then there is no such thing here."""
    if (search := search_for(entity, at)) is not None:
        return search
    if (folder := _folder(at)) is not None:
        return folder
    back = next((e for e in at.screen.presses if e.enabled and leads_back(e.name)), None)
    if back is not None and not at.screen.columns and at.count("backs") < 3:
        return press(back, "the list may hold it", at=at)
    if (tab := _list_tab(entity, at)) is not None:
        return press(tab, "it may be listed there", at=at)
    if back is not None and at.count("backs") < 4:
        return press(back, "the list may hold it", at=at)
    if (record := _unread(at)) is not None:
        return record
    app = at.view.subtask.app or at.view.app or "this application"
    return fail(f"{entity_words(entity)} was not found in {app}", f"where to find {entity.noun or 'it'} in {app}")


def _own_list(entity: c.Entity, at: Situation) -> Move | None:
    """The list of such things, before any other list that happens to be on the screen."""
    heads = " ".join(e.name for e in at.screen.elements if e.role == "heading").casefold()
    if entity.noun not in {"order", "invitation"} or entity.noun in heads or at.count("lists") > 1:
        return None
    links = [e for e in at.screen.presses if e.role in {"tab", "link"} and e.enabled and entity.noun in e.name.casefold()]
    return press(links[0], f'"{links[0].name}" lists them', at=at) if links else None


def _unread(at: Situation) -> Move | None:
    """A record of the list that was not looked into: what is wanted may stand on its page only."""
    looked: list[str] = at.notes.setdefault("looked", [])
    link = next(
        (i.press for i in at.screen.items if i.press is not i.element and i.press.name and i.press.name not in looked), None
    )
    if link is None or len(looked) >= MAX_PAGES // 2:
        return None
    looked.append(link.name)
    at.notes["backs"] = 0
    return press(link, f'it may stand in "{link.name}"', at=at)


def _folder(at: Situation) -> Move | None:
    """The next folder of a tree that was not looked into; its links are called by their paths."""
    tried: list[str] = at.notes.setdefault("folders", [])
    links = [
        i.press for i in at.screen.items if i.press.role in {"link", "treeitem"} and i.press.name.startswith(("/", "~", "C:\\"))
    ]
    link = next((e for e in links if e.name not in tried and e.name != "/"), None)
    if link is None or len(tried) > MAX_PAGES:
        return None
    tried.append(link.name)
    at.notes.update(page=0, entries={}, searched=False)
    return press(link, f'it may be in "{link.name}"', at=at)


def _list_tab(entity: c.Entity, at: Situation) -> GUIElement | None:
    """A tab or link to a list of such things that was not tried yet."""
    tried: list[str] = at.notes.setdefault("tabs", [])
    options = [
        e
        for e in at.screen.presses
        if e.role in {"tab", "link", "menuitem"} and not e.selected and e.name not in tried and e.enabled
    ]
    match = best(entity.noun or "all", options, lambda e: e.name) if options else None
    match = match if match and match.score >= 0.6 else None
    chosen = (
        match.item
        if match
        else next((e for e in options if similarity("inbox", e.name) > 0.9 or e.name.casefold().startswith("all")), None)
    )
    if chosen is not None:
        tried.append(chosen.name)
        at.notes.update(page=0, entries={}, searched=False)
    return chosen
