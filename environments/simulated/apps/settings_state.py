"""What the settings know: the account, and how loud and how bright the device is."""

from __future__ import annotations

from pydantic import Field

from environments.simulated.app import AppState
from environments.simulated.values import Model

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


class SettingsState(AppState):
    """The account as saved, and as the form has it."""

    account: Account
    form: Account
    languages: tuple[str, ...]
    error: str = ""
    device: Device = Device()
    deleted: bool = False
