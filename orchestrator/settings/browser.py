"""A browser as a configured environment: its settings, and how it is made from them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from environments.contract import Environment, EnvironmentFault
from orchestrator.errors import UsageProblem
from protocol import Frozen
from protocol.retries import Retries

if TYPE_CHECKING:
    from environments.simulated.desktop import SimulatedDesktop


class BrowserSettings(Frozen):
    """The page that a run begins with, and what its browser may reach."""

    url: str = ""
    allowed_hosts: tuple[str, ...] = ()
    """Hosts that may be reached; empty for the host of `url` alone."""
    allow_files: bool = False
    """Whether pages among the files of this machine may be opened."""
    executable: Path | None = None
    """The Chromium to start; the first on the path where nothing is said."""
    headless: bool = True
    resumes: bool = False
    """Whether the page's server keeps what is done: a run that was stopped then goes on at `url` in a new browser."""


def make_browser(settings: BrowserSettings, store: Path | None, retries: Retries | None = None) -> Environment:
    """A browser at the page of the settings. Raises UsageProblem, also for a run that another process began, where the settings
    do not say that it may go on: what was filled in and opened went with its browser, and a page that only looks like it must not
    be worked on."""
    from environments.browser import BrowserEnvironment

    if not settings.url:
        raise UsageProblem("browser.url: the browser needs the address of a page; give it with --url or -c browser.url=ADDRESS.")
    record = store / "browser" if store else None
    if record is not None and record.exists() and not settings.resumes:
        raise UsageProblem(
            "environment browser: the page went with the process that showed it, so this run cannot go on; start it again, and "
            "answer it in the terminal or choose another safety policy; where the page's server keeps what is done, also "
            "with -c browser.resumes=true."
        )
    try:
        made: Environment = BrowserEnvironment(
            settings.url,
            allowed_hosts=settings.allowed_hosts or _host_of(settings.url),
            executable=settings.executable,
            headless=settings.headless,
            allow_files=settings.allow_files,
            record=record,
            retries=retries,
        )
    except EnvironmentFault as bad:
        hint = "; allow it with -c browser.allow_files=true" if settings.url.startswith("file:") else ""
        raise UsageProblem(f"environment browser: {bad}{hint}.") from None
    return made


def make_served(
    settings: BrowserSettings, make: Callable[[], SimulatedDesktop], store: Path | None, retries: Retries | None = None
) -> Environment:
    """A simulated world as web pages, in a browser. The world is kept beside its run, so that a run goes on in a new browser."""
    from environments.served.browser_world import BrowsedWorld

    if settings.url:
        raise UsageProblem(
            "browser.url: the environment served has an address of its own; leave it out, or say environment: browser."
        )
    try:
        return BrowsedWorld(
            make,
            store,
            executable=settings.executable,
            headless=settings.headless,
            retries=retries,
        )
    except EnvironmentFault as bad:
        why = str(bad).removesuffix("; choose another with --port.").rstrip(".")
        raise UsageProblem(f"environment served: {why}.") from None


def refused_address(url: str, settings: BrowserSettings) -> str:
    """Why a page that somebody elsewhere names is none that these settings reach; empty where it is one. A file never is, and a
    host is one that the settings name: where any other name leads is said by whoever owns it."""
    from environments.browser.session import Rules

    hosts = settings.allowed_hosts or _host_of(settings.url)
    if not hosts:
        return "no page can be opened here"
    address = url.strip() if "://" in url else f"http://{url.strip()}"
    return Rules(address, hosts, "", (0, 0), True, allow_files=False, downloads=None, uploads=None).refuses(address)


def _host_of(url: str) -> tuple[str, ...]:
    try:
        host = urlsplit(url).hostname
    except ValueError:
        return ()
    return (host,) if host else ()
