"""Worlds that show every kind of element, in every state that it can be in."""

import pytest

from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.render import LIGHT, Picture, Theme, picture
from environments.simulated.world.world import World
from environments.simulated.world.worldfile import parse_world
from protocol import ActionTarget as Target
from protocol import Click, Fill, LaunchApp, PressKey, Scroll

OFFICE = """
name: office
apps:
  billing: {generate: 60, page_size: 50}
  reimbursement: {required: [vendor, amount], submit_seconds: 4}
  mail: {generate: 14}
  notes: {generate: 6}
  files: {files: {/Documents/plan.txt: "one two", /list.txt: "x"}}
  settings: {}
open: [billing]
"""
MANY_WAYS = (
    (),
    (Scroll.toward("down", 100, "px"),),
    (LaunchApp(app="reimbursement"), Click(target=Target(text="Submit")), Click(target=Target(text="Description"))),
    (LaunchApp(app="reimbursement"), Fill(target=Target(text="Vendor"), text="A"), Fill(target=Target(text="Amount"), text="5"),
     Click(target=Target(text="Submit"))),
    (LaunchApp(app="mail"), Click(target=Target(text="Sent"))),
    (LaunchApp(app="mail"), Click(target=Target(text="Compose")), Fill(target=Target(text="Message"), text="word " * 300)),
    (LaunchApp(app="notes"), Click(target=Target(text="Search notes")), PressKey(keys=("a",))),
    (LaunchApp(app="files"), Click(target=Target(text="list.txt")), Click(target=Target(text="Move to…"))),
    (LaunchApp(app="settings"), Click(target=Target(text="Recovery phone"))),
    (LaunchApp(app="settings"), Click(target=Target(text="Save settings")), Click(target=Target(text="Delete account"))),
    (PressKey(keys=("Meta", "d")),),
)  # fmt: skip
SIZES = ((1280, 800), (390, 844), (320, 240))


class Show:
    """A desktop on which things were done, and its picture."""

    def __init__(self, text: str, ways: tuple = ()) -> None:
        self.desktop = SimulatedDesktop(parse_world(text))
        for number, action in enumerate(ways):
            self.desktop.perform(action, key=str(number))

    @property
    def world(self) -> World:
        return self.desktop._world

    def picture(self, theme: Theme = LIGHT) -> Picture:
        return picture(self.world, theme)


@pytest.fixture
def show() -> type[Show]:
    return Show


@pytest.fixture(scope="module", params=[f"{size[0]}x{size[1]}-{n}" for size in SIZES for n in range(len(MANY_WAYS))])
def anything(request: pytest.FixtureRequest) -> Show:
    """Each of many screens, on each of three sizes."""
    size, _, number = request.param.partition("-")
    return Show(f"{OFFICE}screen: [{size.replace('x', ', ')}]\n", MANY_WAYS[int(number)])
