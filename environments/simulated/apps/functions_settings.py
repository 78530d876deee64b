"""The functions of Settings. Deleting the account is not among them: that asks in the window first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import JsonValue

from environments.simulated.app import Edited, Event, Pressed
from environments.simulated.apps.functions_base import Drive, Nothing, chosen, driven, one_line
from environments.simulated.skills import Declined, Done, Function
from environments.simulated.values import Model

if TYPE_CHECKING:
    from environments.simulated.apps.settings import Account, SettingsState


class Change(Model):
    """What is left out stays as it is."""

    name: str | None = None
    email: str | None = None
    phone: str | None = None
    language: str | None = None
    notifications: bool | None = None


def _shown(account: Account, languages: tuple[str, ...]) -> dict[str, JsonValue]:
    """The account without the recovery phone, which the window shows as private."""
    return {**account.model_dump(mode="json", exclude={"phone"}), "has_phone": bool(account.phone), "languages": list(languages)}


def get_account(state: SettingsState, _: Nothing) -> Done[SettingsState]:
    _alive(state)
    return Done(state, _shown(state.account, state.languages))


def _alive(state: SettingsState) -> None:
    if state.deleted:
        raise Declined("this account was deleted")


def _edits(state: SettingsState, change: Change) -> list[Event]:
    events: list[Event] = []
    for name, value in change.model_dump(exclude_none=True).items():
        if name == "language":
            value = chosen("Language", value, state.languages)
        elif name == "notifications":
            value = "true" if value else "false"
        events.append(Edited(name, one_line(value)))
    return events


def functions(update: Drive[SettingsState]) -> tuple[Function[Any, Any], ...]:
    """Functions over the app's own `update`."""

    def update_account(state: SettingsState, change: Change) -> Done[SettingsState]:
        _alive(state)
        saved = state.model_copy(update={"form": state.account, "error": ""})
        edits = _edits(state, change)
        if not edits:
            raise Declined(f"say what to change: {', '.join(Change.model_fields)}")
        after, effects = driven(update, saved, [*edits, Pressed("save")])
        if after.error:
            raise Declined(after.error)
        changed = {name: getattr(after.account, name) for name in change.model_dump(exclude_none=True)}
        form = state.form.model_copy(update=changed)
        kept = after.model_copy(update={"form": form, "error": "" if "name" in changed else state.error})
        return Done(kept, _shown(after.account, state.languages), effects)

    return (
        Function("get_account", "The account as it is saved, without the recovery phone", Nothing, get_account),
        Function("update_account", "Change and save settings of the account", Change, update_account, writes=True),
    )
