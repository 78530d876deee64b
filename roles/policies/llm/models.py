"""From the name of a model to a LangChain chat model. Packages of providers are extras, imported when they are used.

ModelProblem        the model cannot be had: what is wrong, or
  ModelMissing      what this machine lacks for it, and how to get it
"""

import importlib
import os
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from langchain_core.language_models import BaseChatModel

from protocol.http_bounds import bound
from roles.policies.llm.settings import ModelMissing, ModelProblem, ModelSettings, Provider, provided, providers

_CLIENTS = ("root_client", "_client")
"""Where classes keep the client of their provider's package, which keeps that of HTTP as `_client`."""


def open_model(settings: ModelSettings, given: BaseChatModel | None = None) -> BaseChatModel:
    """The model that the settings name. Raises ModelProblem."""
    if settings.name == "given":
        if given is None:
            raise ModelProblem("the model `given` is a chat model that a program gives: Crew(..., model=MODEL)")
        return given
    if settings.script is not None:
        from roles.policies.scripted_model import read_script

        return read_script(settings.script)
    provider, name = provided(settings.name)
    found = providers()[provider]
    try:
        kind = getattr(importlib.import_module(found.module), found.kind)
    except ImportError:
        raise ModelMissing(f"the model {settings.name} needs: pip install {found.to_install}") from None
    arguments = {found.model: name, **_settings(provider, found, kind, settings), **_key(found, settings), **settings.options}
    try:
        model = (getattr(kind, found.make) if found.make else kind)(**arguments)
    except ImportError as lacking:
        raise ModelMissing(f"the model {settings.name} lacks a package: {lacking}") from None
    except (TypeError, ValueError) as bad:
        raise ModelProblem(f"the model {settings.name} cannot be opened: {' '.join(str(bad).split())[:300]}") from None
    assert isinstance(model, BaseChatModel)  # noqa: S101 - what a provider's package promises
    for client in (getattr(getattr(model, place, None), "_client", None) for place in _CLIENTS):
        if hasattr(client, "event_hooks"):
            bound(client, settings.timeout)
            break
    return model


def _settings(provider: str, found: Provider, kind: type, settings: ModelSettings) -> dict[str, Any]:
    """What its class takes of the settings. Raises ModelProblem for what was set and is not taken."""
    wanted: dict[str, Any] = {
        found.longest: settings.longest,
        "temperature": settings.heat,
        "base_url": settings.base_url,
    }
    if provider == "ollama":
        wanted["client_kwargs"] = {"timeout": settings.timeout}
    else:
        wanted |= {"max_retries": 0, "timeout": settings.timeout}  # tries are counted, waited for and recorded by us
    if settings.effort is not None:
        if not found.effort:
            raise ModelProblem(f"the model {settings.name} has no effort that can be set here; put it into `options`")
        wanted[found.effort] = settings.effort != "none" and settings.effort if provider == "ollama" else settings.effort
    wanted = {name: value for name, value in wanted.items() if value is not None}
    if found.key or provider == "ollama":  # these are known to take them all
        return wanted
    fields: Mapping[str, Any] = getattr(kind, "model_fields", {})
    known = {*fields, *(field.alias for field in fields.values())}
    if settings.base_url is not None and "base_url" not in known:
        raise ModelProblem(f"the model {settings.name} takes no base_url; its class says in `options` where it is")
    return {name: value for name, value in wanted.items() if name in known}


def _key(found: Provider, settings: ModelSettings) -> dict[str, str]:
    """A server on this machine wants no key, but the classes want one; any other needs the user's own."""
    if not found.key or os.environ.get(found.key) or "api_key" in settings.options:
        return {}
    host = urlsplit(settings.base_url or "").hostname or ""
    if host in {"localhost", "127.0.0.1", "::1"}:
        return {"api_key": "none"}
    raise ModelMissing(f"the model {settings.name} needs a key: put it into the environment variable {found.key}")
