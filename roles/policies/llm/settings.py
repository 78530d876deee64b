"""What can be said of a model: which one, how it is called, and what it costs."""

from __future__ import annotations

import re
from difflib import get_close_matches
from functools import cache
from math import ceil, sqrt
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from pydantic import Field, field_validator, model_validator

from environments.files.yaml_lines import read_small, safe_data
from protocol import Frozen


class ModelProblem(ValueError):
    """One sentence that says what to do."""


class ModelMissing(ModelProblem):
    """The package or the key of a model is not here."""


Structure = Literal["auto", "schema", "tools", "json", "text"]
"""How the form of an answer is asked for: by a JSON schema, as a call of a tool, as any JSON, or in words only."""

Counting = Literal["pixels", "pixels_28", "grid_1000"]
"""What the numbers of a model count: pixels of the picture; the same of a picture whose sides were made multiples of 28, as
UI-TARS-1.5 and Qwen2.5-VL have it; or a grid of 1,000."""
AnswerForm = Literal["full", "narrow", "computer_use"]
"""Of an Operator's answer: one flat form with all fields, one of the moves that the screen allows, or calls of the provider's own
tool for computers."""


class Prices(Frozen):
    """Of a million tokens, in a currency of your choice."""

    tokens_in: float = Field(default=0.0, ge=0)
    tokens_out: float = Field(default=0.0, ge=0)
    tokens_cached: float | None = Field(default=None, ge=0)
    """Of those that were read and that the provider had in its cache; None: as any others."""


class PictureSize(Frozen):
    """How large pictures may be, and what they cost. A provider of which nothing is known takes those of most."""

    side: int = 1_568
    """Pixels of the longer side."""
    short: int = 1_000_000
    area: int = 1_000_000_000
    tile: int = 28
    base: float = 0.0
    of_tile: float = 1.05

    def share(self, width: int, height: int) -> float:
        """What a picture of this size is made smaller by; at most 1."""
        return min(1.0, self.side / max(width, height), self.short / min(width, height), sqrt(self.area / (width * height)))

    def tokens(self, width: int, height: int) -> int:
        share = self.share(width, height)
        return round(self.base + self.of_tile * ceil(width * share / self.tile) * ceil(height * share / self.tile))


class Provider(Frozen):
    """A provider of chat models, as providers.yaml has it."""

    module: str = ""
    kind: str = Field(default="", alias="class")
    extra: str = ""
    """Of ours, which brings its package."""
    package: str = ""
    key: str = ""
    """The environment variable with its key, where its class wants one."""
    longest: str = "max_tokens"
    model: str = "model"
    make: str = ""
    begins: str = ""
    effort: str = ""
    reasons: str = ""
    pictures: PictureSize = Field(default_factory=PictureSize)
    shows_schema: bool = False

    @property
    def to_install(self) -> str:
        """What pip is told to bring."""
        own = self.package or self.module.partition(".")[0].replace("_", "-")
        return f'"deskcrew[{self.extra}]"' if self.extra else own


@cache
def providers() -> dict[str, Provider]:
    """Every provider by its name."""
    data = safe_data(read_small(Path(__file__).with_name("providers.yaml")))
    return {name: Provider.model_validate(one) for name, one in data.items()}


Effort = Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"]
_ROOM = 8_000
"""Tokens that a model which reasons may take for it, where nobody says otherwise."""


