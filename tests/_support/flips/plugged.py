"""Parts as another package would bring them, and what a run has of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from orchestrator.settings.build import build_context
from orchestrator.settings.settings import load_settings


class Shelf:
    name = "shelf"

    def search(self, query: str, app: str | None, limit: int) -> list[Any]:
        return []


class Refusal:
    name = "refusal"

    def check(self, action: Any, element: Any, state: Any) -> tuple[str, str]:
        return "deny", "nothing is done today"


def parts(overrides: Sequence[str], folder: Path) -> Any:
    context = build_context(load_settings((), [*overrides, f"runs_dir={folder}"]).settings)
    try:
        first = context.environment.observe()
        objections = [found for _, found in context.safety.objections(None, None, first)]  # type: ignore[arg-type]
        return type(context.evaluator).__name__, [source.name for source in context.sources], objections
    finally:
        context.journal.close()
        context.environment.close()
