"""When a run cannot go on here and now, through no fault of its plan: it stops as it stands, and can be resumed."""

from __future__ import annotations

from langgraph.errors import GraphBubbleUp


class Standstill(GraphBubbleUp):
    """Its text is one sentence: what does not answer, and what to do. Nothing in a graph catches it, so it ends the call."""
