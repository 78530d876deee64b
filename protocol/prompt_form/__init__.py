"""A screen as a language model reads it: one short line an element, within a budget, with nothing lost silently.

`whole_form` writes all of a state, `diff_form` what changed since another one.
"""

from protocol.prompt_form.budget import BUDGET, Counter, Form, estimate_tokens, prompt_form, whole_form
from protocol.prompt_form.diff import diff_form
from protocol.prompt_form.element_text import Style

__all__ = [
    "BUDGET",
    "Counter",
    "Form",
    "Style",
    "diff_form",
    "estimate_tokens",
    "prompt_form",
    "whole_form",
]
