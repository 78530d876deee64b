"""An environment of which only the picture is known: what is on it is read from its pixels, and acted on by points."""

import json
import sqlite3
from collections.abc import Sequence
from pathlib import Path

from environments.contract import AppCatalog, DigestMismatch, Environment, EnvironmentFault, EnvironmentWrapper, Screenshots
from environments.effects import Change, ControlSeen
from protocol import Action, ActionResult, ExecStatus, TargetError, VisualState, parse_action, resolve
from protocol.sqlite import connected

FILE = "aimed.sqlite"


class FromPixels(EnvironmentWrapper):
    """An environment seen as a person sees it. It has the inner one's pictures, and nothing that tells more than they do.

    Raises EnvironmentFault where the inner one has no pictures, or where the extra `vision` is not installed.
    """

    PASSED = ("apps", "world", "received", "environment_type", "latest_keys", "clock", "now", "cards", "screenshot", "meant",
              "guard", "admit", "held")  # fmt: skip
    """What tells nothing of what is on the screen; `world`, `received` and `meant` are for the harness only."""
    TURNED = ("preview", "control")

    def __init__(self, inner: Environment, *, min_confidence: float = 0.5, record: Path | None = None) -> None:
        if not isinstance(inner, Screenshots):
            raise EnvironmentFault(f"{inner.name} has no pictures of its screen, so nothing can be read from them")
        from environments.vision.recognizer import PixelRecognizer

        self.name = f"pixels of {inner.name}"
        self.inner = inner
        self._pictures: Screenshots = inner
        titles = {info.app: info.title for info in inner.apps()} if isinstance(inner, AppCatalog) else {}
        self._recognizer = PixelRecognizer(titles, min_confidence)
        self._aims = Aims(record)
        self._last: tuple[bytes, VisualState] | None = None

    @property
    def computes(self) -> bool:
        """Whether what is read from pixels cannot hang."""
        return hasattr(type(self.inner), "computes") and bool(getattr(self.inner, "computes", False))

    def reset(self, *, seed: int | None = None) -> VisualState:
        self.inner.reset(seed=seed)
        return self.observe()

    def observe(self) -> VisualState:
        from environments.vision.pixels import pixels_of

        png = self._pictures.screenshot()
        if self._last is None or self._last[0] != png:
            self._last = png, self._recognizer.state(pixels_of(png), timestamp=getattr(self.inner, "clock", 0.0))
        return self._last[1]

    def perform(self, action: Action, *, key: str) -> ActionResult:
        """The action at the pixel that was aimed at; a key that is known is aimed where it was aimed before."""
        aimed = self._aims.known(key, action)
        if aimed is None:
            try:
                aimed = self._aimed(action)
            except TargetError as no:
                return ActionResult(exec_status=ExecStatus.ERROR, error=str(no))
            self._aims.keep(key, action, aimed)
        return self.inner.perform(aimed, key=key)

    def _preview(self, action: Action) -> Sequence[Change] | None:
        """What it would change at the pixel that it is aimed at now."""
        try:
            found: Sequence[Change] | None = self.inner.preview(self._aimed(action))  # type: ignore[attr-defined]  # only there where the inner one can
        except TargetError:
            return ()
        return found

    def _control(self, action: Action) -> ControlSeen | None:
        """What lies at the pixel that it is aimed at now. It is called as the page calls it, and no picture need show that."""
        try:
            at: ControlSeen | None = self.inner.control(self._aimed(action))  # type: ignore[attr-defined]  # as above
        except TargetError:
            return None  # and it will not be performed either
        return None if at is None else at.model_copy(update={"role": "", "name": ""})

    def close(self) -> None:
        self._aims.close()
        self.inner.close()

    def _aimed(self, action: Action) -> Action:
        """The action with points in place of elements. Raises TargetError."""
        dump = action.dump()
        for name in ("target", "to"):
            target = getattr(action, name, None)
            if target is None:
                continue
            point = resolve(target, self.observe()).point
            if point is None:
                raise TargetError(f"it is not known where {target.describe()!r} is")
            dump[name] = {"point": {"x": point.x, "y": point.y, "space": "px"}}
        return parse_action(dump)


class Aims:
    """Where each action was aimed, by its key; in SQLite in a folder, or in memory."""

    def __init__(self, folder: Path | None = None) -> None:
        try:
            if folder is not None:
                folder.mkdir(parents=True, exist_ok=True)
            self._db = connected(folder / FILE if folder else None, isolation_level=None)
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("CREATE TABLE IF NOT EXISTS aims (key TEXT PRIMARY KEY, digest TEXT, points TEXT) WITHOUT ROWID")
        except (sqlite3.Error, OSError) as bad:
            raise EnvironmentFault(f"the record of what was aimed at in {folder} cannot be opened: {bad}") from bad

    def known(self, key: str, action: Action) -> Action | None:
        """The action as it was aimed. Raises DigestMismatch for a known key with another action."""
        row = self._db.execute("SELECT digest, points FROM aims WHERE key = ?", (key,)).fetchone()
        if row is None:
            return None
        if row[0] != action.digest:
            raise DigestMismatch(f"key {key!r} was used before for another action")
        return parse_action(action.dump() | json.loads(row[1]))

    def keep(self, key: str, action: Action, aimed: Action) -> None:
        """Only where, and not what: an action may hold what nobody may read."""
        points = {name: value for name, value in aimed.dump().items() if name in ("target", "to")}
        self._db.execute("INSERT INTO aims VALUES (?, ?, ?)", (key, action.digest, json.dumps(points)))

    def close(self) -> None:
        self._db.close()
