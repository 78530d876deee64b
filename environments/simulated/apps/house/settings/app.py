"""Settings: the user's account."""

from typing import Self

from pydantic import Field, JsonValue, ValidationError, model_validator

from environments.effects import Effect as Does
from environments.simulated import app as sim
from environments.simulated.apps.common.functions_base import FunctionTable, chosen, driven, one_line
from environments.simulated.apps.common.record_list import question
from environments.simulated.screen import widgets as ui
from environments.simulated.screen.widgets import Widget
from environments.simulated.world.values import Model, mail_address

VOLUME = (0, 100, 5)
BRIGHTNESS = (10, 100, 10)
"""Lowest, highest and step."""


class Account(Model):
    """What can be set."""

    name: str
    email: str
    phone: str = ""
    language: str
    notifications: bool = True


class Device(Model):
    """Sound and screen. What is set here counts at once."""

    volume: int = Field(default=50, ge=0, le=100, multiple_of=5)
    brightness: int = Field(default=70, ge=10, le=100, multiple_of=10)
    muted: bool = False


class SettingsState(sim.AppState):
    """The account as saved, and as the form has it."""

    account: Account
    form: Account
    languages: tuple[str, ...]
    error: str = ""
    device: Device = Device()
    deleted: bool = False


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


def _alive(state: SettingsState) -> None:
    if state.deleted:
        raise sim.FunctionDeclined("this account was deleted")


FUNCTIONS = FunctionTable[SettingsState]()


@FUNCTIONS.reads()
def get_account(state: SettingsState) -> JsonValue:
    """The account as it is saved, without the recovery phone"""
    _alive(state)
    return _shown(state.account, state.languages)


@FUNCTIONS.writes(repeatable=True)
def update_account(state: SettingsState, change: Change) -> sim.FunctionResult[SettingsState]:
    """Change and save settings of the account"""
    _alive(state)
    given = change.model_dump(exclude_none=True)
    edits: list[sim.Event] = []
    for name, value in given.items():
        if name == "language":
            value = chosen("Language", value, state.languages)
        elif name == "notifications":
            value = "true" if value else "false"
        edits.append(sim.Edited(name, one_line(value)))
    if not edits:
        raise sim.FunctionDeclined(f"say what to change: {', '.join(Change.model_fields)}")
    after, effects = driven(Settings().update, state.replace(form=state.account, error=""), [*edits, sim.Pressed("save")])
    if after.error:
        raise sim.FunctionDeclined(after.error)
    form = state.form.replace(**{name: getattr(after.account, name) for name in given})
    kept = after.replace(form=form, error="" if "name" in given else state.error)
    return sim.FunctionResult(kept, _shown(after.account, state.languages), effects)


@FUNCTIONS.reads()
def get_device(state: SettingsState) -> JsonValue:
    """How loud and how bright the device is"""
    _alive(state)
    return state.device.model_dump(mode="json")


@FUNCTIONS.writes(repeatable=True)
def update_device(state: SettingsState, change: DeviceChange) -> sim.FunctionResult[SettingsState]:
    """Set volume, brightness or mute, at once"""
    _alive(state)
    values = change.model_dump(exclude_none=True)
    if not values:
        raise sim.FunctionDeclined(f"say what to change: {', '.join(DeviceChange.model_fields)}")
    after, effects = driven(Settings().update, state, [sim.Edited(name, str(value).lower()) for name, value in values.items()])
    return sim.FunctionResult(after, after.device.model_dump(mode="json"), effects)


LANGUAGES = ("English", "Deutsch", "Español", "Français", "中文")


class SettingsContent(sim.Content):
    """What is left out comes from the user of the world."""

    name: str | None = None
    email: str | None = None
    phone: str | None = None
    languages: tuple[str, ...] = LANGUAGES
    language: str | None = None
    notifications: bool = True
    device: Device = Device()

    @model_validator(mode="after")
    def _language_is_offered(self) -> Self:
        if not self.languages or (self.language is not None and self.language not in self.languages):
            raise ValueError(f"language: {self.language!r} is not one of {', '.join(self.languages) or '(no languages)'}")
        return self


