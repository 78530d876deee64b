"""The crew as an agent of the A2A protocol: a run is a task, what it asks of people is what the task needs as input.

A task is read from the run's folder whenever it is asked about, so that nothing is lost with the server.
"""

from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from a2a.helpers import get_data_parts, get_message_text, new_data_artifact, new_data_part, new_text_message
from a2a.server.context import ServerCallContext
from a2a.server.request_handlers.request_handler import RequestHandler
from a2a.server.request_handlers.response_helpers import agent_card_to_dict
from a2a.server.routes.common import ServerCallContextBuilder
from a2a.server.routes.jsonrpc_dispatcher import JsonRpcDispatcher
from a2a.types import a2a_pb2 as a2a
from a2a.utils import errors
from fastapi import APIRouter, HTTPException, Request, Response
from fastapi.responses import JSONResponse
from pydantic import ValidationError
from starlette.concurrency import run_in_threadpool

from orchestrator.control.lease import RunStatus, standing
from orchestrator.control.requests import RequestRecord, asked_of
from orchestrator.desk.auth import Role, Viewer, require, visitor_of
from orchestrator.desk.desk import Desk, TheDesk, UnknownRun
from orchestrator.desk.routes import answers, control, start
from orchestrator.errors import MachineStopped, UsageProblem
from orchestrator.runs.folders import stored_report
from orchestrator.store.reader import Private
from protocol import JsonObject

Done = TypeVar("Done")
CARD, ENDPOINT = "/.well-known/agent-card.json", "/a2a"
_ENDED = {
    "fulfilled": a2a.TASK_STATE_COMPLETED,
    "rejected": a2a.TASK_STATE_REJECTED,
    "cancelled": a2a.TASK_STATE_CANCELED,
}
_REPORTED = ("status", "reason", "answer", "counts", "judge")
_SKILL = a2a.AgentSkill(
    id="work", name="Work a goal", tags=["computer use"], examples=["Copy the invoice total into the reimbursement form"],
    description="Plans a goal, works it in applications, checks it, and asks before it does harm. The goal is text; a data "
    "part may say task, world, seed, preset and overrides. A question is answered by text, an approval by a data part "
    '{"pending": ID, "decision": "approve"}. A paused run continues with any message; a running one takes it as an instruction.',
)  # fmt: skip
router = APIRouter(include_in_schema=False)


@router.get(CARD)
def card(request: Request, visitor: Viewer) -> JSONResponse:
    """Who this agent is, and where its tasks are."""
    bearer = a2a.SecurityScheme(http_auth_security_scheme=a2a.HTTPAuthSecurityScheme(scheme="bearer"))
    url = str(request.base_url).rstrip("/") + ENDPOINT
    said = a2a.AgentCard(
        name="deskcrew", description="A multi-agent orchestrator for computer use.", version=version("deskcrew"), skills=[_SKILL],
        supported_interfaces=[a2a.AgentInterface(url=url, protocol_binding="JSONRPC", protocol_version="1.0")],
        capabilities=a2a.AgentCapabilities(streaming=True), security_schemes={"token": bearer},
        security_requirements=[a2a.SecurityRequirement(schemes={"token": a2a.StringList()})],
        default_input_modes=["text/plain", "application/json"], default_output_modes=["application/json", "text/plain"],
    )  # fmt: skip
    return JSONResponse(agent_card_to_dict(said))


@router.post(ENDPOINT)
async def endpoint(request: Request, desk: TheDesk, visitor: Viewer) -> Response:
    """JSON-RPC."""
    return await JsonRpcDispatcher(_Tasks(desk), _Called()).handle_requests(request)


class _Called(ServerCallContextBuilder):
    def build(self, request: Request) -> ServerCallContext:
        return ServerCallContext(state={"caller": visitor_of(request), "headers": dict(request.headers)})


