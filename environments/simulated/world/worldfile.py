"""World files: what stands in a YAML, checked before anything starts."""

import random
from datetime import date
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, Self

import yaml
from pydantic import AfterValidator, BaseModel, Field, ValidationError, model_validator

from environments.contract import EnvironmentType, WorldError
from environments.files.wrong_data import did_you_mean, dotted, first_problem, problem_told
from environments.files.yaml_lines import KeyPath, TooLarge, nearest_line, read_small, read_yaml
from environments.simulated.app import AppState, Setting
from environments.simulated.apps import APPS, UNUSABLE
from environments.simulated.turn.advance import edited, wrongs
from environments.simulated.turn.events import Rule, start_time
from environments.simulated.variation.metrics import Variation
from environments.simulated.world.values import Model, SharedPeople, cast_for
from environments.simulated.world.world import Desk, World

_NO_LINES: dict[KeyPath, int] = {}


class Page(NamedTuple):
    """A file as it was read: its name, and the line of each key."""

    name: str
    lines: dict[KeyPath, int] = _NO_LINES

    def mistake(self, path: KeyPath, said: str) -> WorldError:
        """`said` without its full stop."""
        return self._said(nearest_line(self.lines, path), f"{dotted(path)}: {said}" if path else said)

    def invalid(self, bad: ValidationError, root: type[BaseModel], at: KeyPath = ()) -> WorldError:
        """The first thing that pydantic found in what stands at `at`."""
        first = first_problem(bad)
        path = (*at, *first["loc"])
        return self._said(nearest_line(self.lines, path), problem_told(first, path, root))

    def _said(self, line: int | None, said: str) -> WorldError:
        place = self.name if line is None else f"{self.name}, line {line}"
        return WorldError(f"{place}: {said}{'' if said.endswith('?') else '.'}")


PHONE = (390, 844)
_NEEDS = {"simulated_physical": ("home",), "multimodal": ("camera", "microphone", "home"), "browser": ("browser",)}
"""Apps without which a world is not of that type."""


