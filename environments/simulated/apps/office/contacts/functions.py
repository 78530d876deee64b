"""The contacts app's own functions. None of them gives a private phone number."""

from __future__ import annotations

from pydantic import Field, JsonValue

from environments.simulated.app import Toast
from environments.simulated.apps.common.functions_base import NoArguments, RecordId, SearchWords, by_id, told
from environments.simulated.apps.office.contacts.state import (
    ALL,
    Contact,
    ContactsState,
    Draft,
    contact_of,
    draft_of,
    errors_of,
    found,
    groups_of,
    kept,
    merge,
    twins,
    without,
)
from environments.simulated.skills import AnyFunction, Function, FunctionDeclined, FunctionResult
from environments.simulated.world.values import Model


class ContactPage(Model):
    """Which part of the list; an empty group is all contacts."""

    group: str = ""
    offset: int = Field(default=0, ge=0)
    limit: int = Field(default=50, ge=1, le=200)


class ContactIds(Model):
    ids: tuple[str, ...] = Field(min_length=2, max_length=50)


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


def _list(state: ContactsState, given: ContactPage) -> FunctionResult[ContactsState]:
    if given.group and given.group not in groups_of(state):
        raise FunctionDeclined(f"there is no group {given.group!r}; groups are: {', '.join(groups_of(state)) or 'none'}")
    items = found(state, "", given.group or ALL)
    return FunctionResult(state, told("contacts", items, _json, given.limit, given.offset))


def _get(state: ContactsState, given: RecordId) -> FunctionResult[ContactsState]:
    return FunctionResult(state, _json(_known(state, given.id)))


def _find(state: ContactsState, given: SearchWords) -> FunctionResult[ContactsState]:
    return FunctionResult(state, told("contacts", found(state, given.query), _json, given.limit))


def _groups(state: ContactsState, given: NoArguments) -> FunctionResult[ContactsState]:
    names: list[JsonValue] = [*groups_of(state)]
    return FunctionResult(state, names)


def _put(state: ContactsState, draft: Draft, given: NewContact | ChangedContact) -> FunctionResult[ContactsState]:
    """Keep what a draft with the given values describes, by the same rules as the form's. Raises FunctionDeclined."""
    values = given.model_dump(exclude_none=True, exclude={"groups"})
    if given.groups is not None:
        values["groups"] = ", ".join(given.groups)
    draft = draft.model_copy(update=values)
    if errors := errors_of(draft):
        raise FunctionDeclined(f"the contact is not valid: {'; '.join(errors.values())}")
    after, contact = kept(state, contact_of(draft))
    return FunctionResult(after, _json(contact), (Toast("Contact saved"),))


def _create(state: ContactsState, given: NewContact) -> FunctionResult[ContactsState]:
    return _put(state, Draft(), given)


def _update(state: ContactsState, given: ChangedContact) -> FunctionResult[ContactsState]:
    old = _known(state, given.id)
    if old.private and given.private is False and given.phone is None:
        raise FunctionDeclined("a private number is made public in the window only, or by giving a new phone with it")
    return _put(state, draft_of(old), given)


def _delete(state: ContactsState, given: RecordId) -> FunctionResult[ContactsState]:
    _known(state, given.id)
    return FunctionResult(without(state, given.id), {"deleted": given.id}, (Toast("Contact deleted"),))


def _duplicates(state: ContactsState, given: NoArguments) -> FunctionResult[ContactsState]:
    sets: list[JsonValue] = [[contact.id for contact in some] for some in twins(state)[:200]]
    return FunctionResult(state, sets)


def _merge(state: ContactsState, given: ContactIds) -> FunctionResult[ContactsState]:
    if len(set(given.ids)) < len(given.ids):
        raise FunctionDeclined("an id is given twice")
    for name in given.ids:
        _known(state, name)
    after = merge(state, given.ids)
    return FunctionResult(after, _json(after.contacts[given.ids[0]]), (Toast(f"{len(given.ids)} contacts merged"),))


FUNCTIONS: tuple[AnyFunction, ...] = (
    Function("list_contacts", "Contacts of a group, or all of them, by name.", ContactPage, _list),
    Function("get_contact", "All of one contact; a private phone number is null.", RecordId, _get),
    Function("find_contacts", "Contacts that have all words of the query.", SearchWords, _find),
    Function("list_groups", "The names of all groups.", NoArguments, _groups),
    Function("find_duplicates", "Sets of ids that share a name or a mail address.", NoArguments, _duplicates),
    Function("create_contact", "Make a contact.", NewContact, _create, writes=True),
    Function("update_contact", "Change a contact.", ChangedContact, _update, writes=True, repeatable=True),
    Function("delete_contact", "Delete a contact, without asking.", RecordId, _delete, writes=True, repeatable=True),
    Function("merge_contacts", "Make one contact of several; the first id stays.", ContactIds, _merge, writes=True),
)