@contextmanager
def _as_a2a() -> Iterator[None]:
    """What is wrong, as the protocol says it."""
    try:
        yield
    except UnknownRun as bad:
        raise errors.TaskNotFoundError(f"There is no task {str(bad)!r} here.") from None
    except ValidationError as bad:
        first = bad.errors(include_input=False)[0]
        raise errors.InvalidParamsError(f"{'.'.join(map(str, first['loc']))}: {first['msg']}.") from None
    except HTTPException as bad:
        kind = errors.TaskNotFoundError if bad.status_code == 404 else errors.InvalidParamsError
        raise kind(str(bad.detail)) from None
    except (UsageProblem, MachineStopped) as bad:
        raise errors.InvalidParamsError(str(bad)) from None


def _refused(kind: type[errors.A2AError]) -> Callable[..., Any]:
    async def refuse(self: "_Tasks", params: Any, context: ServerCallContext) -> NoReturn:
        raise kind

    return refuse


class _Tasks(RequestHandler):
    """Answers for runs of one desk's folder."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def on_get_task(self, params: a2a.GetTaskRequest, context: ServerCallContext) -> a2a.Task:
        return await self._threaded(lambda: _task(self._desk.folder(params.id)))

    async def on_list_tasks(self, params: a2a.ListTasksRequest, context: ServerCallContext) -> a2a.ListTasksResponse:
        if params.status or params.HasField("status_timestamp_after"):
            raise errors.UnsupportedOperationError("Tasks are listed without a filter, or by their context.")
        size = min(params.page_size or 50, 100)

        def listed() -> a2a.ListTasksResponse:
            listing = self._desk.watch.list
            rows, more = listing.page("", "", size, params.page_token)
            ids = [row.id for row in rows if params.context_id in ("", row.id)]
            tasks = [_task(self._desk.folder(one)) for one in ids]
            return a2a.ListTasksResponse(tasks=tasks, next_page_token=more, page_size=size, total_size=len(listing))

        return await self._threaded(listed)

    async def on_cancel_task(self, params: a2a.CancelTaskRequest, context: ServerCallContext) -> a2a.Task:
        def cancelled() -> a2a.Task:
            folder = self._desk.folder(params.id)
            if _standing(folder).ended:
                raise errors.TaskNotCancelableError
            control.cancel(self._desk, require(context.state["caller"], "operate"), folder)
            return _task(folder)

        return await self._threaded(cancelled)

    async def on_message_send(self, params: a2a.SendMessageRequest, context: ServerCallContext) -> a2a.Task:
        folder = await self._threaded(lambda: self._heard(params.message, context))
        if not params.configuration.return_immediately:
            async for _ in self._states(folder):
                """Until it is over or needs something."""
        return await self._threaded(lambda: _task(folder))

    async def on_message_send_stream(
        self, params: a2a.SendMessageRequest, context: ServerCallContext
    ) -> AsyncGenerator[a2a.Task | a2a.TaskStatusUpdateEvent | a2a.TaskArtifactUpdateEvent]:
        folder = await self._threaded(lambda: self._heard(params.message, context))
        async for event in self._events(folder):
            yield event

    async def on_subscribe_to_task(
        self, params: a2a.SubscribeToTaskRequest, context: ServerCallContext
    ) -> AsyncGenerator[a2a.Task | a2a.TaskStatusUpdateEvent | a2a.TaskArtifactUpdateEvent]:
        folder = await self._threaded(lambda: self._desk.folder(params.id))
        if _standing(folder).ended:
            raise errors.UnsupportedOperationError("The task is over; there is nothing to follow.")
        async for event in self._events(folder):
            yield event

    on_create_task_push_notification_config = _refused(errors.PushNotificationNotSupportedError)
    on_get_task_push_notification_config = _refused(errors.PushNotificationNotSupportedError)
    on_list_task_push_notification_configs = _refused(errors.PushNotificationNotSupportedError)
    on_delete_task_push_notification_config = _refused(errors.PushNotificationNotSupportedError)
    on_get_extended_agent_card = _refused(errors.ExtendedAgentCardNotConfiguredError)

    def _heard(self, message: a2a.Message, context: ServerCallContext) -> Path:
        """Do what a message wants: begin a run, answer one, let it go on, or tell it something. The run's folder."""
        text, data = (
            get_message_text(message).strip(),
            {key: value for part in get_data_parts(message.parts) for key, value in part.items()},
        )
        data = {key: _whole(value) for key, value in data.items()}
        if message.context_id not in ("", message.task_id):
            raise UsageProblem("A context is one task here: leave context_id out, or give the id of the task.")

        def caller(role: Role) -> Any:
            return require(context.state["caller"], role)

        if not message.task_id:
            wanted = start.StartIn.model_validate({"goal": text, **data})
            return self._desk.folder(start.start(self._desk, caller("operate"), wanted).id)
        folder = self._desk.folder(message.task_id)
        now, asked = _standing(folder), _asking(folder)
        if now.ended:
            raise errors.UnsupportedOperationError("The task is over; begin another one.")
        if asked is not None:
            said = data
            if asked.request.kind == "question" and not data:
                said = {"pending": asked.id, "decision": "respond", "message": text}
            elif "pending" not in data:
                raise UsageProblem('This waits for an approval: answer with a data part, {"pending": ID, "decision": "approve"}.')
            answered = answers.answer(
                self._desk, caller("approve"), folder, answers.AnswerIn.model_validate({"message": text, **said})
            )
            if isinstance(answered, JSONResponse):
                raise UsageProblem(answers.OtherAnswer.model_validate_json(bytes(answered.body)).error)
        elif now.state == "running":
            control.steer(self._desk, caller("operate"), folder, control.SteeringText(words=text))
        else:
            control.resume(self._desk, caller("operate"), folder, control.Limits.model_validate(data))
        return folder

    async def _states(self, folder: Path) -> AsyncGenerator[a2a.Task]:
        """The task whenever it stands otherwise, until it is over or needs something."""
        watch, told = self._desk.watch, None
        run = await run_in_threadpool(watch.run, folder)
        with watch.looking(run):
            while not watch.closed:
                known = run.version
                task = await self._threaded(lambda: _task(folder))
                if task.status.state != told:
                    told = task.status.state
                    yield task
                if told != a2a.TASK_STATE_WORKING:
                    return
                await watch.news(run, known, 2.0)

    async def _events(self, folder: Path) -> AsyncGenerator[Any]:
        first = True
        async for task in self._states(folder):
            if first:
                first = False
                yield task
                continue
            for artifact in task.artifacts:
                yield a2a.TaskArtifactUpdateEvent(task_id=task.id, context_id=task.id, artifact=artifact, last_chunk=True)
            yield a2a.TaskStatusUpdateEvent(task_id=task.id, context_id=task.id, status=task.status)

    async def _threaded(self, work: Callable[[], Done]) -> Done:
        with _as_a2a():
            return await run_in_threadpool(work)


