"""Names of controls as sites have them: what reaches others is asked about in every role, what only moves about is not."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from protocol import ActionTarget, Click, GUIElement, VisualState, Window
from roles.safety import SafetyPolicy, review

SITE = "https://site.example"
PAGE = Window(window_id="tab-0", app="browser", title=f"Site - {SITE}/list", focused=True)
PRESSED = ["button", "link", "menuitem", "menuitemcheckbox", "switch", "generic", "tab", "option", "checkbox", "radio", "row"]
PRESSED += ["listitem", "cell", "treeitem"]
NAMES = yaml.safe_load((Path(__file__).parent / "control_names.yaml").read_text(encoding="utf-8"))
SENSITIVE: list[str] = NAMES["sensitive"]
ASKED_BEFORE = 91
"""Of the benign ones, by the words that were read before."""


def asks(name: str, role: str, leads: str | None) -> bool:
    element = GUIElement(element_id="e", text=name, role=role, leads=leads, app="browser")
    seen = VisualState(elements=(element,), app="browser", windows=(PAGE,))
    return review(Click(target=ActionTarget(element_id="e")), element, seen, SafetyPolicy()).verdict == "ask"


@pytest.mark.parametrize("role", PRESSED)
def test_what_reaches_others_costs_deletes_or_changes_an_account_is_asked_about_in_every_role(role: str) -> None:
    assert [name for name in SENSITIVE if not asks(name, role, None)] == []
    assert len(SENSITIVE) > 400


def test_a_link_to_the_same_site_is_asked_about_too_where_its_words_command_something() -> None:
    assert [name for name in SENSITIVE if not asks(name, "link", f"open {SITE}/x")] == []


@pytest.mark.parametrize("filler", ["Next: {}", "Show {}", "OK, {}", "{} (3)", "→ {}", "Yes - {}", "{} now", "Home; {}"])
def test_a_harmless_word_beside_it_makes_nothing_harmless(filler: str) -> None:
    assert [name for name in SENSITIVE if not asks(filler.format(name), "button", None)] == []


def test_what_only_moves_about_is_asked_about_no_more_often_than_before() -> None:
    asked, every = [], 0
    for group in NAMES["benign"]:
        for name in group["names"]:
            words, _, path = name.partition(" > ")
            leads = f"{group['leads']} {SITE}{path or '/form'}" if "leads" in group else None
            asked += [name] if asks(words, group["role"], leads) else []
            every += 1
    assert every > 400
    assert len(asked) <= ASKED_BEFORE, asked
