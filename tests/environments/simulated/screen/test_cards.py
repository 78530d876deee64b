"""Cards of applications are derived from the applications' own code, and tell nothing of what is in them."""

import json
from functools import cache
from typing import Any

import pytest
from pydantic import BaseModel
from worlds import loans

from environments.cards import AppCard, Cards, VerbCard, vocabulary
from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.variation.metrics import Variation
from environments.simulated.world.worldfile import load_world, parse_world
from roles.safety import SafetyPolicy
from roles.safety.privacy.redaction import Redactor, SecretBorder


@cache
def cards(world: str) -> dict[str, AppCard]:
    return {card.app: card for card in SimulatedDesktop(load_world(world), 0).cards()}


def kind(card: AppCard, name: str = "") -> Any:
    return next(one for one in card.kinds if not name or one.kind == name)


def labels(card: AppCard, mark: str, name: str = "") -> list[str]:
    return [field.label for field in kind(card, name).fields if getattr(field, mark)]


def test_a_form_its_required_field_and_the_control_that_begins_a_new_record() -> None:
    note = kind(cards("office")["notes"])
    assert (note.kind, note.words, note.create.control) == ("note", ("memo",), "New note")
    assert {field.label: (field.key, field.required, field.type) for field in note.fields} == {
        "Title": (True, True, "text"), "Body": (False, False, "long_text"),
    }  # fmt: skip


def test_columns_places_and_what_a_message_may_be_done_with() -> None:
    mail = cards("office")["mail"]
    message = kind(mail)
    assert labels(mail, "listed") == ["From", "Subject", "Date", "State"]
    assert message.place == "Inbox"
    assert message.places == ("Inbox", "Sent", "Drafts", "Archive", "Trash")
    done = {(verb.verb, verb.control, verb.at): verb for verb in message.verbs}
    assert done["send", "Send", "form"].effect == "send"
    assert done["delete", "Delete", "record"].effect == "delete"
    assert [field.label for field in done["reply", "Reply", "record"].asks] == ["To", "Cc", "Subject", "Message"]
    assert done["move", "Move to", "record"].asks[0].options == ("Inbox", "Archive", "Trash")


def test_what_there_is_one_of_and_what_is_kept_inside_another_record() -> None:
    settings = {one.kind: one for one in cards("office")["settings"].kinds}
    assert settings["account"].single
    assert [verb.control for verb in settings["account"].verbs] == ["Save settings"]
    assert [field.label for field in settings["device"].fields] == ["Volume", "Mute", "Brightness"]
    assert kind(cards("company")["chat"], "message").within == "conversation"
    assert labels(cards("company")["shop"], "listed", "line")[:2] == ["Quantity", "Product"], "a list that is empty at first"


def test_an_app_that_no_rule_knows_has_a_full_card() -> None:
    with loans.registered():
        card = SimulatedDesktop(parse_world(loans.WORLD), 0).cards()[0]
    loan = kind(card)
    assert (card.title, loan.kind, loan.words) == ("Lending desk", "loan", ("book",))
    assert labels(card, "listed") == ["Title", "Reader", "Due date", "Status"]
    assert labels(card, "written") == ["Title", "Reader", "Due date", "Shelf"]
    assert next(f.options for f in loan.fields if f.label == "Status") == ("Out", "Overdue", "Returned")
    assert loan.create == VerbCard(verb="create", control="New loan", at="list")
    assert {(v.verb, v.control, v.at, v.effect) for v in loan.verbs} == {
        ("renew", "Renew", "record", ""), ("remind reader", "Remind reader", "record", "send"),
        ("delete", "Delete", "record", "delete"), ("save", "Lend it", "form", ""),
    }  # fmt: skip
    words = vocabulary([card])
    assert {"loan", "book"} <= set(words.nouns)
    assert {"reader", "due date"} <= set(words.fields)
    assert {"renew", "remind reader"} <= set(words.verbs)


def _texts(value: Any) -> set[str]:
    """What records of a state say in words that nothing else is likely to say."""
    if isinstance(value, BaseModel):
        return {text for _, part in value for text in _texts(part)}
    if isinstance(value, dict | tuple | list):
        return {text for part in (value.values() if isinstance(value, dict) else value) for text in _texts(part)}
    return {value} if isinstance(value, str) and len(value) > 7 and (" " in value or "@" in value) else set()


@pytest.mark.parametrize("world", ["office", "company", "phone", "smart-home", "workshop"])
def test_a_card_names_no_record_and_no_value_of_one(world: str) -> None:
    desk = SimulatedDesktop(load_world(world), 0)
    said = json.dumps([card.model_dump(mode="json") for card in desk.cards()])
    held = [state for app, state in desk.snapshot().world.apps.items() if app not in ("browser", "spreadsheet")]
    kinds = [one for card in desk.cards() for one in card.kinds]
    choices = {said for one in kinds for said in (*one.places, *(o for f in one.fields for o in (*f.options, f.label)))}
    records = {text for state in held for value in vars(state).values() if isinstance(value, dict) for text in _texts(value)}
    assert sorted(text for text in records - choices if f'"{text}"' in said) == []


def test_labels_are_those_of_the_screen_with_the_apps_own_beside_them() -> None:
    german = load_world("office").model_copy(update={"variation": Variation(language="de")})
    note = kind(next(card for card in SimulatedDesktop(german, 0).cards() if card.app == "notes"))
    assert note.fields[0].label != "Title"
    assert note.fields[0].words == ("Title",)


def test_cards_are_made_once_for_a_world_and_pass_through_what_stands_before_it() -> None:
    desk = SimulatedDesktop(load_world("office"), 0)
    behind = SecretBorder(desk, Redactor(SafetyPolicy()))
    assert isinstance(behind, Cards)
    assert behind.cards()[0] is desk.cards()[0]
    again, other = (SimulatedDesktop(load_world("office"), seed) for seed in (0, 1))
    assert again.cards()[0] is desk.cards()[0], "what begins the same has the same card"
    assert [card.app for card in other.cards()] == [card.app for card in desk.cards()]
    assert other.cards()[0] is not desk.cards()[0]


@pytest.mark.parametrize("variation", [Variation(content=5), Variation(labels="synonyms"), Variation(language="de")])
def test_a_record_that_is_open_at_first_and_other_words_on_the_screen_hide_nothing(variation: Variation) -> None:
    usual, varied = cards("office"), SimulatedDesktop(load_world("office").model_copy(update={"variation": variation}), 0).cards()
    for card in varied:
        same = usual[card.app]
        assert [(one.kind, len(one.fields)) for one in card.kinds] == [(one.kind, len(one.fields)) for one in same.kinds], (
            card.app
        )
        for one, other in zip(card.kinds, same.kinds, strict=True):
            assert {(verb.verb, verb.at) for verb in one.verbs} >= {(verb.verb, verb.at) for verb in other.verbs}, card.app
        assert [bool(one.place) for one in card.kinds] == [bool(one.place) for one in same.kinds], card.app
