"""OpenTelemetry: a run as one trace, made from the events of its journal.

Spans: the run in this process, each attempt of a subtask, each call of a model, action, gate and approval. Names and attributes
are those of the GenAI conventions, version 1.41.0, as far as they go; ours begin with `deskcrew.`. The trace's id follows
from the run's, so that a process that resumes the run goes on in the same trace. Prompts, replies and values are in no span.
"""

from __future__ import annotations

import threading
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from orchestrator.errors import MissingDependency
from roles.contracts.signals import SubtaskStatus
from roles.journal import events as journal
from roles.journal.journal import Event, Listener

if TYPE_CHECKING:
    from opentelemetry.trace import Span, Tracer, TracerProvider

NAME = "deskcrew"
_BEGINS = {
    journal.DecidedEvent.KIND: "step",
    journal.SituationEvent.KIND: "gate",
    journal.ApprovalRequestedEvent.KIND: "approval",
}
"""What begins with an event and ends with a later one."""
_ENDED = {SubtaskStatus.FULFILLED.value, SubtaskStatus.REJECTED.value}


class RunTrace:
    """Hears the events of a run, and passes them on to who else listens."""

    def __init__(self, run_id: str, listener: Listener | None = None, provider: TracerProvider | None = None) -> None:
        """Raises MissingDependency where OpenTelemetry is not installed."""
        try:
            from opentelemetry import trace
        except ImportError:
            raise MissingDependency('traces: otel needs OpenTelemetry: pip install "deskcrew[otel]"') from None
        self._listener, self._trace = listener, trace
        given = provider is not None or not isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider)
        self._own = None if given else _exporting()
        self._tracer: Tracer = trace.get_tracer(NAME, tracer_provider=provider or self._own)
        numbers = blake2b(run_id.encode(), digest_size=24).digest()
        ids = int.from_bytes(numbers[:16]), int.from_bytes(numbers[16:])
        whole = trace.SpanContext(*ids, is_remote=True, trace_flags=trace.TraceFlags(trace.TraceFlags.SAMPLED))
        around = trace.get_current_span().get_span_context()
        self._run = self._tracer.start_span(
            f"invoke_agent {NAME}",
            context=trace.set_span_in_context(trace.NonRecordingSpan(whole)),
            attributes={"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": NAME, "gen_ai.conversation.id": run_id},
            links=[trace.Link(around)] if around.is_valid else [],
        )
        self._subtasks: dict[str, Span] = {}
        self._since: dict[tuple[str, str], float] = {}
        """When what is spanned by a later event began: by its kind and subtask."""
        self._lock = threading.Lock()

    def __call__(self, event: Event) -> None:
        with self._lock:
            self._take(event)
        if self._listener is not None:
            self._listener(event)

    def close(self) -> None:
        """End what is open, and hand over what was not yet. Twice is fine."""
        with self._lock:
            for span in (*self._subtasks.values(), self._run):
                if span.is_recording():
                    span.end()
            self._subtasks.clear()
        if self._own is not None:
            self._own.shutdown()

    def _take(self, event: Event) -> None:
        match event.content:
            case journal.RunStartedEvent() as run:
                self._run.set_attributes({"deskcrew.task": run.task, "deskcrew.world": run.world, "deskcrew.seed": run.seed})
            case journal.RunFinishedEvent() as run:
                self._run.set_attributes({"deskcrew.status": run.status, "deskcrew.exit_code": run.exit_code})
                if run.exit_code:
                    self._run.set_status(self._trace.StatusCode.ERROR, run.reason)
            case journal.SubtaskStatusEvent() as subtask:
                self._subtask(event, subtask)
            case journal.ModelCallEvent() as call:
                provider, _, model = call.model.rpartition(":")
                more = {
                    "gen_ai.operation.name": "chat",
                    "gen_ai.provider.name": provider or "unknown",
                    "gen_ai.request.model": model,
                    "gen_ai.usage.input_tokens": call.tokens_in,
                    "gen_ai.usage.output_tokens": call.tokens_out,
                    "gen_ai.usage.cache_read.input_tokens": call.tokens_cached,
                    "deskcrew.money": call.money,
                }
                self._since["model", event.subtask] = event.at - call.seconds
                self._over(event, "model", f"chat {model}", more, call.problem)
            case journal.DecidedEvent() | journal.SituationEvent() | journal.ApprovalRequestedEvent():
                self._since[_BEGINS[event.kind], event.subtask] = event.at
            case other:
                self._done(event, other)

    def _done(self, event: Event, content: journal.JournalEvent | journal.Unreadable) -> None:
        match content:
            case journal.StepEvent() as step:
                more = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": step.verb, "deskcrew.step": step.step}
                more |= {"deskcrew.app": step.app or "", "deskcrew.exec_status": step.exec_status}
                self._over(event, "step", f"execute_tool {step.verb}", more, step.error)
            case journal.GateEvent() as gate:
                more = {"deskcrew.trigger": gate.trigger, "deskcrew.decision": gate.decision}
                self._over(event, "gate", f"gate {gate.trigger}", more)
            case journal.ApprovalEvent() as answer:
                self._over(event, "approval", "approval", {"deskcrew.decision": answer.decision})
            case journal.ApprovalExpiredEvent():
                self._over(event, "approval", "approval", {"deskcrew.decision": "expired"})
            case _:
                pass

    def _subtask(self, event: Event, subtask: journal.SubtaskStatusEvent) -> None:
        if subtask.status == SubtaskStatus.READY.value:
            return
        span = self._above(event, event.at)
        span.set_attributes({"deskcrew.status": subtask.status, "deskcrew.attempt": subtask.attempt})
        if subtask.status in _ENDED:
            self._subtasks.pop(event.subtask, span).end(_nanoseconds(event.at))

    def _above(self, event: Event, at: float) -> Span:
        """The span of the subtask that an event is about, also of one that another process began; else that of the run."""
        if not event.subtask:
            return self._run
        if event.subtask not in self._subtasks:
            self._subtasks[event.subtask] = self._begun(self._run, f"subtask {event.subtask}", at)
        return self._subtasks[event.subtask]

    def _over(self, event: Event, kind: str, name: str, attributes: dict[str, Any], problem: str = "") -> None:
        """A span that ends with this event."""
        since = self._since.pop((kind, event.subtask), None) or self._since.pop((kind, ""), event.at)
        at = min(since, event.at)
        span = self._begun(self._above(event, at), name, at)
        span.set_attributes({"deskcrew.role": event.role, **attributes})
        if problem:
            span.set_status(self._trace.StatusCode.ERROR, problem)
        span.end(_nanoseconds(event.at))

    def _begun(self, above: Span, name: str, at: float) -> Span:
        return self._tracer.start_span(name, context=self._trace.set_span_in_context(above), start_time=_nanoseconds(at))


def _nanoseconds(at: float) -> int:
    return int(at * 1e9)


def _exporting() -> Any:
    """A provider of our own, which sends where the environment says: `OTEL_EXPORTER_OTLP_ENDPOINT` and so on."""
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider as SdkProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError:
        raise MissingDependency('traces: otel needs OpenTelemetry\'s exporter: pip install "deskcrew[otel]"') from None
    provider = SdkProvider(resource=Resource.create({"service.name": NAME}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return provider
