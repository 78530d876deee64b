"""From a name to a model: what is missing is said in one sentence."""

import sys
import tomllib
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, ClassVar

import httpx
import pytest
from langchain_core.language_models import BaseChatModel
from pydantic import ValidationError

from roles.policies.llm.models import open_model
from roles.policies.llm.settings import ModelProblem, ModelSettings, provided, providers
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
def test_a_server_on_this_machine_needs_no_key_and_ollama_calls_things_by_other_names() -> None:
    made = opened(name="openai:small", base_url="http://127.0.0.1:8099/v1", temperature=0.3, options={"top_p": 0.5})
    assert made["base_url"] == "http://127.0.0.1:8099/v1"
    assert (made["model"], made["temperature"], made["top_p"], made["max_tokens"]) == ("small", 0.3, 0.5, 1_000)
    assert (made["max_retries"], made["timeout"]) == (0, 60.0)
    assert made["api_key"]
    made = opened(name="ollama:llama:8b", temperature=None, max_tokens=50)
    assert (made["model"], made["num_predict"], made["client_kwargs"]) == ("llama:8b", 50, {"timeout": 60.0})
    assert "temperature" not in made


@pytest.mark.usefixtures("provider")
def test_any_other_server_needs_ones_own(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, key in (("openai:gpt-x", "OPENAI_API_KEY"), ("anthropic:claude-x", "ANTHROPIC_API_KEY")):
        with pytest.raises(ModelProblem, match=f"needs a key: put it into the environment variable {key}"):
            opened(name=name)
        with pytest.raises(ModelProblem, match=key):
            opened(name=name, base_url="https://models.example/v1")
        monkeypatch.setenv(key, "k")
        assert "api_key" not in opened(name=name)


@pytest.mark.parametrize(("name", "held"), [("openai:x", "root_client"), ("anthropic:x", "_client"), ("ollama:x", "_client")])
@pytest.mark.usefixtures("provider")
def test_what_a_server_may_answer_is_bounded(name: str, held: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with httpx.Client() as client:
        monkeypatch.setattr(Provided, held, SimpleNamespace(_client=client), raising=False)
        opened(name=name, base_url="http://127.0.0.1:8099", options={"api_key": "k"})
        assert [len(hooks) for hooks in client.event_hooks.values()] == [1, 1]


def test_a_model_may_be_given_by_a_program() -> None:
    mine: BaseChatModel = ScriptedChatModel(answer=lambda _: "x")
    assert open_model(ModelSettings(name="given"), mine) is mine
    with pytest.raises(ModelProblem, match="given"):
        open_model(ModelSettings(name="given"))


@pytest.mark.parametrize(
    ("name", "why"),
    [
        *((name, "a model is one of openai:NAME") for name in ("phi-4", "openai:", "acme:x", "", "openai: ")),
        ("mistral:large", "did you mean mistralai:large"),
        ("scripted", "needs a script"),
    ],
)
def test_a_name_without_a_provider_is_refused(name: str, why: str) -> None:
    with pytest.raises(ValidationError, match=why):
        ModelSettings(name=name)


@pytest.mark.parametrize(
    ("name", "means"),
    [
        ("gpt-5-mini", ("openai", "gpt-5-mini")),
        ("claude-sonnet-4-5", ("anthropic", "claude-sonnet-4-5")),
        ("gemini-2.5-pro", ("google_vertexai", "gemini-2.5-pro")),
        ("mistral-large", ("mistralai", "mistral-large")),
        ("bedrock:anthropic.claude-v2:1", ("bedrock", "anthropic.claude-v2:1")),
    ],
)
def test_names_mean_what_they_mean_to_langchain(name: str, means: tuple[str, str]) -> None:
    assert provided(ModelSettings(name=name).name) == means


@pytest.mark.parametrize("name", sorted(providers()))
def test_what_is_missing_is_said_in_one_sentence_for_every_provider(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    told = providers()[name]
    monkeypatch.setitem(sys.modules, told.module.partition(".")[0], None)
    with pytest.raises(ModelProblem) as said:
        open_model(ModelSettings(name=f"{name}:x"))
    extras = tomllib.loads((Path(__file__).parents[4] / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    if told.extra:
        package = told.module.partition(".")[0].replace("_", "-")
        assert any(line.startswith(package) for line in extras[told.extra])
        assert str(said.value) == f'the model {name}:x needs: pip install "deskcrew[{told.extra}]"'
    else:
        assert str(said.value).startswith(f"the model {name}:x needs: pip install langchain-")


class Narrow(ScriptedChatModel):
    """A class that knows neither timeout nor max_retries, and calls its longest answer otherwise."""

    max_output_tokens: int = 0
    temperature: float = 1.0


def test_a_class_gets_only_what_it_knows(monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in = ModuleType("langchain_google_vertexai")
    stand_in.ChatVertexAI = Narrow  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "langchain_google_vertexai", stand_in)
    made = open_model(ModelSettings(name="google_vertexai:gemini-1.5-pro", max_tokens=300, temperature=0.25))
    assert isinstance(made, Narrow)
    assert (made.max_output_tokens, made.temperature) == (300, 0.25)
    with pytest.raises(ModelProblem, match="takes no base_url"):
        open_model(ModelSettings(name="google_vertexai:gemini-1.5-pro", base_url="http://127.0.0.1:1/v1"))


@pytest.mark.usefixtures("provider")
@pytest.mark.parametrize(
    ("settings", "longest", "heat", "effort"),
    [
        ({"name": "openai:gpt-5"}, 9_000, None, None),
        ({"name": "openai:gpt-5", "temperature": 1.0, "reasoning_tokens": 500}, 1_500, 1.0, None),
        ({"name": "openai:gpt-5", "effort": "low"}, 9_000, None, "low"),
        ({"name": "openai:gpt-4.1"}, 1_000, 0.0, None),
        ({"name": "openai:gpt-5-chat-latest"}, 1_000, 0.0, None),
        ({"name": "anthropic:claude-x", "options": {"api_key": "k"}}, 1_000, 0.0, None),
        ({"name": "anthropic:claude-x", "options": {"api_key": "k"}, "effort": "high", "max_tokens": 400}, 8_400, None, "high"),
    ],
)
def test_a_model_that_reasons_has_room_for_it_and_an_effort(
    settings: dict[str, Any], longest: int, heat: float | None, effort: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    made = opened(**settings)
    assert (made["max_tokens"], made.get("temperature")) == (longest, heat)
    assert made.get("reasoning_effort", made.get("effort")) == effort


@pytest.mark.usefixtures("provider")
def test_an_effort_that_nobody_takes_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in = ModuleType("langchain_cohere")
    stand_in.ChatCohere = Provided  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "langchain_cohere", stand_in)
    with pytest.raises(ModelProblem, match="no effort that can be set here"):
        open_model(ModelSettings(name="cohere:command-a", effort="high"))
