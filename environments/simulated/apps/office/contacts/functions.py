"""The contacts app's own functions. None of them gives a private phone number."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, JsonValue

from environments.simulated.app import FunctionDeclined, FunctionResult, Toast
from environments.simulated.apps.common.functions_base import FunctionTable, Limit, Offset, by_id, told
from environments.simulated.apps.office.contacts.state import ALL, Contact, ContactsState, Draft, draft_of
from environments.simulated.world.values import Model


class NewContact(Model):
    name: str = Field(min_length=1)
    email: str = ""
    phone: str = ""
    private: bool = False
    company: str = ""
    groups: tuple[str, ...] = ()
    note: str = ""


class ChangedContact(Model):
    """What is left out stays as it is."""

    id: str
    name: str | None = None
    email: str | None = None
    phone: str | None = None
    private: bool | None = None
    company: str | None = None
    groups: tuple[str, ...] | None = None
    note: str | None = None


def _json(contact: Contact) -> JsonValue:
    data: dict[str, JsonValue] = contact.model_dump(mode="json")
    return {**data, "phone": None if contact.private else contact.phone}


def _known(state: ContactsState, name: str) -> Contact:
    return by_id(state.contacts, "contact", name, "list_contacts and find_contacts give")


def _put(state: ContactsState, draft: Draft, given: NewContact | ChangedContact) -> FunctionResult[ContactsState]:
    """Keep what a draft with the given values describes, by the same rules as the form's. Raises FunctionDeclined."""
    values = given.model_dump(exclude_none=True, exclude={"groups"})
    if given.groups is not None:
        values["groups"] = ", ".join(given.groups)
    draft = draft.replace(**values)
    if errors := draft.errors_of():
        raise FunctionDeclined(f"the contact is not valid: {'; '.join(errors.values())}")
    after, contact = state.kept(draft.contact_of())
    return FunctionResult(after, _json(contact), (Toast("Contact saved"),))


FUNCTIONS = FunctionTable[ContactsState]()


@FUNCTIONS.reads("ContactPage", "Which part of the list; an empty group is all contacts.")
def list_contacts(state: ContactsState, group: str = "", offset: Offset = 0, limit: Limit = 50) -> JsonValue:
    """Contacts of a group, or all of them, by name."""
    if group and group not in state.groups_of():
        raise FunctionDeclined(f"there is no group {group!r}; groups are: {', '.join(state.groups_of()) or 'none'}")
    items = state.found("", group or ALL)
    return told("contacts", items, _json, limit, offset)


@FUNCTIONS.reads("RecordId")
def get_contact(state: ContactsState, id: str) -> JsonValue:
    """All of one contact; a private phone number is null."""
    return _json(_known(state, id))


@FUNCTIONS.reads("SearchWords")
def find_contacts(state: ContactsState, query: str, limit: Limit = 50) -> JsonValue:
    """Contacts that have all words of the query."""
    return told("contacts", state.found(query), _json, limit)


@FUNCTIONS.reads()
def list_groups(state: ContactsState) -> JsonValue:
    """The names of all groups."""
    names: list[JsonValue] = [*state.groups_of()]
    return names


@FUNCTIONS.reads()
def find_duplicates(state: ContactsState) -> JsonValue:
    """Sets of ids that share a name or a mail address."""
    sets: list[JsonValue] = [[contact.id for contact in some] for some in state.twins()[:200]]
    return sets


@FUNCTIONS.writes()
def create_contact(state: ContactsState, given: NewContact) -> FunctionResult[ContactsState]:
    """Make a contact."""
    return _put(state, Draft(), given)


@FUNCTIONS.writes(repeatable=True)
def update_contact(state: ContactsState, given: ChangedContact) -> FunctionResult[ContactsState]:
    """Change a contact."""
    old = _known(state, given.id)
    if old.private and given.private is False and given.phone is None:
        raise FunctionDeclined("a private number is made public in the window only, or by giving a new phone with it")
    return _put(state, draft_of(old), given)


@FUNCTIONS.writes("RecordId", repeatable=True)
def delete_contact(state: ContactsState, id: str) -> FunctionResult[ContactsState]:
    """Delete a contact, without asking."""
    _known(state, id)
    return FunctionResult(state.without(id), {"deleted": id}, (Toast("Contact deleted"),))


@FUNCTIONS.writes("ContactIds")
def merge_contacts(
    state: ContactsState, ids: Annotated[tuple[str, ...], Field(min_length=2, max_length=50)]
) -> FunctionResult[ContactsState]:
    """Make one contact of several; the first id stays."""
    if len(set(ids)) < len(ids):
        raise FunctionDeclined("an id is given twice")
    for name in ids:
        _known(state, name)
    after = state.merge(ids)
    return FunctionResult(after, _json(after.contacts[ids[0]]), (Toast(f"{len(ids)} contacts merged"),))