class ModelSettings(Frozen):
    """A chat model. In a config `model: openai:gpt-5-mini` is short for `model: {name: openai:gpt-5-mini}`."""

    name: str
    """`PROVIDER:NAME` as LangChain's `init_chat_model` has it, such as `openai:gpt-5`, or a name that says its provider, such as
    `claude-sonnet-4-5`; `scripted` follows `script`, `given` is the part `model` of a Crew."""
    base_url: str | None = None
    """Of a server that speaks the provider's protocol; one on this machine needs no key."""
    script: Path | None = None
    """With `scripted`: the YAML file with its answers."""
    temperature: float | None = Field(default=0.0, ge=0.0, le=2.0)
    """None leaves it to the provider; some models refuse the setting, and one that reasons is told it only where it is set."""
    max_tokens: int = Field(default=1_000, ge=16)
    """The longest answer, without what a model reasons unseen."""
    reasoning_tokens: int | None = Field(default=None, ge=0)
    """What may be reasoned unseen beside `max_tokens`; None: 8,000 for a model that is known to reason or has an `effort`."""
    effort: Effort | None = None
    """How much it reasons before it answers; None leaves it to the provider."""
    picture_side: int | None = Field(default=None, ge=64)
    """Pixels of the longer side of a picture, which is made smaller where it is larger; None: as its provider would."""
    structure: Structure = "auto"
    timeout: float = Field(default=60.0, gt=0)
    """Seconds for one call."""
    deadline: float = Field(default=180.0, gt=0)
    """Seconds for one answer, all tries together."""
    break_after: int = Field(default=4, ge=1)
    """So many answers in a row that could not be had, and the model is left alone for `break_seconds`."""
    break_seconds: float = Field(default=30.0, gt=0)
    prices: Prices = Field(default_factory=Prices)
    options: dict[str, Any] = Field(default_factory=dict)
    """More arguments of the provider's own class, as it names them."""

    @field_validator("base_url")
    @classmethod
    def _is_an_address(cls, base_url: str | None) -> str | None:
        if base_url is not None and not urlsplit(base_url).hostname:  # which raises ValueError itself for http://[::1
            raise ValueError("it is not an address; write for example http://127.0.0.1:8000/v1")
        return base_url

    @field_validator("name")
    @classmethod
    def _names_a_provider(cls, name: str) -> str:
        if name not in OWN and not all(part.strip() for part in provided(name)):
            near = get_close_matches(name.partition(":")[0], providers(), 1) if ":" in name else []
            meant = f"; did you mean {near[0]}:{name.partition(':')[2]}?" if near else ""
            known = ", ".join(f"{p}:NAME" for p in PROVIDERS)
            raise ValueError(f"a model is one of {known} or another of LangChain's, {', '.join(OWN)}; not {name!r}{meant}")
        return name

    @model_validator(mode="after")
    def _script_fits(self) -> ModelSettings:
        if (self.name == "scripted") != (self.script is not None):
            raise ValueError("the model `scripted` needs a script, and no other model has one")
        return self

    @property
    def provider(self) -> Provider:
        """Who has it; one of whom nothing is known where the name says none."""
        return providers().get(provided(self.name)[0]) or Provider()

    @property
    def pictures(self) -> PictureSize:
        """How large its pictures may be."""
        size = self.provider.pictures
        return size if self.picture_side is None else size.model_copy(update={"side": self.picture_side})

    @property
    def reasons(self) -> bool:
        """Whether it is known to reason before it answers."""
        known = self.provider.reasons
        return self.effort not in {None, "none"} or bool(known and re.match(known, provided(self.name)[1]))

    @property
    def longest(self) -> int:
        """Tokens of an answer, with what is reasoned unseen: providers bound both together."""
        return self.max_tokens + ((_ROOM if self.reasons else 0) if self.reasoning_tokens is None else self.reasoning_tokens)

    @property
    def heat(self) -> float | None:
        """The temperature that it is asked with."""
        return self.temperature if "temperature" in self.model_fields_set or not self.reasons else None


def provided(name: str) -> tuple[str, str]:
    """The provider and its name for the model; twice nothing where no provider is known."""
    provider, colon, model = name.partition(":")
    if colon and provider in providers():
        return provider, model
    if colon and get_close_matches(provider, providers(), 1, 0.7):
        return "", ""  # a provider, misspelt
    begins = (one for one, told in providers().items() if told.begins and re.match(told.begins, name.lower()))
    return next(((one, name) for one in begins), ("", ""))


PROVIDERS = ("openai", "anthropic", "ollama")
OWN = ("scripted", "given")
