"""A small web of two sites, and how the tests of the browser go about in it."""

import json
from pathlib import Path

from protocol import ActionTarget, CallApi, Click

WORLD = Path(__file__).with_name("browser.yaml").read_text(encoding="utf-8")


def call(h, function, **arguments):
    result = h.do(CallApi(app="browser", function=function, arguments=arguments))
    return json.loads(result.output) if result.ok else result.error


def title(h):
    return h.texts("heading")[0]


def address(h):
    return h.element("Address").value


def go(h, text):
    h.fill("Address", text)
    assert h.click("Go").ok


def press_key(h, key):
    """Press something by the name that only the browser itself gives to it."""
    element = next(e for e in h.screen.elements if e.track_id == f"browser.{key}")
    return h.do(Click(target=ActionTarget(element_id=element.element_id)))
