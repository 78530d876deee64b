"""What can be looked at: whoever has a token may."""

import json
from importlib.metadata import version
from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Query
from fastapi import Path as InPath
from starlette.responses import FileResponse, JSONResponse, Response

from orchestrator.control.lease import HOLDING_STILL, standing
from orchestrator.control.requests import still_open
from orchestrator.desk import models
from orchestrator.desk.auth import Viewer
from orchestrator.desk.desk import RunFolder, TheDesk
from orchestrator.runs import folders
from orchestrator.runs.folders import stored_report
from orchestrator.runs.outcome import FAILED, WAITING
from orchestrator.runs.report import Board, board_at
from orchestrator.store.reader import Private
from orchestrator.store.salvage import salvage
from orchestrator.views.page.data import Detail, plain
from orchestrator.views.page.run_data import shown_cursor
from protocol import Frozen, JsonObject
from roles.journal.events import RunFinishedEvent

router = APIRouter(prefix="/api", tags=["reading"])


class RunListing(Frozen):
    """Lines of `deskcrew ls --json`."""

    runs: tuple[JsonObject, ...]


class PlanShown(Frozen):
    plan: JsonObject
    about: tuple[str, ...]


@router.get("/listing")
def listing(desk: TheDesk, visitor: Viewer) -> RunListing:
    """Every run, newest last."""
    return RunListing(runs=tuple(run._asdict() for run in folders.list_runs(desk.runs_dir)))


@router.get("/runs/{run_id}/report")
def report(desk: TheDesk, visitor: Viewer, folder: RunFolder) -> models.RunReport:
    """One run as it stands."""
    view = folders.show_run(folder.name, desk.runs_dir)
    now, seal = standing(folder, stored_report(folder)), Private(folder).seal
    asked = next(reversed(still_open(folder)), None) if now.state == "on_hold" else None
    code = WAITING if now.state in {"on_hold", *HOLDING_STILL} else FAILED
    if now.ended:
        ends = [e.body.get("exit_code") for e in salvage(folder / "journal.sqlite").events if e.kind == RunFinishedEvent.KIND]
        code = ends[-1] if ends and isinstance(ends[-1], int) else FAILED
    return models.RunReport(
        report=seal(view.report), notes=tuple(view.notes), status=now.state, reason=seal(now.reason),
        works=now.holder is not None, exit_code=code, asking=asked.id if asked else "",
        pending=seal(asked.request.dump()) if asked else None,
    )  # fmt: skip


@router.get("/runs/{run_id}/plan")
def plan(desk: TheDesk, visitor: Viewer, folder: RunFolder) -> PlanShown:
    """The plan that waits to be reviewed, or the one that was worked last, as `run --plan` reads it."""
    found = folders.show_plan(folder.name, desk.runs_dir)
    return PlanShown(plan=found.data, about=found.about)


After = Annotated[float, Query(ge=0, description="The cursor up to which everything is known.", allow_inf_nan=False)]
StateId = Annotated[str, InPath(pattern=r"^[\w:.-]{1,200}$", description="The id of a screen.")]
Number = Annotated[int, InPath(ge=0, lt=2**53)]


@router.get("/me")
def me(visitor: Viewer) -> models.Identity:
    """Whoever asks."""
    return models.Identity(name=visitor.name, role=visitor.role, version=version("deskcrew"))


@router.get("/runs")
def runs(
    desk: TheDesk, visitor: Viewer,
    query: Annotated[str, Query(max_length=1000, description="Words of the id, the goal or the task.")] = "",
    status: Annotated[str, Query(max_length=40, description="A state, or waiting, stopped or failed.")] = "",
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
    before: Annotated[str, Query(max_length=200, description="`next` of the page before.")] = "",
) -> models.RunRows:  # fmt: skip
    """The runs of the folder, newest first."""
    rows, following = desk.watch.list.page(query, status, limit, before)
    return models.RunRows(runs=tuple(rows), next=following)


@router.get("/runs/{run_id}", response_model=models.RunPage)
def run(desk: TheDesk, folder: RunFolder, visitor: Viewer) -> Response:
    """A run but for its lines."""
    found = desk.watch.run(folder)
    with found.lock:
        return _Json({"cursor": shown_cursor(found.heard.cursor), **found.whole()})


