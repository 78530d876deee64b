"""From the name of a model of embeddings to a LangChain `Embeddings`. Packages of providers are extras."""

from __future__ import annotations

import importlib
import importlib.util
from typing import TYPE_CHECKING

from protocol.retries import Retries
from roles.knowledge.meaning import Meaning, MeaningFault
from roles.knowledge.settings import EmbeddingSettings

if TYPE_CHECKING:
    from langchain_core.embeddings import Embeddings

_CLASSES = {"openai": ("langchain_openai", "OpenAIEmbeddings"), "ollama": ("langchain_ollama", "OllamaEmbeddings")}


def open_meaning(settings: EmbeddingSettings, given: Embeddings | None = None, retries: Retries | None = None) -> Meaning:
    """The model that the settings name, or the one that a program gives. Raises MeaningFault."""
    if importlib.util.find_spec("numpy") is None:
        raise MeaningFault('knowledge.embeddings needs: pip install "deskcrew[embeddings]"')
    if settings.name in {"", "given"}:
        if given is None:
            raise MeaningFault("knowledge.embeddings: `given` is a model that a program gives: Crew(embeddings=MODEL)")
        return Meaning(_named(given), given, settings.unrelated, retries)
    provider, _, model = settings.name.partition(":")
    module, name = _CLASSES[provider]
    try:
        kind = getattr(importlib.import_module(module), name)
    except ImportError:
        raise MeaningFault(f'the embeddings {settings.name} need: pip install "deskcrew[{provider}]"') from None
    try:
        ours = {"max_retries": 0} if provider == "openai" else {}  # tries are counted and waited for by us
        opened: Embeddings = kind(**{"model": model, **ours, **settings.options})
    except Exception as bad:  # a provider's class: a missing key and a wrong option have no error in common
        said = " ".join(str(bad).split())[:300]
        raise MeaningFault(f"the embeddings {settings.name} cannot be opened: {said}") from bad
    return Meaning(settings.name, opened, settings.unrelated, retries)


def _named(given: Embeddings) -> str:
    """Another model has other vectors, so it must have another name: its class, and what it says of its model."""
    said = [str(getattr(given, key)) for key in ("model", "model_name", "size", "dimensions") if getattr(given, key, None)]
    return ":".join([f"given:{type(given).__module__}.{type(given).__qualname__}", *said])
