"""A browser with its tabs, and what happens in them by itself: dialogs, downloads, new tabs, crashes, requests."""

from __future__ import annotations

import asyncio
import os
import secrets
import shutil
import sqlite3
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from environments.browser.network.gate import Gate
from environments.browser.network.requests import OutgoingRequest
from environments.browser.observation.elements import script
from environments.contract import DigestMismatch, EnvironmentFault
from environments.effects import Effect, Permit
from environments.files.scratch import Scratch
from protocol import Action, ActionResult, ExecStatus
from protocol.sqlite import connected

KEY = f"_{secrets.token_hex(12)}"
"""The name, new in each process, under which a document says which elements listen for a press, and is told what may reach it."""

_SECRET = secrets.token_hex(16)
_LISTENERS = script("listeners")


def listeners(strict: bool) -> str:
    """Begun with each document: remembers which elements listen for a press, and by what, as a page cannot be asked for that
    later; what an element has ever listened by is kept, and a listener that is put back is no other one.

    It also stands before the page with each press and key that is no script's: only what was armed for goes on. Where it is
    `strict`, nothing else does, as nobody but the door has a hand on the browser.
    """
    return _LISTENERS.replace("KEY", KEY).replace("SECRET", _SECRET).replace("STRICT", "true" if strict else "false")


PAGE_SCRIPT = (
    f"() => {{\nconst KEY = '{KEY}', SECRET = '{_SECRET}';\n"
    f"{script('names', 'places', 'sending', 'walk', 'looking', 'offered')}\n}}"
)
"""Evaluated once in each document; gives an object that only its caller holds, so that the page cannot see or change it."""


FILE = "performed.sqlite"
_SCHEMA = """
CREATE TABLE IF NOT EXISTS performed (key TEXT PRIMARY KEY, digest TEXT NOT NULL, result TEXT) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS openings (n INTEGER PRIMARY KEY);
"""
_UNKNOWN = (
    "this action was begun before the process stopped, and it cannot be known whether it was done; "
    "look at the page to find out, and act again under another key only if it was not"
)


class Record:
    """Keys and results; in SQLite in a folder, or in memory. Actions are kept as a digest only: they may hold secrets."""

    def __init__(self, folder: Path | None = None) -> None:
        try:
            if folder is not None:
                folder.mkdir(parents=True, exist_ok=True)
            self._db = connected(folder / FILE if folder else None, isolation_level=None)
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("PRAGMA synchronous=FULL")
            self._db.executescript(_SCHEMA)
            self.earlier: int = (self._db.execute("INSERT INTO openings DEFAULT VALUES").lastrowid or 1) - 1
            """How many processes have used this record before."""
        except (sqlite3.Error, OSError) as bad:
            raise EnvironmentFault(f"the record of performed keys in {folder} cannot be opened: {bad}") from bad

    def known(self, key: str, action: Action) -> ActionResult | None:
        """The stored result, or status `pending` for an action that was begun and not ended. Raises DigestMismatch."""
        row = self._run("SELECT digest, result FROM performed WHERE key = ?", key)
        if not row:
            return None
        digest, result = row[0]
        if digest != action.digest:
            raise DigestMismatch(f"key {key!r} was used before for another action")
        if result is None:
            return ActionResult(exec_status=ExecStatus.PENDING, error=_UNKNOWN)
        return ActionResult.model_validate_json(result)

    def begin(self, key: str, action: Action) -> None:
        self._run("INSERT INTO performed VALUES (?, ?, NULL)", key, action.digest)

    def end(self, key: str, result: ActionResult) -> None:
        self._run("UPDATE performed SET result = ? WHERE key = ?", result.model_dump_json(exclude_defaults=True), key)

    def close(self) -> None:
        self._db.close()

    def _run(self, sql: str, *values: str) -> list[tuple[str, str | None]]:
        try:
            return self._db.execute(sql, values).fetchall()
        except sqlite3.Error as bad:
            raise EnvironmentFault(f"the record of performed keys cannot be used: {bad}") from bad


if TYPE_CHECKING:
    from playwright.async_api import Browser, BrowserContext, Dialog, Download, FileChooser, Page, Playwright, Request


