"""What can be looked at: whoever has a token may."""

from __future__ import annotations

from importlib.metadata import version
from typing import Annotated

from fastapi import APIRouter, Query

from orchestrator.desk.auth import Operator, Viewer
from orchestrator.desk.desk import TheDesk
from orchestrator.desk.models import Me, RefusedRequests

router = APIRouter(prefix="/api", tags=["reading"])


@router.get("/me")
def me(visitor: Viewer) -> Me:
    """Whoever asks."""
    return Me(name=visitor.name, role=visitor.role, version=version("deskcrew"))


@router.get("/refusals")
def refusals(desk: TheDesk, visitor: Operator, limit: Annotated[int, Query(ge=1, le=1000)] = 100) -> RefusedRequests:
    """What was refused, newest first."""
    return RefusedRequests(refusals=tuple(desk.refusals.latest(limit)))
