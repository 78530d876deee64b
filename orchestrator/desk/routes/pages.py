"""The pages: one file that draws what the API says, and the modules and styles of the desk and of the viewer as one folder."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import resources
from pathlib import PurePath
from typing import NamedTuple

from fastapi import APIRouter, HTTPException
from starlette.responses import Response

from orchestrator.desk.auth import Viewer

router = APIRouter(include_in_schema=False)
PAGES = ("/", "/approvals", "/start", "/worlds", "/knowledge", "/settings", "/runs/{run_id}", "/runs/{run_id}/plan")
_TYPES = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".html": "text/html"}
_FOLDERS = ("orchestrator.views.page", "orchestrator.desk")
"""The desk's own files go before those of the viewer."""


class File(NamedTuple):
    """As it is sent."""

    body: bytes
    type: str


@cache
def files() -> Mapping[str, File]:
    """Every file of the pages by its name; what is not here cannot be asked for."""
    found = {}
    for package in _FOLDERS:
        for file in (resources.files(package) / "static").iterdir():
            if kind := _TYPES.get(PurePath(file.name).suffix):
                found[file.name] = File(file.read_bytes(), kind)
    return found


@router.get("/static/{name}")
def static(name: str, visitor: Viewer) -> Response:
    """A module, a style or a picture of the pages."""
    file = files().get(name)
    if file is None or name == "page.html":
        raise HTTPException(404, f"There is no file {name[:100]!r}.")
    return Response(file.body, media_type=file.type)


def page(visitor: Viewer) -> Response:
    """Every page: what it shows is asked for by its script."""
    file = files()["page.html"]
    return Response(file.body, media_type=file.type)


for path in PAGES:
    router.add_api_route(path, page, methods=["GET"])