VARIABLE = "DESKCREW_CHROMIUM"
NAMES = ("chromium", "chromium-browser", "google-chrome")


def find_chromium(given: Path | str | None = None) -> str:
    """The executable: what was given, the environment variable, the first on PATH. Raises EnvironmentFault."""
    for where, path in (("executable", given), (VARIABLE, os.environ.get(VARIABLE))):
        if path:
            found = shutil.which(str(path))
            if found is None:
                raise EnvironmentFault(f"{where} is {str(path)!r}, which is not a program that can be started")
            return found
    for name in NAMES:
        if found := shutil.which(name):
            return found
    raise EnvironmentFault(
        f"no Chromium was found ({', '.join(NAMES)} on PATH): install one (apt-get install chromium), or name it in {VARIABLE}"
    )


def need_playwright() -> None:
    """Raises EnvironmentFault where the extra is not installed."""
    try:
        import playwright.async_api  # noqa: F401 - only whoever opens a browser needs it
    except ImportError:
        raise EnvironmentFault("the browser needs Playwright: pip install 'deskcrew[browser]'") from None


def flags(allowed_hosts: Sequence[str]) -> list[str]:
    """Command line of Chromium. Names outside the allowed hosts do not resolve: this also holds for redirects and sockets."""
    given = [
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        # Sockets are opened by the gate, and by no page or worker: this proxy is none, and only they would use it.
        "--proxy-server=http=direct://;https=direct://;socks=127.0.0.1:9",
        "--proxy-bypass-list=<-loopback>",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    ]
    if "*" not in allowed_hosts:
        rules = ["MAP * ~NOTFOUND", *(f"EXCLUDE {host}" for host in allowed_hosts)]
        given.append(f"--host-resolver-rules={' , '.join(rules)}")
    return given


_COUNTED = frozenset({"document", "script", "stylesheet", "xhr", "fetch"})
_ANSWERS = 2.0
_LONG = 10.0
"""Seconds after which a request counts as a stream that is never done."""


@dataclass(frozen=True)
class Rules:
    """What a browser is opened with."""

    start_url: str
    allowed_hosts: Sequence[str]
    executable: str
    size: tuple[int, int]
    headless: bool
    allow_files: bool
    downloads: Path | None
    uploads: Path | None

    def refuses(self, url: str) -> str:
        """Why an address may not be opened; empty when it may."""
        try:
            parts = urlsplit(url)
            host = parts.hostname or ""
        except ValueError:
            return f"{url[:100]!r} is not an address"
        if parts.scheme == "file":
            return "" if self.allow_files else "addresses of local files are not allowed here"
        if parts.scheme not in ("http", "https", "ws", "wss"):
            return f"only http and https addresses can be opened, not {url[:100]!r}"
        allowed = any(h in ("*", host) or (h.startswith("*.") and host.endswith(h[1:])) for h in self.allowed_hosts)
        return "" if allowed else f"the host {host!r} is not allowed; allowed are {', '.join(self.allowed_hosts)}"


@dataclass
class OpenDialog:
    """A JavaScript dialog that waits for its answer; `text` is what a prompt would be given."""

    dialog: Dialog
    page: Page
    number: int
    text: str
    kind: str = ""
    message: str = ""