class Settings(sim.App[SettingsContent, SettingsState]):
    """The user's account and preferences."""

    name = "settings"
    title = "Settings"
    words = ("settings", "preferences", "account", "profile", "options")
    looks = frozenset({"form", "error"})
    meanings = (
        sim.Meaning("deleted", Does.ACCOUNT, "deletes the account"),
        sim.Meaning("account.email", Does.ACCOUNT, "changes the account's e-mail address from {old} to {new}"),
        sim.Meaning("account.phone", Does.ACCOUNT, "changes the account's recovery phone"),
        sim.Meaning("account", Does.SAVE, "changes the account's {key}"),
        sim.Meaning("device", Does.EDIT, "sets the {key} to {new}"),
    )
    functions = FUNCTIONS

    def start(self, content: SettingsContent, setting: sim.Setting) -> SettingsState:
        name = content.name or setting.cast.user
        phone = content.phone if content.phone is not None else f"+1 555 {setting.rng.randrange(1000, 9999)}"
        account = Account(name=name, email=content.email or mail_address(name), phone=phone,
                          language=content.language or content.languages[0], notifications=content.notifications)  # fmt: skip
        return SettingsState(account=account, form=account, languages=content.languages, device=content.device)

    def view(self, state: SettingsState) -> tuple[Widget, ...]:
        if state.deleted:
            return (ui.heading("Account deleted", "deleted"), ui.text("This account no longer exists.", "gone"))
        account = state.form
        fields = (
            *ui.checked(ui.textbox("Account name", "name", account.name, required=True), state.error),
            ui.textbox("Email address", "email", account.email),
            ui.textbox("Recovery phone", "phone", account.phone, private=True),
            ui.combobox("Language", "language", account.language, state.languages),
            ui.checkbox("Enable notifications", "notifications", account.notifications),
            ui.bar(ui.button("Save settings", "save", enabled=account != state.account)),
        )
        device = ui.group(
            ui.heading("Sound and screen", "device.title"),
            ui.slider("Volume", "volume", str(state.device.volume), VOLUME),
            ui.switch("Mute", "muted", state.device.muted),
            ui.near(ui.slider("Brightness", "brightness", str(state.device.brightness), BRIGHTNESS)),
            ui.generic("Usual sound and screen", "usual-device"),
            key="device",
        )
        danger = ui.group(
            ui.text("Deleting the account cannot be undone.", "warning"), ui.button("Delete account", "delete"), key="danger"
        )
        form = ui.form("account-form", *fields, submit="save")
        return (ui.heading("Account settings", "account"), form, device, danger)

    def update(self, state: SettingsState, event: sim.Event) -> sim.Update[SettingsState]:
        match event:
            case sim.Edited(key="volume" | "brightness" | "muted" as key, value=value) if not state.deleted:
                try:
                    return sim.Update(state.replace(device=Device.model_validate({**state.device.model_dump(), key: value})))
                except ValidationError:  # what the device does not have changes nothing
                    return sim.Update(state)
            case sim.Pressed(key="usual-device"):
                return sim.Update(state.replace(device=Device()))
            case sim.Edited(key="notifications", value=value):
                return sim.Update(_changed(state, "notifications", value == "true"))
            case sim.Edited(key=key, value=value) if key in Account.model_fields:
                return sim.Update(_changed(state, key, value))
            case sim.Pressed(key="save") | sim.Shortcut(chord="Control+s" | "Meta+s") if not state.deleted:
                if not state.form.name.strip():
                    return sim.Update(state.replace(error="Account name is required"))
                return sim.Update(state.replace(account=state.form, error=""), (sim.Toast("Settings saved"),))
            case sim.Pressed(key="delete"):
                lost = "All mail, notes and files of this account will be lost for good."
                return sim.Update(state, (question("delete", "Delete your account?", lost, "Delete my account"),))
            case sim.Answered(key="delete", button="Delete my account"):
                return sim.Update(state.replace(deleted=True))
        return sim.Update(state)


def _changed(state: SettingsState, name: str, value: str | bool) -> SettingsState:
    return state.replace(form=state.form.model_copy(update={name: value}), error="")
