"""The desk as an agent, worked by the client of A2A's own SDK."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

pytest.importorskip("a2a", reason='a2a-sdk is not installed; pip install "deskcrew[a2a]"')

from a2a.client import Client, ClientConfig, create_client
from a2a.helpers import get_data_parts, get_message_text, new_data_part, new_text_message
from a2a.types import a2a_pb2 as a2a
from a2a.utils.errors import A2AError, TaskNotCancelableError, TaskNotFoundError
from worked.questioned import overrides

SUBMIT = 'In the reimbursement form, enter "$12.50" as the amount and submit the form'


@asynccontextmanager
async def agent(place: Any, role: str = "operate", streaming: bool = False) -> AsyncIterator[Client]:
    bearer = place.by(role).headers["Authorization"]
    async with httpx.AsyncClient(headers={"Authorization": bearer}, trust_env=False, timeout=120) as http:
        yield await create_client(place.address.base, ClientConfig(streaming=streaming, httpx_client=http))


async def said(client: Client, text: str, task_id: str = "", **data: Any) -> list[a2a.StreamResponse]:
    message = new_text_message(text, task_id=task_id, role=a2a.ROLE_USER)
    if data:
        message.parts.append(new_data_part(data))
    return [part async for part in client.send_message(a2a.SendMessageRequest(message=message))]


def work(place: Any, steps: Callable[[Client], Awaitable[None]], **how: Any) -> None:
    async def main() -> None:
        async with agent(place, **how) as client:
            await steps(client)

    asyncio.run(main())


@pytest.mark.timeout(600)
def test_a_goal_is_streamed_until_it_needs_an_approval_and_followed_to_its_report(serve) -> None:
    place = serve(a2a=True)
    asked: list[a2a.Task] = []

    async def begin(client: Client) -> None:
        parts = await said(client, SUBMIT, seed=3)
        assert parts[0].task.status.state in (a2a.TASK_STATE_WORKING, a2a.TASK_STATE_INPUT_REQUIRED)
        task = await client.get_task(a2a.GetTaskRequest(id=parts[0].task.id))
        assert task.status.state == a2a.TASK_STATE_INPUT_REQUIRED
        if len(parts) > 1:
            assert parts[-1].status_update.status.state == a2a.TASK_STATE_INPUT_REQUIRED
        asked.append(task)

    work(place, begin, streaming=True)
    (task,) = asked
    (request,) = get_data_parts(task.status.message.parts)
    assert request["request"]["kind"] == "approval"
    assert place.get(f"/api/runs/{task.id}/report")["report"]["seed"] == 3

    async def go_on(client: Client) -> None:
        with pytest.raises(A2AError, match="waits for an approval"):
            await said(client, "yes, do it", task.id)
        with pytest.raises(A2AError, match="has no such request"):
            await said(client, "", task.id, pending="another one", decision="approve")
        message = new_text_message("", task_id=task.id, role=a2a.ROLE_USER)
        message.parts.append(new_data_part({"pending": request["pending"], "decision": "approve"}))
        at_once = a2a.SendMessageConfiguration(return_immediately=True)
        (part,) = [part async for part in client.send_message(a2a.SendMessageRequest(message=message, configuration=at_once))]
        assert part.task.status.state == a2a.TASK_STATE_WORKING
        follow = a2a.SubscribeToTaskRequest(id=task.id)
        async with agent(place, streaming=True) as other:
            first, artifact, last = [part async for part in other.subscribe(follow)]
            with pytest.raises(A2AError, match="nothing to follow"):
                [part async for part in other.subscribe(follow)]
        assert first.task.status.state == a2a.TASK_STATE_WORKING
        assert get_data_parts(artifact.artifact_update.artifact.parts)[0]["status"] == "fulfilled"
        assert last.status_update.status.state == a2a.TASK_STATE_COMPLETED
        with pytest.raises(A2AError, match="is over"):
            await said(client, "and again", task.id)
        with pytest.raises(TaskNotCancelableError):
            await client.cancel_task(a2a.CancelTaskRequest(id=task.id))

    work(place, go_on)


@pytest.mark.timeout(600)
def test_a_question_is_answered_by_words_and_another_run_is_cancelled(serve, tmp_path: Path) -> None:
    settings = tmp_path / "asking.yaml"
    lines = (line.removeprefix("crew.").replace("=", ": ", 1) for line in overrides(tmp_path)[:3])
    settings.write_text("".join(["crew:\n", *(f"  {line}\n" for line in lines)]))
    place = serve(a2a=True, config=[settings])

    async def steps(client: Client) -> None:
        (part,) = await said(client, "ask me")
        (asked,) = get_data_parts(part.task.status.message.parts)
        assert asked["request"]["kind"] == "question"
        (part,) = await said(client, "$7.50", part.task.id)
        assert part.task.status.state == a2a.TASK_STATE_COMPLETED
        (other,) = await said(client, "ask me")
        ended = await client.cancel_task(a2a.CancelTaskRequest(id=other.task.id))
        assert ended.status.state == a2a.TASK_STATE_CANCELED

    work(place, steps)


def test_a_token_does_what_its_role_may_and_no_more(serve, working) -> None:
    place = serve(a2a=True)
    asks = working()
    asks.step()
    asks.ask()

    async def steps(client: Client) -> None:
        listed = await client.list_tasks(a2a.ListTasksRequest())
        assert [(task.id, task.status.state) for task in listed.tasks] == [(asks.id, a2a.TASK_STATE_INPUT_REQUIRED)]
        assert "waiting for approval" in get_message_text(listed.tasks[0].status.message)
        for refused in (said(client, SUBMIT), said(client, "", asks.id, pending="digest-1", decision="approve")):
            with pytest.raises(A2AError, match="which may not"):
                await refused
        with pytest.raises(A2AError, match="which may not"):
            await client.cancel_task(a2a.CancelTaskRequest(id=asks.id))
        for name in ("20260101-000000-0009", "../elsewhere"):
            with pytest.raises(TaskNotFoundError):
                await client.get_task(a2a.GetTaskRequest(id=name))

    work(place, steps, role="view")


def test_the_card_is_for_who_has_a_token_where_it_is_asked_for_and_what_cannot_be_begun_is_said_in_a_sentence(serve) -> None:
    place = serve(a2a=True)
    path = "/.well-known/agent-card.json"
    card = place.get(path)
    assert card["supportedInterfaces"][0]["url"] == f"{place.address.base.rstrip('/')}/a2a"
    assert httpx.get(f"{place.address.base}{path}", trust_env=False).status_code == 401
    assert serve().http.get(path).status_code == 404

    async def steps(client: Client) -> None:
        for data, why in (
            ({"task": "no-such-task-here"}, "There is no task"),
            ({"overrides": {"runs_dir": "/elsewhere"}}, "reserved for the server"),
            ({"colour": "red"}, "Extra inputs"),
        ):
            with pytest.raises(A2AError, match=why):
                await said(client, "" if "task" in data else SUBMIT, **data)

    work(place, steps)
    assert place.get("/api/runs")["runs"] == []
