"""What the contacts app knows: people, and which of them may be the same."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from pydantic import Field

from environments.simulated.apps.common.record_list import FormState, ListState
from environments.simulated.apps.office.mail.state import bad_address
from environments.simulated.world.values import IdentityKey, Model, matches

ALL = "All contacts"
LABELS = {"name": "Name", "email": "Email address", "phone": "Phone", "company": "Company", "groups": "Groups", "note": "Note"}
_PHONE = re.compile(r"^\+?[\d ()/.-]{3,99}$")


class Contact(Model):
    """A person. In a world file the id may be left out."""

    id: str = Field(default="", pattern=r"^[\w-]*$")
    name: str = Field(min_length=1)
    email: str = ""
    phone: str = ""
    private: bool = False
    """The phone number is not for others to see: no list shows it, and no function gives it."""
    company: str = ""
    groups: tuple[str, ...] = ()
    note: str = ""


class Draft(Model):
    """The form of a contact as it stands; `id` is empty for a new one."""

    id: str = ""
    name: str = ""
    email: str = ""
    phone: str = ""
    private: bool = False
    company: str = ""
    groups: str = ""
    note: str = ""

    def field_error(self, name: str) -> str:
        """What is wrong with one field; empty when nothing is."""
        value = getattr(self, name).strip()
        if name == "name":
            return "" if value else "Name is required"
        if name == "email" and ("," in value or ";" in value or bad_address(value)):
            return f"{value} is not a mail address"
        if name == "phone" and value and not (_PHONE.match(value) and sum(char.isdigit() for char in value) >= 3):
            return "Phone must be a number like +1 555 0100"
        return ""

    def errors_of(self) -> dict[str, str]:
        return {name: error for name in LABELS if (error := self.field_error(name))}

    def contact_of(self) -> Contact:
        """The contact that a draft without errors describes."""
        groups = dict.fromkeys(part.strip() for part in re.split(r"[,;]", self.groups) if part.strip())
        plain = {name: getattr(self, name).strip() for name in ("name", "email", "phone", "company")}
        return Contact(**plain, id=self.id, private=self.private, groups=tuple(groups), note=self.note)


class ContactsState(ListState, FormState[Draft]):
    """Contacts by id, and what is looked at or written."""

    contacts: dict[str, Contact]
    counter: int
    group: str = ALL
    open: str = ""
    duplicates: bool = False
    """The page of duplicates is shown."""
    merging: tuple[str, ...] = ()
    """The contacts that the question on the screen is about."""

    def found(self, query: str, group: str = ALL) -> list[Contact]:
        """Contacts of a group that have all words of the query, by name. A private number is not searched."""
        return list(_found(IdentityKey(self.contacts), query, group))

    def groups_of(self) -> tuple[str, ...]:
        return _groups(IdentityKey(self.contacts))

    def twins(self) -> list[tuple[Contact, ...]]:
        """Contacts that share a name or an address, each in one set."""
        first: dict[str, str] = {}
        leader: dict[str, str] = {}

        def root(name: str) -> str:
            while leader.setdefault(name, name) != name:
                leader[name] = leader[leader[name]]
                name = leader[name]
            return name

        for contact in self.contacts.values():
            for mark in (f"n {_plain(contact.name)}", f"e {_plain(contact.email)}" if contact.email else ""):
                if mark:
                    leader[root(contact.id)] = root(first.setdefault(mark, contact.id))
        sets: dict[str, list[Contact]] = {}
        for contact in self.contacts.values():
            sets.setdefault(root(contact.id), []).append(contact)
        return sorted((tuple(some) for some in sets.values() if len(some) > 1), key=lambda some: by_name(some[0]))

    def merge(self, names: Sequence[str]) -> ContactsState:
        """The state with these contacts as one, which has the id of the first."""
        one = merged([self.contacts[name] for name in names])
        gone = set(names[1:])
        contacts = {name: one if name == one.id else c for name, c in self.contacts.items() if name not in gone}
        return self.replace(contacts=contacts, open=one.id if self.open in gone else self.open)

    def kept(self, contact: Contact) -> tuple[ContactsState, Contact]:
        """The state with a contact, new or changed, and the contact with its id."""
        new = not contact.id
        contact = contact.replace(id=str(self.counter + 1)) if new else contact
        changes = {"contacts": {**self.contacts, contact.id: contact}, "counter": self.counter + new}
        return self.replace(**changes), contact

    def without(self, name: str) -> ContactsState:
        rest = {other: contact for other, contact in self.contacts.items() if other != name}
        return self.replace(contacts=rest, open="" if self.open == name else self.open)


def by_name(contact: Contact) -> tuple[str, str]:
    return contact.name.casefold(), contact.id


@lru_cache(maxsize=8)
def _found(contacts: IdentityKey[dict[str, Contact]], query: str, group: str) -> tuple[Contact, ...]:
    """Looked for once as long as neither the content nor the search changes: each key that is typed asks again."""
    fits = (
        c for c in contacts.value.values()
        if group in (ALL, *c.groups)
        and matches(query, c.name, c.email, c.company, c.note, *c.groups, "" if c.private else c.phone)
    )  # fmt: skip
    return tuple(sorted(fits, key=by_name))


@lru_cache(maxsize=8)
def _groups(contacts: IdentityKey[dict[str, Contact]]) -> tuple[str, ...]:
    return tuple(sorted({group for contact in contacts.value.values() for group in contact.groups}, key=str.casefold))


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def merged(contacts: Sequence[Contact]) -> Contact:
    """One contact of several: the first one's words, filled up from the others; what differs goes to the note."""
    keep = contacts[0]
    values: dict[str, str] = {}
    extra: list[str] = []
    for name in ("email", "phone", "company"):
        said = list(dict.fromkeys(value for c in contacts if (value := getattr(c, name))))
        # A second number of somebody whose number is private would stand in the open in the note.
        together = name == "phone" and any(c.private for c in contacts)
        values[name] = " / ".join(said) if together else "".join(said[:1])
        extra += [] if together else [f"{LABELS[name]}: {value}" for value in said[1:]]
    notes = dict.fromkeys(c.note for c in contacts if c.note)
    groups = dict.fromkeys(group for c in contacts for group in c.groups)
    return keep.model_copy(update={**values, "private": any(c.private for c in contacts), "groups": tuple(groups),
                                   "note": "\n".join([*notes, *extra])})  # fmt: skip


def draft_of(contact: Contact) -> Draft:
    return Draft.model_validate({**contact.model_dump(), "groups": ", ".join(contact.groups)})