def _whole(value: Any) -> Any:
    """JSON of this protocol knows no whole numbers: 3 comes as 3.0."""
    if isinstance(value, dict):
        return {key: _whole(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_whole(part) for part in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _standing(folder: Path) -> RunStatus:
    return standing(folder, stored_report(folder))


def _asking(folder: Path) -> RequestRecord | None:
    """What the run waits to be told, and nobody has answered."""
    last = next(reversed(asked_of(folder)), None)
    return last if last is not None and last.said is None and _standing(folder).state == "on_hold" else None


def _task(folder: Path) -> a2a.Task:
    """As the run stands. One that an answer was given to works: it is gone on with."""
    report, seal, name = stored_report(folder), Private(folder).seal, folder.name
    now = standing(folder, report)
    last = next(reversed(asked_of(folder)), None)
    message = new_text_message(str(seal(now.reason)) or now.state, context_id=name, task_id=name)
    artifacts = []
    if now.ended:
        state = _ENDED.get(now.state, a2a.TASK_STATE_FAILED)
        kept: JsonObject = {key: seal(report[key]) for key in _REPORTED if report.get(key)}
        artifacts.append(new_data_artifact("report", kept, artifact_id="report"))
    elif now.state == "running" or (last is not None and last.said is not None and not last.heard):
        state = a2a.TASK_STATE_WORKING
    else:
        state = a2a.TASK_STATE_INPUT_REQUIRED
        if last is not None and last.said is None:
            message.parts.append(new_data_part({"pending": last.id, "request": seal(last.request.dump())}))
    status = a2a.TaskStatus(state=state, message=message)
    status.timestamp.GetCurrentTime()
    return a2a.Task(id=name, context_id=name, status=status, artifacts=artifacts)