@dataclass
class Session:
    """One browser context. Every method runs on the loop of the browser."""

    rules: Rules
    pages: list[Page] = field(default_factory=list)
    front: Page | None = None
    dialogs: list[OpenDialog] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    chooser: FileChooser | None = None
    crashed: set[Page] = field(default_factory=set)
    asked: int = 0
    """How many dialogs there have been."""
    sent: int = 0
    """How many requests there have been."""
    gone: bool = False
    permit: Permit | None = None
    """What the action that is under way may do."""
    gate: Gate = field(init=False)
    stirred: asyncio.Event = field(default_factory=asyncio.Event)
    """Set whenever a dialog opens or a page crashes."""

    def __post_init__(self) -> None:
        self.gate = Gate(self.rules.refuses, self.note)

    async def open(self, seed: int | None) -> None:
        """Start the browser and a first tab; raises what Playwright raises."""
        from playwright.async_api import async_playwright

        self._at_end = ExitStack()
        self.downloads = self.rules.downloads or self._at_end.enter_context(Scratch("deskcrew-downloads-")).path
        self._flying: dict[Request, float] = {}
        self._saving: set[asyncio.Task[None]] = set()
        self._closing: set[asyncio.Task[None]] = set()
        self._playwright: Playwright = await async_playwright().start()
        self._browser: Browser | None = None
        self._context: BrowserContext | None = None
        args = flags(self.rules.allowed_hosts)
        root = hasattr(os, "geteuid") and os.geteuid() == 0
        self._browser = await self._playwright.chromium.launch(
            executable_path=self.rules.executable,
            headless=self.rules.headless,
            chromium_sandbox=not root,
            args=[*args, *(["--headless=new"] if self.rules.headless else []), *(["--no-sandbox"] if root else [])],
            handle_sigint=False,
        )
        self._browser.on("disconnected", lambda _: self._lost())
        await self.gate.attach(self._browser)
        await self.renew(seed)

    async def renew(self, seed: int | None) -> None:
        """Forget cookies, tabs and all, and begin with an empty tab."""
        assert self._browser is not None  # noqa: S101 - open() made it
        self.notes.clear()
        await self.gate.reset()
        dropped = list(self.notes)
        await self._leave()
        await self.gate.reset()  # what its pages sent as they were left
        width, height = self.rules.size
        self._context = await self._browser.new_context(
            viewport={"width": width, "height": height}, device_scale_factor=1, accept_downloads=True, service_workers="block"
        )
        self._context.set_default_timeout(5000)
        await self._context.add_init_script(listeners(strict=self.rules.headless))
        if seed is not None:
            await self._context.add_init_script(script("seeded").replace("SEED", str(seed)))
        await self.gate.join(self._context)
        self._context.on("page", self._joined)
        self._follow_requests(self._context)
        page = await self._context.new_page()
        self._joined(page)
        self.front = page
        self.notes[:] = dropped

    async def _leave(self) -> None:
        context, self._context = self._context, None
        for dialog in self.dialogs:
            await _quietly(dialog.dialog.dismiss())
        self._forget()
        self.crashed.clear()
        self._flying.clear()
        self.front, self.chooser, self.asked, self.sent = None, None, 0, 0
        if context is not None:
            await _quietly(context.close())
        self._forget()  # what came while its pages closed

    def _forget(self) -> None:
        for kept in (self.pages, self.dialogs, self.notes):
            kept.clear()
        self.stirred.clear()

    async def close(self) -> None:
        try:
            for task in self._saving:
                task.cancel()
            await asyncio.gather(*self._saving, return_exceptions=True)
            await self._leave()
            self.gone = True
            if self._browser is not None:
                await _quietly(self._browser.close())
            await _quietly(self._playwright.stop())
        finally:
            self._at_end.close()

    @property
    def page(self) -> Page:
        assert self.front is not None  # noqa: S101 - there is always a tab
        return self.front

    async def new_page(self) -> Page:
        assert self._context is not None  # noqa: S101 - open() made it
        page = await self._context.new_page()
        self._joined(page)
        self.front = page
        return page

    async def answers(self) -> bool:
        """Whether the front tab can still be asked anything: not after a crash, nor in a loop without end."""
        from playwright.async_api import Error

        if self.front is None or self.front in self.crashed:
            return False
        try:
            await asyncio.wait_for(self.front.evaluate("0"), _ANSWERS)
        except TimeoutError:
            return False
        except Error:
            return self.front is not None and self.front not in self.crashed
        return True

    async def replace(self) -> None:
        """A fresh tab in the place of the front one."""
        dead = self.front
        at = self.pages.index(dead) if dead in self.pages else len(self.pages)
        page = await self.new_page()
        self.pages.remove(page)
        if dead is not None and dead in self.pages:
            self.pages.remove(dead)
            task = asyncio.ensure_future(_quietly(dead.close()))
            self._closing.add(task)
            task.add_done_callback(self._closing.discard)
        self.pages.insert(at, page)
        self.notes[:] = [note for note in self.notes if "new tab" not in note]

    def flying(self) -> int:
        """How many requests are under way that a page waits for."""
        now, held = monotonic(), self.gate.still()
        flying = Counter((r.method, r.url) for r, since in self._flying.items() if now - since < _LONG)
        return (flying - held).total()

    def saving(self) -> int:
        return len(self._saving)

    async def finish_saving(self, seconds: float) -> None:
        if self._saving:
            await asyncio.wait(self._saving, timeout=seconds)

    def _lost(self) -> None:
        self.gone = True
        self.stirred.set()

    def _joined(self, page: Page) -> None:
        if page in self.pages:
            return
        self.pages.append(page)
        page.on("dialog", lambda dialog: self._asks(page, dialog))
        page.on("crash", lambda page: self._crashes(page))
        page.on("close", lambda page: self._closes(page))
        page.on("filechooser", lambda chooser: self._chooses(chooser))
        page.on("download", lambda download: self._downloads(download))
        if len(self.pages) > 1:
            self.notes.append(f"a new tab opened and is in front now (tab {len(self.pages) - 1})")
        self.front = page

    def _asks(self, page: Page, dialog: Dialog) -> None:
        self.asked += 1
        self.dialogs.append(OpenDialog(dialog, page, self.asked, dialog.default_value, dialog.type, dialog.message))
        self.stirred.set()

    def _crashes(self, page: Page) -> None:
        self.crashed.add(page)
        self.stirred.set()

    def _closes(self, page: Page) -> None:
        self.dialogs[:] = [open_ for open_ in self.dialogs if open_.page is not page]
        if page in self.pages:
            self.pages.remove(page)
        if self.front is page:
            self.front = self.pages[-1] if self.pages else None
            self.notes.append("the tab was closed")

    def _chooses(self, chooser: FileChooser) -> None:
        self.chooser = chooser
        self.notes.append("the page asks for a file: upload one to the control that was pressed")

    def _downloads(self, download: Download) -> None:
        if self.gate.download():
            return self._keep(download)
        sent = OutgoingRequest("DOWNLOAD", download.url)
        told = f"keep the file {download.suggested_filename[:80]!r} from {sent.at.netloc}{sent.at.path[:200]}"
        request = sent.held().model_copy(update={"told": told, "effects": (Effect.DOWNLOAD,)})

        async def go() -> bool:
            self._keep(download)
            return True

        self._held = asyncio.ensure_future(self.gate.hold(request, go, download.cancel))

    def _keep(self, download: Download) -> None:
        task = asyncio.ensure_future(self._save(download))
        self._saving.add(task)
        task.add_done_callback(self._saving.discard)

    async def _save(self, download: Download) -> None:
        path = free_name(self.downloads, download.suggested_filename)
        try:
            self.downloads.mkdir(parents=True, exist_ok=True)
            await download.save_as(path)
            self.notes.append(f"downloaded {path.name!r} ({path.stat().st_size} bytes) into {self.downloads}")
        except Exception as bad:  # noqa: BLE001 - whatever goes wrong with a download is told, and ends nothing
            self.notes.append(f"the download of {path.name!r} failed: {str(bad).splitlines()[0][:200]}")

    def note(self, text: str) -> None:
        """Told with the next result."""
        if text not in self.notes and len(self.notes) < 20:
            self.notes.append(text)

    def _follow_requests(self, context: BrowserContext) -> None:
        def begin(request: Request) -> None:
            if request.resource_type in _COUNTED:
                self._flying[request] = monotonic()
                self.sent += 1

        def end(request: Request) -> None:
            self._flying.pop(request, None)

        context.on("request", begin)
        context.on("requestfinished", end)
        context.on("requestfailed", end)


def free_name(folder: Path, suggested: str) -> Path:
    """A path in that folder that no file has yet; a page chooses the name, never the folder."""
    name = "".join(c if c.isprintable() and c not in '/\\:*?"<>|' else "_" for c in suggested).strip(". ")[-150:] or "download"
    path, stem, suffix = folder / name, Path(name).stem, Path(name).suffix
    for n in range(1, 10_000):
        if not path.exists():
            break
        path = folder / f"{stem}-{n}{suffix}"
    return path


async def _quietly(work: Any) -> None:
    """Wait for something whose failure means that it is gone already."""
    from playwright.async_api import Error

    with suppress(Error, TimeoutError):
        await asyncio.wait_for(work, 10)
