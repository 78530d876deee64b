"""What can be said of a model: which one, how it is called, and what it costs."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from pydantic import Field, field_validator, model_validator

from protocol import Frozen


class ModelProblem(ValueError):
    """One sentence that says what to do."""


class ModelMissing(ModelProblem):
    """The package or the key of a model is not here."""


Structure = Literal["auto", "schema", "tools", "json", "text"]
"""How the form of an answer is asked for: by a JSON schema, as a call of a tool, as any JSON, or in words only."""

AnswerForm = Literal["full", "narrow"]
"""Of an Operator's answer: one flat form with all fields, or one of the moves that the screen allows."""


class Prices(Frozen):
    """Of a million tokens, in a currency of your choice."""

    tokens_in: float = Field(default=0.0, ge=0)
    tokens_out: float = Field(default=0.0, ge=0)
    tokens_cached: float | None = Field(default=None, ge=0)
    """Of those that were read and that the provider had in its cache; None: as any others."""


class ModelSettings(Frozen):
    """A chat model. In a config `model: openai:gpt-5-mini` is short for `model: {name: openai:gpt-5-mini}`."""

    name: str
    """`openai:NAME`, `anthropic:NAME`, `ollama:NAME`; `scripted` follows `script`, `given` is the part `model` of a Crew."""
    base_url: str | None = None
    """Of a server that speaks the provider's protocol; one on this machine needs no key."""
    script: Path | None = None
    """With `scripted`: the YAML file with its answers."""
    temperature: float | None = Field(default=0.0, ge=0.0, le=2.0)
    """None leaves it to the provider; some models refuse the setting."""
    max_tokens: int = Field(default=1_000, ge=16)
    """The longest answer."""
    structure: Structure = "auto"
    timeout: float = Field(default=60.0, gt=0)
    """Seconds for one call."""
    tries: int | None = Field(default=None, ge=1)
    wait: float | None = Field(default=None, gt=0)
    """Old names: `retries.tries` and `retries.wait` are for all."""
    deadline: float = Field(default=180.0, gt=0)
    """Seconds for one answer, all tries together."""
    break_after: int = Field(default=4, ge=1)
    """So many answers in a row that could not be had, and the model is left alone for `break_seconds`."""
    break_seconds: float = Field(default=30.0, gt=0)
    prices: Prices = Prices()
    options: dict[str, Any] = Field(default_factory=dict)
    """More arguments of the provider's own class, as it names them."""

    @field_validator("base_url")
    @classmethod
    def _is_an_address(cls, base_url: str | None) -> str | None:
        if base_url is not None and not urlsplit(base_url).hostname:  # which raises ValueError itself for http://[::1
            raise ValueError("it is no address; write for example http://127.0.0.1:8000/v1")
        return base_url

    @field_validator("name")
    @classmethod
    def _names_a_provider(cls, name: str) -> str:
        provider, colon, model = name.partition(":")
        if name not in OWN and (not colon or not model.strip() or provider not in PROVIDERS):
            known = ", ".join(f"{p}:NAME" for p in PROVIDERS)
            raise ValueError(f"a model is one of {known}, {', '.join(OWN)}; not {name!r}")
        return name

    @model_validator(mode="after")
    def _script_fits(self) -> ModelSettings:
        if (self.name == "scripted") != (self.script is not None):
            raise ValueError("the model `scripted` needs a script, and no other model has one")
        return self


PROVIDERS = ("openai", "anthropic", "ollama")
OWN = ("scripted", "given")
