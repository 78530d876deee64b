"""The pictures of a run: which of its screens are kept as `screens/<sha256>.png`, each once, what is private painted over.

They come from the crew's side of the veil, and the journal names each with the screen that it shows.
"""

import hashlib
import re
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path
from typing import Final, Literal

from pydantic import Field

from environments.contract import Environment, EnvironmentFault, Screenshots
from protocol import Frozen, VisualState
from protocol.log.log import PARTIAL, write_whole
from protocol.retries import Overload, Retries
from roles.contracts import PictureKind
from roles.journal.events import Json, NoPictureEvent, PictureEvent, PictureWithdrawnEvent
from roles.journal.journal import Journal

FOLDER: Final = "screens"
Saving = Literal["never", "asked", "steps", "all"]
Reason = Literal["asked", "steps", "all"]
_RANK: dict[str, int] = {"never": 0, "asked": 1, "steps": 2, "all": 3}
_OURS = re.compile(rf"[0-9a-f]{{64}}\.png(?:{re.escape(PARTIAL)})?")
_REMEMBERED = 64
"""Pictures that are held in memory, for who compares."""


class ScreenshotSettings(Frozen):
    """What a model with pictures is shown, and which pictures a run keeps."""

    concatenate: bool = False
    """The clean and the annotated picture side by side in one, where `pictures` of the role asks for either of them."""
    include_last: bool = False
    """Also the picture with a rectangle around the control that was acted on last."""
    save: Saving = "never"
    """Which screens are kept as pictures: `asked` for by a decision (`save_screenshot`, and SCREENSHOT with its marks), those
    that `steps` were decided on as well, or `all` that were looked at."""
    megabytes: float = Field(default=200.0, gt=0)
    """What the pictures of a run may take; when it is used up, the run goes on without more."""

    def shown(self, wanted: Sequence[PictureKind]) -> tuple[PictureKind, ...]:
        """The pictures that a model gets, where a role wants these."""
        both: tuple[PictureKind, ...] = ("clean", "annotated")
        kinds: list[PictureKind] = ["side_by_side" if self.concatenate and kind in both else kind for kind in wanted]
        if self.include_last:
            kinds.append("last_target")
        return tuple(dict.fromkeys(kinds))


