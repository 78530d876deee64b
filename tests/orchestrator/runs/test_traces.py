"""A run as one OpenTelemetry trace, kept by the SDK's own exporter in memory."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage

pytest.importorskip("opentelemetry.sdk", reason='OpenTelemetry is not installed; pip install "deskcrew[otel]"')

from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode

from deskcrew import Crew
from orchestrator.runs import traces

SUBMIT = 'In the reimbursement form, enter "$12.50" as the amount and submit the form'
YES = {"decisions": [{"type": "approve"}]}


@pytest.fixture
def exported(monkeypatch: pytest.MonkeyPatch) -> InMemorySpanExporter:
    """What processes of a run would send; each has a provider of its own."""
    kept = InMemorySpanExporter()

    def provider() -> TracerProvider:
        made = TracerProvider()
        made.add_span_processor(SimpleSpanProcessor(kept))
        return made

    monkeypatch.setattr(kept, "shutdown", lambda: None)  # it would forget what it was given
    monkeypatch.setattr(traces, "_exporting", provider)
    return kept


def crew(folder: Path, *overrides: str, **parts: Any) -> Crew:
    return Crew.from_config(overrides=[f"runs_dir={json.dumps(str(folder))}", "seed=3", "traces=otel", *overrides], **parts)


def test_a_run_that_was_resumed_is_one_trace_of_its_subtasks_actions_gates_and_approvals(
    tmp_path: Path, exported: InMemorySpanExporter
) -> None:
    mine = crew(tmp_path)
    waiting = mine.run(SUBMIT)
    assert waiting.exit_code == 3
    done = mine.resume(waiting.run_id, YES)
    assert done.status == "fulfilled"
    spans = exported.get_finished_spans()
    assert len({span.context.trace_id for span in spans}) == 1
    runs = [span for span in spans if span.name == "invoke_agent deskcrew"]
    assert [span.attributes["gen_ai.conversation.id"] for span in runs] == [done.run_id] * 2
    actions = [span for span in spans if span.name.startswith("execute_tool ")]
    assert [span.attributes["gen_ai.tool.name"] for span in actions] == [step["verb"] for step in done.report["steps"]]
    subtasks = {span.context.span_id for span in spans if span.name.startswith("subtask ")}
    assert {span.parent.span_id for span in actions} <= subtasks
    assert all(span.start_time <= span.end_time for span in spans)
    assert [s.attributes["deskcrew.decision"] for s in spans if s.name == "approval"] == ["approve"]
    assert [s.attributes["deskcrew.decision"] for s in spans if s.name == "gate FINAL_CHECK"] == ["gate_done"]


def test_a_run_that_fails_is_an_error_with_its_reason(tmp_path: Path, exported: InMemorySpanExporter) -> None:
    outcome = crew(tmp_path).run("Frobnicate the old mails")
    (run,) = [span for span in exported.get_finished_spans() if span.name == "invoke_agent deskcrew"]
    assert (run.status.status_code, run.status.description) == (StatusCode.ERROR, outcome.reason)


def test_a_call_of_a_model_says_what_it_used_and_nothing_of_what_was_said(tmp_path: Path, exported: InMemorySpanExporter) -> None:
    usage: Any = {"input_tokens": 70, "output_tokens": 9, "total_tokens": 79}
    model = GenericFakeChatModel(messages=iter([AIMessage("I know no plan.", usage_metadata=usage)] * 40))
    crew(tmp_path, "crew.manager.policy=llm", "limits.plans=1", model=model).run(SUBMIT)
    calls = [span for span in exported.get_finished_spans() if span.name.startswith("chat ")]
    assert calls
    assert {(s.attributes["gen_ai.usage.input_tokens"], s.attributes["gen_ai.usage.output_tokens"]) for s in calls} == {(70, 9)}
    assert not any("no plan" in span.to_json() or "$12.50" in span.to_json() for span in calls)


def test_where_traces_are_off_nothing_is_loaded_that_could_send_them(tmp_path: Path) -> None:
    code = (
        "import sys; from deskcrew import Crew; "
        f"Crew.from_config(overrides=['runs_dir={tmp_path}', 'display=none']).run('Open the notes'); "
        "print([name for name in sys.modules if name.startswith('opentelemetry.exporter')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
