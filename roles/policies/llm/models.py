"""From the name of a model to a LangChain chat model. Packages of providers are extras, imported when they are used.

ModelProblem        the model cannot be had: what is wrong, or
  ModelMissing      what this machine lacks for it, and how to get it
"""

from __future__ import annotations

import importlib
import os
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from langchain_core.language_models import BaseChatModel

from protocol.http_bounds import bound
from roles.policies.llm.settings import ModelMissing, ModelProblem, ModelSettings


class _Provider(NamedTuple):
    module: str
    name: str
    key: str
    """Environment variable with the key; empty where none is needed."""
    longest: str
    """What its class calls the longest answer."""
    client: str
    """Where its class keeps the client of its package, which keeps that of HTTP as `_client`."""


_PROVIDERS = {
    "openai": _Provider("langchain_openai", "ChatOpenAI", "OPENAI_API_KEY", "max_tokens", "root_client"),
    "anthropic": _Provider("langchain_anthropic", "ChatAnthropic", "ANTHROPIC_API_KEY", "max_tokens", "_client"),
    "ollama": _Provider("langchain_ollama", "ChatOllama", "", "num_predict", "_client"),
}


def open_model(settings: ModelSettings, given: BaseChatModel | None = None) -> BaseChatModel:
    """The model that the settings name. Raises ModelProblem."""
    if settings.name == "given":
        if given is None:
            raise ModelProblem("the model `given` is a chat model that a program gives: Crew(..., model=MODEL)")
        return given
    if settings.script is not None:
        from roles.policies.scripted_model import read_script

        return read_script(settings.script)
    provider, _, name = settings.name.partition(":")
    return _opened(provider, name, settings)


def _opened(provider: str, name: str, settings: ModelSettings) -> BaseChatModel:
    found = _PROVIDERS[provider]
    try:
        kind = getattr(importlib.import_module(found.module), found.name)
    except ImportError:
        raise ModelMissing(f'the model {settings.name} needs: pip install "deskcrew[{provider}]"') from None
    arguments: dict[str, Any] = {"model": name, found.longest: settings.max_tokens}
    if settings.temperature is not None:
        arguments["temperature"] = settings.temperature
    if settings.base_url is not None:
        arguments["base_url"] = settings.base_url
    if found.key:
        # Tries are counted, waited for and recorded by us.
        arguments |= {"max_retries": 0, "timeout": settings.timeout}
        arguments |= _key(found, settings)
    else:
        arguments["client_kwargs"] = {"timeout": settings.timeout}
    try:
        model = kind(**arguments | settings.options)
    except (TypeError, ValueError) as bad:
        raise ModelProblem(f"the model {settings.name} cannot be opened: {' '.join(str(bad).split())[:300]}") from None
    assert isinstance(model, BaseChatModel)  # noqa: S101 - what a provider's package promises
    client = getattr(getattr(model, found.client, None), "_client", None)
    if client is not None:
        bound(client, settings.timeout)
    return model


def _key(found: _Provider, settings: ModelSettings) -> dict[str, str]:
    """A server on this machine wants no key, but the classes want one; any other needs the user's own."""
    if os.environ.get(found.key) or "api_key" in settings.options:
        return {}
    host = urlsplit(settings.base_url or "").hostname or ""
    if host in {"localhost", "127.0.0.1", "::1"}:
        return {"api_key": "none"}
    raise ModelMissing(f"the model {settings.name} needs a key: put it into the environment variable {found.key}")
