"""The functions of Settings. Deleting the account is not among them: that asks in the window first."""

from __future__ import annotations

from typing import Any

from pydantic import Field, JsonValue

from environments.simulated.app import Edited, Event, Pressed
from environments.simulated.apps.functions_base import Drive, Nothing, chosen, driven, one_line
from environments.simulated.apps.settings_state import Account, SettingsState
from environments.simulated.skills import Declined, Done, Function
from environments.simulated.values import Model


class Change(Model):
    """What is left out stays as it is."""

    name: str | None = None
    email: str | None = None
    phone: str | None = None
    language: str | None = None
    notifications: bool | None = None


class DeviceChange(Model):
    """What is left out stays as it is."""

    volume: int | None = Field(default=None, ge=0, le=100, multiple_of=5)
    brightness: int | None = Field(default=None, ge=10, le=100, multiple_of=10)
    muted: bool | None = None


def _shown(account: Account, languages: tuple[str, ...]) -> dict[str, JsonValue]:
    """The account without the recovery phone, which the window shows as private."""
    return {**account.model_dump(mode="json", exclude={"phone"}), "has_phone": bool(account.phone), "languages": list(languages)}


def get_account(state: SettingsState, _: Nothing) -> Done[SettingsState]:
    _alive(state)
    return Done(state, _shown(state.account, state.languages))


def get_device(state: SettingsState, _: Nothing) -> Done[SettingsState]:
    _alive(state)
    return Done(state, state.device.model_dump(mode="json"))


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

    def update_device(state: SettingsState, change: DeviceChange) -> Done[SettingsState]:
        _alive(state)
        values = change.model_dump(exclude_none=True)
        if not values:
            raise Declined(f"say what to change: {', '.join(DeviceChange.model_fields)}")
        after, effects = driven(update, state, [Edited(name, str(value).lower()) for name, value in values.items()])
        return Done(after, after.device.model_dump(mode="json"), effects)

    return (
        Function("get_account", "The account as it is saved, without the recovery phone", Nothing, get_account),
        Function(
            "update_account", "Change and save settings of the account", Change, update_account, writes=True, repeatable=True
        ),
        Function("get_device", "How loud and how bright the device is", Nothing, get_device),
        Function(
            "update_device", "Set volume, brightness or mute, at once", DeviceChange, update_device, writes=True, repeatable=True
        ),
    )
