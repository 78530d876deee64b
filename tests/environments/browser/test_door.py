"""What is pressed is what was reviewed: the control at the pixel, or in the focus, with all that belongs to it."""

from __future__ import annotations

import pytest

from environments.effects import ControlSeen
from protocol import ActionTarget, Click, PressKey, Type


def seen(surf, action) -> ControlSeen:
    found = surf.env.control(action)
    assert found is not None
    return found


def on(text: str) -> ActionTarget:
    return ActionTarget(text=text)


def script(surf, code: str) -> None:
    """What the page's own script does now."""
    surf.env._run(surf.env._sight.session.page.evaluate(code), 20)


@pytest.mark.parametrize(
    ("code", "part"),
    [
        ("document.querySelector('button').textContent = 'Pay now'", "name"),
        ("f.action = '/elsewhere'", "leads"),
        ("f.action = '/transfer?step=3'", "leads"),
        ("f.enctype = 'text/plain'", "leads"),
        ("f.method = 'get'", "leads"),
        ("f.target = '_blank'", "leads"),
        ("document.querySelector('button').formAction = '/other'", "leads"),
        ("document.querySelector('button').value = 'pay-all'", "own"),
        ("document.querySelector('[name=to]').value = 'eve'", "form"),
        ("document.querySelector('[name=to]').name = 'from'", "form"),
        ("document.querySelector('[name=tied]').value = 'yes'", "form"),
        ("document.querySelector('option').value = '100'", "form"),
        ("document.querySelector('[name=amount]').value = '1000'", "form"),
        ("document.querySelector('form p').textContent = 'To Eve'", "around"),
        ("document.querySelector('button').onclick = () => 1", "handlers"),
        ("f.addEventListener('submit', () => 2)", "handlers"),
    ],
)
def test_each_part_of_a_control_is_told_apart(surf, code, part):
    surf.open("transfer.html")
    before = seen(surf, Click(target=on("Pay")))
    assert seen(surf, Click(target=on("Pay"))).parts == before.parts
    script(surf, code)
    button = ActionTarget(text=surf.one("Pay now").text) if part == "name" else on("Pay")
    after = seen(surf, Click(target=button))
    assert part in {name for name in before.parts if before.parts[name] != after.parts[name]}


def test_what_a_live_page_says_in_passing_changes_no_control(surf):
    surf.open("transfer.html")
    before = seen(surf, Click(target=on("Pay")))
    script(surf, "document.querySelector('time').textContent = '00:58'; said.textContent = 'far away'")
    script(surf, "f.insertAdjacentHTML('beforeend', '<div role=status>saved</div>')")
    script(surf, "for (const b of document.querySelectorAll('button')) b.outerHTML = b.outerHTML")  # drawn anew, as it was
    assert seen(surf, Click(target=on("Pay"))).parts == before.parts


def test_what_no_screen_shows_is_told(surf):
    surf.open("transfer.html")
    told = seen(surf, Click(target=on("Pay"))).told
    assert "its form also sends what is not shown: to=anna, tied=no" in told
    assert any("/transfer?step=2" in line for line in told)
    assert any("/next?confirm=1" in line for line in seen(surf, Click(target=on("Next"))).told)


def test_keys_fall_on_what_has_the_focus(surf):
    surf.open("transfer.html")
    enter = PressKey(keys=("Enter",))
    body = seen(surf, enter)
    script(surf, "document.querySelector('[name=amount]').focus()")
    field = seen(surf, enter)
    script(surf, "far.focus()")
    button = seen(surf, Type(text=" "))
    assert len({body.parts["name"], field.parts["name"], button.parts["name"]}) == 3
    assert field.parts["leads"] == button.parts["leads"] != body.parts["leads"]
    assert set(seen(surf, Type(target=on("Amount"), text="5")).parts) == {"page", "role", "name"}