class WorldSpec(Model):
    """A world as its file describes it; the seed fills in what the file leaves open."""

    name: str = Field(min_length=1)
    about: str = ""
    seed: int = 0
    screen: tuple[int, int] = (1280, 800)
    """Width and height; a phone that says nothing is 390 by 844."""
    form: Literal["desktop", "phone"] = "desktop"
    type: EnvironmentType = "desktop"
    """What kind of surface it is (seed 000); a phone is `mobile`."""
    arrange: Literal["maximised", "side_by_side", "cascade"] = "maximised"
    """Where windows stand: each over the whole screen, tiled, or one a little below the other."""
    variation: Variation = Variation()
    user: str | None = None
    """Whose desktop it is."""
    today: date | None = None
    starts: Annotated[str, AfterValidator(start_time)] = "09:00"
    """The time at which the clock starts, with or without the day: `2026-03-02 08:30`."""
    apps: dict[str, dict[str, Any] | None] = Field(min_length=1)
    """Which apps there are, and what is in them."""
    open: tuple[str, ...] = ()
    """Apps that start open; the first one has the focus."""
    events: tuple[Rule, ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _a_phone_is_small(cls, data: Any) -> Any:
        if isinstance(data, dict) and data.get("form") == "phone":
            return {"screen": PHONE, "type": "mobile", **data}
        return data

    @model_validator(mode="after")
    def _is_what_it_says(self) -> Self:
        if (self.type == "mobile") != (self.form == "phone"):
            raise ValueError(f"type: {self.type} does not go with form: {self.form}; a phone is mobile, and nothing else is")
        wanted = _NEEDS.get(self.type, ())
        if wanted and not set(wanted) & set(self.apps):
            raise ValueError(f"type: {self.type} needs one of the apps {', '.join(wanted)}")
        return self

    @model_validator(mode="after")
    def _has_one_day(self) -> Self:
        day = self.starts[:-6]
        if day and self.today and day != self.today.isoformat():
            raise ValueError(f"starts: {day} is another day than today, which is {self.today}; say the day once")
        return self

    def cast(self, seed: int) -> SharedPeople:
        """Who and what the apps have in common."""
        day = date.fromisoformat(self.starts[:-6]) if self.starts[:-6] else self.today
        return cast_for(seed, self.user, day)

    def first_world(self, seed: int, page: Page | None = None) -> World:
        """The state in which a world starts, before any rule. Raises WorldError when the content does not fit the app."""
        cast = self.cast(seed)._replace(times=self.variation.content)
        shown = self.variation.drawn_from(seed)
        apps: dict[str, AppState] = {}
        for app, content in self.apps.items():
            setting = Setting(random.Random(f"{seed}:{app}"), cast)  # noqa: S311 - variation, not secrecy
            try:
                apps[app] = APPS[app].initial(content or {}, setting)
            except ValidationError as bad:
                raise (page or Page(self.name)).invalid(bad, APPS[app].content, ("apps", app)) from None
        desk = Desk(
            name=self.name,
            seed=seed,
            starts=f"{cast.today.isoformat()} {self.starts[-5:]}",
            size=shown.screen or self.screen,
            form=self.form,
            arrange=self.arrange,
            variation=shown,
        )
        for app in reversed(self.open):
            desk = desk.replace(windows=desk.to_front(app, list(apps)))
        return World(desk, apps)

    def _check(self, page: Page) -> None:
        """Everything that can be known without starting: apps exist, content fits, rules speak of what there is."""
        if unusable := next((app for app in self.apps if app in UNUSABLE), None):
            said = f"this app of another package cannot be used: {UNUSABLE[unusable]}"
            raise page.mistake(("apps", unusable), said)
        if unknown := next((app for app in self.apps if app not in APPS), None):
            raise page.mistake(("apps", unknown), f"there is no app {unknown!r}{did_you_mean(unknown, APPS)}")
        wanted: list[tuple[tuple[str | int, ...], str]] = [(("open",), app) for app in self.open]
        wanted += [(("events", index), app) for index, rule in enumerate(self.events) for app in rule.apps()]
        for path, app in wanted:
            if app not in self.apps:
                raise page.mistake(path, f"this world has no app {app!r}{did_you_mean(app, self.apps)}")
        if len(set(self.open)) < len(self.open):
            raise page.mistake(("open",), "an app is named twice; name each app once")
        if self.screen[0] < 320 or self.screen[1] < 240:
            raise page.mistake(("screen",), f"{list(self.screen)} is too small; use at least [320, 240]")
        world = self.first_world(self.seed, page)
        for wrong in wrongs(self.events, world.apps):
            raise page.mistake(("events", *wrong.at), wrong.said + (did_you_mean(wrong.word, wrong.known) if wrong.word else ""))
        for index, rule in enumerate(self.events):
            if rule.edit:
                _check_edit(world, rule, page, ("events", index, "edit"))


def load_world(path_or_name: str | Path, seed: int | None = None) -> WorldSpec:
    """The world of a file, or the shipped one of this name. Raises WorldError in one sentence."""
    shipped = resources.files("configs") / "worlds"
    names = sorted(Path(e.name).stem for e in shipped.iterdir() if e.name.endswith(".yaml")) if shipped.is_dir() else []
    if str(path_or_name) in names:
        text = (shipped / f"{path_or_name}.yaml").read_text(encoding="utf-8")
        return parse_world(text, f"{path_or_name}.yaml", seed)
    path = Path(path_or_name)
    try:
        return parse_world(read_small(path), str(path), seed)
    except TooLarge as bad:
        raise WorldError(f"{path}: {bad}, which no world file is; check the path.") from None
    except FileNotFoundError:
        if path.suffix in (".yaml", ".yml"):
            raise WorldError(f"There is no world file {path}; check the path.") from None
        said = f"There is no world {str(path)!r}{did_you_mean(str(path), names)}"
        raise WorldError(said if said.endswith("?") else f"{said}.") from None
    except UnicodeDecodeError as bad:
        raise WorldError(f"{path}: byte {bad.start} is not UTF-8; save the file as UTF-8.") from None
    except OSError as bad:
        raise WorldError(f"{path}: the file cannot be read: {bad.strerror}.") from None


@lru_cache(maxsize=32)
def parse_world(text: str, name: str = "world", seed: int | None = None) -> WorldSpec:
    """The world that a YAML text describes; `name` stands for the file in errors. Of one text, all runs have the same object."""
    try:
        kept, lines = read_yaml(text)
    except yaml.MarkedYAMLError as bad:
        line = bad.problem_mark.line + 1 if bad.problem_mark else 1
        raise WorldError(f"{name}, line {line}: {bad.problem or bad.context}; correct the YAML there.") from None
    except yaml.YAMLError as bad:
        raise WorldError(f"{name}: this is not YAML: {str(bad).splitlines()[0]}.") from None
    page = Page(name, lines)
    if not isinstance(kept, dict):
        raise page.mistake((), f"a world file is a mapping with the keys {', '.join(WorldSpec.model_fields)}")
    data = {"name": Path(name).stem, **kept, **({} if seed is None else {"seed": seed})}
    try:
        spec = WorldSpec.model_validate(data)
    except ValidationError as bad:
        raise page.invalid(bad, WorldSpec) from None
    spec._check(page)
    return spec


def _check_edit(world: World, rule: Rule, page: Page, at: tuple[str | int, ...]) -> None:
    if rule.edit is None:
        return
    try:
        edited(world, rule.edit)
    except KeyError as bad:
        path = ".".join(rule.edit.keys)
        said = f"there is no {bad.args[0]!r} along {path} in the state of {rule.edit.app}"
        raise page.mistake((*at, "path"), said) from None
    except ValidationError as bad:
        raise page._said(nearest_line(page.lines, at), problem_told(first_problem(bad), (*at, "value"))) from None
