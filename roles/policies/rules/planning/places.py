"""Which application each clause belongs to."""

from __future__ import annotations

from collections.abc import Sequence

from roles.contracts import AppWords
from roles.screen.language import clauses as c
from roles.screen.matching import rank_apps, similarity, tokens

_FORM_WORDS = ("form", "expense", "claim", "reimbursement", "request", "application form", "report")
_MAIL_CLAUSES = (c.Compose, c.Reply, c.Forward)
_MAKING = (c.Create, c.Compose, c.Post)
_HOMES = {
    "conversation": ("chat",), "invitation": ("calendar",), "event": ("calendar",), "product": ("shop",),
    "device": ("home", "house"), "recording": ("microphone", "answering machine"), "picture": ("camera",),
    "payslip": ("website", "web"), "article": ("website", "web"), "page": ("website", "web"),
}  # fmt: skip
"""Applications that hold what is not called by their own words."""
_FOLLOWING = (c.Compute, c.Tell, c.Pause, c.Avoid, c.Remember, c.Scroll, c.Press, c.Unknown)
_ABOUT = (c.Read, c.Collect, c.OpenItem, c.Delete, c.Rename, c.Move, c.Enter, c.Act, c.Await, c.Reschedule, c.Invite)
"""Clauses that are about a record."""
_OWN_APP = frozenset({"contact", "event", "task", "ticket", "booking"})
"""Things that live in an application of their own kind; others may stand in any."""
_FORM_CLAUSES = (c.Enter, c.Select, c.Check, c.Complete)
_HOME_OF_FACTS = (
    (("total", "amount due", "subtotal", "tax", "vendor", "due date", "invoice", "shipping", "balance"), ("invoice", "billing")),
    (("phone", "e-mail", "email", "address", "mobile"), ("contacts", "address book")),
    (("recovery phone", "language"), ("settings",)),
)  # fmt: skip


class UnknownApp(ValueError):
    """The words name an application that is not there."""

    def __init__(self, words: str) -> None:
        super().__init__(words)
        self.words = words


def place_clauses(clauses: Sequence[c.Clause], apps: Sequence[AppWords]) -> list[tuple[c.Clause, str | None]]:
    """Every clause with the id of its application. Raises UnknownApp for an application that is named and not there."""
    placed: list[tuple[c.Clause, str | None]] = []
    forms: list[str | None] = []
    for clause in clauses:
        before = placed[-1][1] if placed else None
        app = _app_of(clause, before, forms[-1] if forms else None, apps)
        if isinstance(clause, (*_FORM_CLAUSES, c.Create, *_MAIL_CLAUSES)):
            forms.append(app)
        placed.append((clause, app))
    first = next((app for _, app in placed if app), None)
    made = next((app for clause, app in placed if isinstance(clause, _MAKING)), None)
    return [(clause, app or (None if first == made and _sought(clause) else first)) for clause, app in placed]


def _sought(clause: c.Clause) -> bool:
    """A record that has to be there already: where something new is to be made from it is the last place to look."""
    return isinstance(clause, c.Read | c.OpenItem) and clause.entity.specific


def _app_of(clause: c.Clause, before: str | None, form: str | None, apps: Sequence[AppWords]) -> str | None:
    if clause.app:
        return named_app(clause.app, apps)
    if isinstance(clause, _FOLLOWING):
        return before
    if isinstance(clause, _MAIL_CLAUSES):
        return _first(("mail", "email", "messages"), apps) or before
    if isinstance(clause, c.Commit):
        return before
    noun = _noun(clause)
    if noun and (home := _first((noun, *_HOMES.get(noun, ())), apps)):
        return home
    if noun in _OWN_APP and apps:
        raise UnknownApp(f"{noun}s")
    if isinstance(clause, _FORM_CLAUSES):
        return _form_app(clause, before, form, apps)
    if isinstance(clause, c.Read):
        return before if before and not _home_of(clause, apps) else _home_of(clause, apps)
    return before


def named_app(words: str, apps: Sequence[AppWords]) -> str:
    """The application that the goal calls by these words."""
    if not apps:
        return words
    found = rank_apps(words, apps)
    if not found:
        raise UnknownApp(words)
    return found[0].item.app


def _noun(clause: c.Clause) -> str:
    if isinstance(clause, c.Create):
        return clause.noun
    if isinstance(clause, c.Adjust | c.Buy):
        return "device" if isinstance(clause, c.Adjust) else "product"
    if isinstance(clause, _ABOUT):
        entity = clause.entity
        return entity.noun or ("file" if "." in entity.name and " " not in entity.name else "")
    return ""


def _first(words: Sequence[str], apps: Sequence[AppWords]) -> str | None:
    """The application that holds such things: by its name or words, all of a word."""
    for word in words:
        wanted = set(tokens(word))
        for app in apps:
            if any(wanted == set(tokens(name)) for name in (app.app, app.title, *app.words)):
                return app.app
    for word in words:
        for candidate in rank_apps(word, apps):
            if candidate.score >= 0.75:
                return candidate.item.app
    return None


def _form_app(clause: c.Clause, before: str | None, form: str | None, apps: Sequence[AppWords]) -> str | None:
    """Values go to the last form; the first one to where they were read would be no form, so look for a form."""
    if form is not None:
        return form
    literal = not (isinstance(clause, c.Enter) and clause.value.facts)
    if literal and (before or not _formal(clause)):
        return before
    return _first(_FORM_WORDS, apps) or before


def _formal(clause: c.Clause) -> bool:
    """Whether the words speak of what a form asks for; `the message field` may be anywhere."""
    field = clause.field if isinstance(clause, c.Enter | c.Select) else ""
    formal = ("amount", "vendor", "category", "description", "date", "invoice number", "receipt", "expense type")
    return isinstance(clause, c.Complete | c.Check) or any(similarity(name, field) >= 0.9 for name in formal)


def _home_of(clause: c.Read, apps: Sequence[AppWords]) -> str | None:
    for facts, words in _HOME_OF_FACTS:
        if any(fact in facts for fact in clause.facts):
            return _first(words, apps)
    return None


def has_home(entity: c.Entity, apps: Sequence[AppWords]) -> bool:
    """Whether some application is for such things."""
    return bool(entity.noun) and _first((entity.noun, *_HOMES.get(entity.noun, ())), apps) is not None


def other_homes(tried: Sequence[str], apps: Sequence[AppWords], *, anywhere: bool = False) -> list[str]:
    """Applications that may hold what was not found: mail first, then notes, then files; then the rest, where that is wanted."""
    order = [home for words in (("mail", "email"), ("notes",), ("files", "documents")) if (home := _first(words, apps))]
    rest = [app.app for app in apps] if anywhere else []
    return [app for app in dict.fromkeys([*order, *rest]) if app not in tried]
