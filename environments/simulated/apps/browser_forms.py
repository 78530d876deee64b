"""Forms on pages: what is wrong with a field, and what becomes of what was written."""

from __future__ import annotations

import re

from environments.simulated.app import Effect, Notify, Submitted, Toast, Update
from environments.simulated.apps.browser_address import asked, joined, parts
from environments.simulated.apps.browser_content import Form, FormField
from environments.simulated.apps.browser_state import BrowserState, Submission, changed, loaded, place_at, signed_in
from environments.simulated.generate import highest
from environments.simulated.values import parse_day

_MAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
SIGN_IN = Form(
    fields=(
        FormField(label="User name", name="user", required=True),
        FormField(label="Password", name="password", kind="password", required=True),
    ),
    button="Sign in",
)


def key_of(block: int, field: FormField) -> str:
    """What a field of the form in this block of the page goes by in the tab."""
    return f"{block}.{field.name}"


def value_of(state: BrowserState, block: int, field: FormField) -> str:
    """What stands in a field: what was written, or what the page brought along."""
    brought = "false" if field.kind == "checkbox" and not field.value else field.value
    return state.tab.fields.get(key_of(block, field), brought)


def form_at(state: BrowserState, block: int) -> Form | None:
    """The form in this block of the current page."""
    place = place_at(state, state.tab.address)
    if place.kind == "login":
        return SIGN_IN if block == 0 else None
    return place.blocks[block].form if 0 <= block < len(place.blocks) else None


def problem(field: FormField, value: str) -> str:
    """What is wrong with the value of a field, or nothing."""
    value = value.strip()
    if not value or (field.kind == "checkbox" and value != "true"):
        return f"{field.label} is required" if field.required else ""
    match field.kind:
        case "email" if not _MAIL.fullmatch(value):
            return f"{field.label} must be a mail address like ann@example.com"
        case "date" if parse_day(value) is None:
            return f"{field.label} must be a day like 2026-03-31"
        case "number":
            return _problem_with_number(field, value)
        case "select" if value not in field.options:
            return f"{field.label} must be one of {', '.join(field.options)}"
    return ""


def _problem_with_number(field: FormField, value: str) -> str:
    if not _NUMBER.fullmatch(value) or len(value) > 15:
        return f"{field.label} must be a number"
    if field.least is not None and float(value) < field.least:
        return f"{field.label} must be at least {field.least:g}"
    if field.most is not None and float(value) > field.most:
        return f"{field.label} must be at most {field.most:g}"
    return ""


def problems(state: BrowserState, block: int, form: Form) -> dict[str, str]:
    """All that keeps the form from being sent, by the key of the field."""
    said = {key_of(block, field): problem(field, value_of(state, block, field)) for field in form.fields}
    return {key: words for key, words in said.items() if words}


def checked(state: BrowserState, block: int, name: str) -> BrowserState:
    """One field is checked when it is left."""
    form = form_at(state, block)
    field = next((field for field in form.fields if field.name == name), None) if form else None
    if field is None:
        return state
    key = key_of(block, field)
    rest = {other: words for other, words in state.tab.errors.items() if other != key}
    words = problem(field, value_of(state, block, field))
    errors = {**rest, key: words} if words else rest
    return state if errors == state.tab.errors else changed(state, errors=errors)


def sent(state: BrowserState, block: int, form: Form) -> Update[BrowserState]:
    """The form is sent as it stands: kept, answered by mail where the site does that, and followed by the page that says so."""
    here = state.tab.address
    errors = problems(state, block, form)
    if errors:
        return Update(changed(state, errors=errors))
    arrived = loaded(state, here)
    place = place_at(arrived, arrived.tab.address)
    if place.kind == "login":  # the session has expired meanwhile, and what was written is lost
        return Update(arrived)
    where = parts(here)
    number = str(highest(state.submissions) + 1)
    page = asked(where.host + where.path)
    values = {field.name: _kept(field, value_of(state, block, field)) for field in form.fields}
    entry = Submission(page=page, about=place.title, values=values)
    after = state.model_copy(update={"submissions": {**state.submissions, number: entry}, "sessions": arrived.sessions})
    target = joined(here, form.then) if form.then else asked(page, sent=number, form=str(block + 1))
    effects: list[Effect] = [Submitted()]
    if form.letter:
        subject, text = (words.replace("{number}", number) for words in (form.letter.subject, form.letter.text))
        effects.append(Notify("mail", "mail", {"from": form.letter.sender, "subject": subject, "body": text}))
    return Update(loaded(after, target), tuple(effects))


def _kept(field: FormField, value: str) -> str:
    """Days in one form; everything else as it was written, without blanks around it."""
    return (parse_day(value) or value).strip() if field.kind == "date" else value.strip()


def signed(state: BrowserState) -> Update[BrowserState]:
    """Sign in with what was written, and go on to the page that was wanted."""
    errors = problems(state, 0, SIGN_IN)
    where = parts(state.tab.address)
    login = state.sites[where.host].login
    user, password = (value_of(state, 0, field) for field in SIGN_IN.fields)
    if errors or login is None:
        return Update(changed(state, errors=errors))
    if (user.strip().casefold(), password) != (login.user.casefold(), login.password):
        fields = {key: value for key, value in state.tab.fields.items() if key != "0.password"}
        return Update(changed(state, fields=fields, errors={"0": "User name or password is wrong"}))
    return Update(loaded(signed_in(state, where.host), where.query.get("next") or where.host), (Toast("You are signed in"),))