class Gallery:
    """Keeps pictures in the folder of a run, and the last ones in memory where somebody is to `remember` them."""

    def __init__(
        self,
        settings: ScreenshotSettings,
        environment: Environment,
        journal: Journal,
        folder: Path | None,
        *,
        remember: bool = False,
    ) -> None:
        self._remembered: OrderedDict[str, bytes] | None = OrderedDict() if remember else None
        self._settings = settings
        self._environment = environment
        self._journal = journal
        self._folder = folder / FOLDER if folder is not None and settings.save != "never" else None
        self._known: set[tuple[str, tuple[str, ...]]] = set()
        self._bytes: dict[str, int] = {}
        """Sizes by the names of the files."""
        self._spent = False
        self._checked = -1
        """How many private values were known when the pictures were looked through last."""
        if self._folder is not None:
            self._take_up()

    def keep(
        self, seen: VisualState, why: Reason, *, marks: Sequence[str] = (), role: str = "", subtask: str = "", step: int = 0
    ) -> None:
        """The picture of the screen that is there now, if it is still the one that was seen; with `marks` only these drawn in."""
        self._remember(seen)
        screen = seen.state_id, tuple(marks)
        if self._folder is None or _RANK[why] > _RANK[self._settings.save] or self._spent or screen in self._known:
            return
        png = self._taken(seen, marks)
        if png is None:
            return
        digest = hashlib.sha256(png).hexdigest()
        name = f"{digest}.png"
        if name not in self._bytes:
            if sum(self._bytes.values()) + len(png) > self._settings.megabytes * 1_000_000:
                self._spent = True
                self._say_once(f"screenshots.megabytes: {self._settings.megabytes:g} MB of pictures are kept, and no more")
                return
            if not self._written(name, png):
                return
        self._known.add(screen)
        more: Json = {"kind": "annotated", "marks": list(marks)} if marks else {"kind": "clean"}
        kept = PictureEvent(state_id=seen.state_id, path=f"{FOLDER}/{name}", sha256=digest, bytes=len(png), **more)
        key = "/".join(["picture", *(seen.state_id, *marks)])
        self._journal.record(kept, role=role, subtask=subtask, step=step, key=key)

    def picture(self, state_id: str) -> bytes | None:
        """The clean picture of a screen, while one is there and nothing on it has been found to be private since."""
        if self._found_private(state_id):
            return None
        if self._remembered and state_id in self._remembered:
            return self._remembered[state_id]
        pictures = self._journal.contents(PictureEvent)
        name = next((Path(p.path).name for p in pictures if p.state_id == state_id and p.kind == "clean"), "")
        try:
            return (self._folder / name).read_bytes() if self._folder is not None and name in self._bytes else None
        except OSError:
            return None

    def difference(self, before: str, after: str) -> str:
        """How far the pictures of two screens differ, in words; empty where there are not both."""
        if self._folder is None and self._remembered is None:
            return ""
        one, other = self.picture(before), self.picture(after)
        if one is None or other is None:
            return ""
        try:
            from environments.pictures.set_of_mark import share_changed

            return f"{share_changed(one, other):.1%} of the picture of the screen are otherwise than before"
        except EnvironmentFault:
            return ""

    def _remember(self, seen: VisualState) -> None:
        if self._remembered is None or seen.state_id in self._remembered:
            return
        if (png := self._taken(seen, ())) is not None:
            self._remembered[seen.state_id] = png
            if len(self._remembered) > _REMEMBERED:
                self._remembered.popitem(last=False)

    def _found_private(self, state_id: str) -> bool:
        redactor, seen = self._journal.redactor, self._journal.screens.written(state_id)
        if redactor is None or seen is None:
            return False
        return redactor.vault.finds(seen.canonical.decode("utf-8", "surrogatepass"))

    def withdraw(self) -> None:
        """Remove the pictures of screens on which something is known to be private by now that was not known then."""
        redactor = self._journal.redactor
        if redactor is None or self._checked == len(redactor.vault):
            return
        self._checked = len(redactor.vault)
        self._journal.transcripts.withdraw(self._found_private)
        for kept in self._journal.contents(PictureEvent):
            name = Path(kept.path).name
            if self._folder is None or name not in self._bytes or not self._found_private(kept.state_id):
                continue
            (self._folder / name).unlink(missing_ok=True)
            del self._bytes[name]
            self._journal.record(PictureWithdrawnEvent(path=kept.path, state_id=kept.state_id))

    def _taken(self, seen: VisualState, marks: Sequence[str]) -> bytes | None:
        if not isinstance(self._environment, Screenshots):
            self._say_once("this environment has no pictures of its screen, so none are kept")
            return None
        if not marks and self._remembered and seen.state_id in self._remembered:
            return self._remembered[seen.state_id]
        try:
            png = Retries(tries=3, wait=0.0).trying()(self._of, self._environment, seen.state_id)
            return _marked(png, seen, marks) if marks else png
        except EnvironmentFault as fault:
            self._say_once(f"a picture of the screen could not be kept: {fault}")
        except Overload:  # the screen has gone on: there is no picture of what was seen
            pass
        return None

    def _of(self, camera: Screenshots, state_id: str) -> bytes:
        """The picture of that screen, which is still there after it was taken; else Busy."""
        png = camera.screenshot()
        if self._environment.observe().state_id != state_id:
            raise Overload("the screen changed while its picture was taken")
        return png

    def _written(self, name: str, png: bytes) -> bool:
        assert self._folder is not None  # noqa: S101 - asked by whoever calls this
        try:
            if self._folder.is_symlink():
                raise OSError("it is a link")
            self._folder.mkdir(exist_ok=True)
            write_whole(self._folder / name, png)
        except OSError as bad:
            self._say_once(f"pictures cannot be kept in {FOLDER}: {bad.strerror or bad}")
            return False
        self._bytes[name] = len(png)
        return True

    def _say_once(self, why: str) -> None:
        self._journal.record(NoPictureEvent(why=why), key=f"no_picture/{why}")

    def _take_up(self) -> None:
        """What an earlier process kept; a file that it wrote and no longer could name goes, and is written again."""
        assert self._folder is not None  # noqa: S101 - asked by whoever calls this
        named: dict[str, int] = {}
        for told in self._journal.contents(NoPictureEvent):
            self._spent = self._spent or told.why.startswith("screenshots.megabytes")
        for kept in self._journal.contents(PictureEvent):
            named[Path(kept.path).name] = kept.bytes
            self._known.add((kept.state_id, tuple(kept.marks)))
        if self._folder.is_symlink() or not self._folder.is_dir():
            return
        for path in self._folder.iterdir():
            if path.name in named and path.is_file():
                self._bytes[path.name] = named[path.name]
            elif _OURS.fullmatch(path.name):
                path.unlink(missing_ok=True)


def _marked(png: bytes, seen: VisualState, marks: Sequence[str]) -> bytes:
    from environments.pictures.set_of_mark import UnknownMark, mark

    try:
        return mark(png, seen, marks).picture
    except UnknownMark as unknown:
        raise EnvironmentFault(str(unknown)) from None
