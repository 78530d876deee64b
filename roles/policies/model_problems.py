"""What is wrong with a model that was asked for."""

from __future__ import annotations


class ModelProblem(ValueError):
    """One sentence that says what to do."""


class ModelMissing(ModelProblem):
    """The package or the key of a model is not here."""