@router.get("/runs/{run_id}/items", response_model=models.ItemsPage)
def items(
    desk: TheDesk, folder: RunFolder, visitor: Viewer, after: After = 0, limit: Annotated[int, Query(ge=1, le=5000)] = 500
) -> Response:
    """Lines that are not as they were up to a cursor."""
    return _Json(desk.watch.run(folder).after(after, limit).as_json())


@router.get("/runs/{run_id}/details", response_model=models.DetailsPage)
def details(
    desk: TheDesk, folder: RunFolder, visitor: Viewer,
    start: Annotated[int, Query(alias="from", ge=0)] = 0, limit: Annotated[int, Query(ge=1, le=500)] = 100,
) -> Response:  # fmt: skip
    """What stands behind some lines."""
    return _Json({"details": desk.watch.run(folder).details(start, limit)})


@router.get("/runs/{run_id}/details/{number}", response_model=Detail)
def detail(desk: TheDesk, folder: RunFolder, visitor: Viewer, number: Number) -> Response:
    """What stands behind one line: the screen's description, reasons, the action, prompt and reply, evidence."""
    found = desk.watch.run(folder).details(number, 1)
    if not found:
        raise HTTPException(404, f"Run {folder.name} has no line {number}.")
    return _Json(found[0])


@router.get("/runs/{run_id}/events", response_model=models.JournalEvents)
def events(
    desk: TheDesk, folder: RunFolder, visitor: Viewer,
    after: Annotated[int, Query(ge=0, lt=2**53, description="The id of the last event that is known.")] = 0,
    limit: Annotated[int, Query(ge=1, le=5000)] = 500,
) -> Response:  # fmt: skip
    """The journal's events as they were written."""
    found, cursor, more = desk.watch.run(folder).events(after, limit)
    return _Json({"events": [plain(event._asdict()) for event in found], "cursor": cursor, "more": more})


@router.get("/runs/{run_id}/blackboard", response_model=Board)
def blackboard(
    desk: TheDesk, folder: RunFolder, visitor: Viewer,
    at: Annotated[int | None, Query(ge=0, lt=2**53, description="The last step that is taken in.")] = None,
) -> Response:  # fmt: skip
    """What is known, with who says it and who used it."""
    found = desk.watch.run(folder)
    with found.lock:
        return _Json(plain(board_at(found.all_events(), at)))


@router.get("/runs/{run_id}/prompts", response_model=models.ModelCalls)
def prompts(
    desk: TheDesk, folder: RunFolder, visitor: Viewer,
    step: Annotated[int | None, Query(ge=0, lt=2**53, description="Only the calls of this step.")] = None,
) -> Response:  # fmt: skip
    """What was said to models and by them, as far as it was kept."""
    return _Json({"calls": desk.watch.run(folder).prompts(step)})


@router.get("/runs/{run_id}/parts/{name}", response_model=models.TranscriptPart)
def part(desk: TheDesk, folder: RunFolder, visitor: Viewer, name: Annotated[str, InPath(pattern=r"^[0-9a-f]{32}$")]) -> Response:
    """A part of a transcript: a prompt, a picture, the form of an answer, a reply."""
    found = desk.watch.run(folder)
    with found.lock:
        text = found.journal.part(name)
    if text is None:
        raise HTTPException(404, f"Run {folder.name} has no part {name}.")
    return _Json({"text": text})


@router.get("/runs/{run_id}/screens/{state_id}", response_class=FileResponse)
def picture(desk: TheDesk, folder: RunFolder, visitor: Viewer, state_id: StateId) -> Response:
    """The picture of a screen as it was kept, with what is private painted over."""
    file = desk.watch.run(folder).journal.picture(state_id)
    if file is None:
        raise HTTPException(404, f"No picture of screen {state_id} is kept; its elements may be.")
    return FileResponse(file, media_type="image/png")


@router.get("/runs/{run_id}/screens/{state_id}/elements", response_model=models.ScreenDrawn)
def elements(desk: TheDesk, folder: RunFolder, visitor: Viewer, state_id: StateId) -> Response:
    """What was on a screen, to be drawn."""
    found = desk.watch.run(folder).screen(state_id)
    if found is None:
        raise HTTPException(404, f"Run {folder.name} has no screen {state_id}.")
    return _Json(found)


class _Json(JSONResponse):
    """What is plain JSON already: it is not looked through once more."""

    def render(self, content: Any) -> bytes:
        """In ASCII: half a character from a screen must not keep an answer from being written."""
        return json.dumps(content, ensure_ascii=True, separators=(",", ":"), allow_nan=False).encode("ascii")
