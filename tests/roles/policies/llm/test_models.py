"""From a name to a model: what is missing is said in one sentence."""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace
from typing import Any, ClassVar

import httpx
import pytest
from langchain_core.language_models import BaseChatModel
from pydantic import ValidationError

from roles.policies.llm.models import open_model
from roles.policies.llm.settings import ModelProblem, ModelSettings
from roles.policies.scripted_model import ScriptedChatModel


class Provided(ScriptedChatModel):
    """Stands where a provider's class would be imported from; keeps what it was made with."""

    made: ClassVar[dict[str, Any]] = {}

    def __init__(self, **made: Any) -> None:
        super().__init__(answer=lambda _: "x")
        self.made.clear()
        self.made.update(made)


@pytest.fixture
def provider(monkeypatch: pytest.MonkeyPatch) -> None:
    for module, name in (("openai", "ChatOpenAI"), ("anthropic", "ChatAnthropic"), ("ollama", "ChatOllama")):
        stand_in = ModuleType(f"langchain_{module}")
        setattr(stand_in, name, Provided)
        monkeypatch.setitem(sys.modules, f"langchain_{module}", stand_in)
    for key in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.delenv(key, raising=False)


def opened(**settings: Any) -> dict[str, Any]:
    model = open_model(ModelSettings.model_validate(settings))
    assert isinstance(model, Provided)
    return model.made


@pytest.mark.usefixtures("provider")
def test_a_server_on_this_machine_needs_no_key() -> None:
    made = opened(name="openai:small", base_url="http://127.0.0.1:8099/v1", temperature=0.3, options={"top_p": 0.5})
    assert made["base_url"] == "http://127.0.0.1:8099/v1"
    assert (made["model"], made["temperature"], made["top_p"], made["max_tokens"]) == ("small", 0.3, 0.5, 1_000)
    assert (made["max_retries"], made["timeout"]) == (0, 60.0)
    assert made["api_key"]


@pytest.mark.usefixtures("provider")
def test_any_other_server_needs_ones_own(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, key in (("openai:gpt-x", "OPENAI_API_KEY"), ("anthropic:claude-x", "ANTHROPIC_API_KEY")):
        with pytest.raises(ModelProblem, match=f"needs a key: put it into the environment variable {key}"):
            opened(name=name)
        with pytest.raises(ModelProblem, match=key):
            opened(name=name, base_url="https://models.example/v1")
        monkeypatch.setenv(key, "k")
        assert "api_key" not in opened(name=name)


@pytest.mark.usefixtures("provider")
def test_ollama_calls_things_by_other_names() -> None:
    made = opened(name="ollama:llama:8b", temperature=None, max_tokens=50)
    assert (made["model"], made["num_predict"], made["client_kwargs"]) == ("llama:8b", 50, {"timeout": 60.0})
    assert "temperature" not in made


@pytest.mark.parametrize(("name", "held"), [("openai:x", "root_client"), ("anthropic:x", "_client"), ("ollama:x", "_client")])
@pytest.mark.usefixtures("provider")
def test_what_a_server_may_answer_is_bounded(name: str, held: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with httpx.Client() as client:
        monkeypatch.setattr(Provided, held, SimpleNamespace(_client=client), raising=False)
        opened(name=name, base_url="http://127.0.0.1:8099", options={"api_key": "k"})
        assert [len(hooks) for hooks in client.event_hooks.values()] == [1, 1]


@pytest.mark.parametrize("provider_name", ["openai", "anthropic", "ollama"])
def test_a_missing_package_is_named_with_its_extra(provider_name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, f"langchain_{provider_name}", None)
    with pytest.raises(ModelProblem, match=rf'pip install "deskcrew\[{provider_name}\]"'):
        open_model(ModelSettings(name=f"{provider_name}:x"))


def test_a_model_may_be_given_by_a_program() -> None:
    mine: BaseChatModel = ScriptedChatModel(answer=lambda _: "x")
    assert open_model(ModelSettings(name="given"), mine) is mine
    with pytest.raises(ModelProblem, match="given"):
        open_model(ModelSettings(name="given"))


@pytest.mark.parametrize("name", ["gpt-5", "openai:", "acme:x", "", "openai: "])
def test_a_name_without_a_provider_is_refused(name: str) -> None:
    with pytest.raises(ValidationError, match="a model is one of openai:NAME"):
        ModelSettings(name=name)


def test_only_the_scripted_model_has_a_script() -> None:
    with pytest.raises(ValidationError, match="needs a script"):
        ModelSettings(name="scripted")
