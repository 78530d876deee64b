"""A browser as an environment: one thread asks, the browser's own loop does."""

import asyncio
import threading
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import Any, TypeVar

from environments.browser.actions.perform import PATIENCE, ConditionTimeout, PageBusy, act, cannot, open_address
from environments.browser.actions.targeting import Refused, written
from environments.browser.observation.control_identity import control
from environments.browser.observation.elements import clean
from environments.browser.observation.screen import Sight, settle
from environments.browser.session import Record, Rules, Session, find_chromium, need_playwright
from environments.cards import AppCard, card_of_screen
from environments.contract import STOPPED, EnvironmentFault, EnvironmentType
from environments.effects import ControlSeen, HeldRequest, Network, Permit, released
from protocol import Action, ActionResult, BoundingBox, ExecStatus, HoldKey, VisualState, Wait
from protocol.retries import PASSING, Overload, Retries, retry_after

T = TypeVar("T")
_LOOK, _LOOK_AGAIN = 10.0, 2.0
_START = 45.0
"""Seconds in which the start page is asked for again."""
_DOCUMENTS = 1_000_000
"""More than one process numbers."""
_CRASHED = "The page crashed; navigate to an address to continue."
_STUCK = "The page does not answer; wait, or navigate elsewhere."


class LoopThread:
    """Runs coroutines one after another; a browser belongs to the loop that started it."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._over = asyncio.Event()
        self._thread = threading.Thread(target=self._live, name="browser", daemon=True)
        self._thread.start()

    def _live(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:  # which cancels what is left
            runner.run(self._over.wait())

    def run(self, work: Coroutine[Any, Any, T], seconds: float) -> T:
        """The result. Raises EnvironmentFault when there is none within `seconds`."""
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result(seconds)
        except TimeoutError:
            if not future.done():
                future.cancel()
                raise EnvironmentFault(f"the browser did not answer within {seconds:g} seconds") from None
            raise

    def stop(self) -> None:
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._over.set)
            self._thread.join(10)


class BrowserEnvironment:
    """Web pages in Chromium, begun at `start_url`, on hosts that are allowed. Opens its browser when it is first used.

    With a `record` folder it knows, in any later process, which keys were performed. Raises EnvironmentFault where Playwright
    or Chromium is missing.
    """

    environment_type: EnvironmentType = "browser"

    def __init__(
        self,
        start_url: str,
        *,
        allowed_hosts: Sequence[str] = ("localhost", "127.0.0.1"),
        executable: Path | str | None = None,
        size: tuple[int, int] = (1280, 800),
        headless: bool = True,
        allow_files: bool = False,
        downloads: Path | None = None,
        uploads: Path | None = None,
        record: Path | None = None,
        retries: Retries | None = None,
    ) -> None:
        need_playwright()
        program = find_chromium(executable)
        self._rules = Rules(start_url, tuple(allowed_hosts), program, size, headless, allow_files, downloads, uploads)
        if start_url != "about:blank" and (why := self._rules.refuses(start_url)):
            raise EnvironmentFault(f"the start page cannot be opened: {why}")
        self.name = f"browser:{start_url}"
        self._record = Record(record)
        self._retries = retries or Retries()
        self._thread: LoopThread | None = None
        self._sight: Sight | None = None
        self._parked: set[asyncio.Task[Any]] = set()
        self._network = Network(mode="off")
        self._closed = False
        self._permits: dict[str, Permit] = {}
        self._stuck: object = None

    def reset(self, *, seed: int | None = None) -> VisualState:
        """A fresh profile at the start page; with a seed, the pages' Math.random repeats. What servers hold, and which keys
        were performed, stays."""
        self._live()
        if self._sight is not None and self._sight.session.gone:
            self._drop()
        return self._run(self._begin(seed), 90)

    def observe(self) -> VisualState:
        return self._asked(self._look)

    def cards(self) -> list[AppCard]:
        """What the page holds and can do, as it was seen last."""
        return [card_of_screen(self.observe() if self._sight is None else self._sight.state())]

    def perform(self, action: Action, *, key: str) -> ActionResult:
        self._live()
        known = self._record.known(key, action)
        if known is not None:
            return known
        if not released(action) and (why := cannot(action)):
            self._record.begin(key, action)
            result = ActionResult(exec_status=ExecStatus.ERROR, error=why)
        else:
            self._opened()
            self._record.begin(key, action)
            result = self._run(self._act(action, self._permits.pop(key, None)), _seconds(action) + PATIENCE + 30)
        self._record.end(key, result)
        return result

    def screenshot(self) -> bytes:
        """The PNG of the page. A JavaScript dialog stops the page, so there is no picture while one is open."""
        return self._asked(self._picture)

    def written(self, texts: Sequence[str]) -> list[BoundingBox]:
        """Where on the page a text can be read, also where no element tells it; the page never hears the texts."""
        return self._asked(lambda: self._answered(
            written(self._seen().session.page, texts, self._rules.size), 20, "the text of the page cannot be read"))  # fmt: skip

    def control(self, action: Action) -> ControlSeen | None:
        """The control on which it would fall now: in the focus, at a point, or the one that it names."""
        return self._asked(lambda: self._answered(control(self._seen(), action), _LOOK, "the page does not answer"))

    def admit(self, key: str, permit: Permit) -> None:
        """What the action of this key may do: what differs from it is refused before anything happens."""
        self._permits[key] = permit

    def guard(self, network: Network) -> None:
        """From here on requests are treated so."""
        self._network = network
        if self._sight is not None:
            self._sight.session.gate.network = network

    def held(self) -> tuple[HeldRequest, ...]:
        """Requests that wait, oldest first."""

        async def held() -> tuple[HeldRequest, ...]:
            return self._seen().session.gate.held()

        return () if self._sight is None else self._run(held(), 10)

    def close(self) -> None:
        if not self._closed:
            self._closed = True
            self._drop()
            self._record.close()

    def _run(self, work: Coroutine[Any, Any, T], seconds: float) -> T:
        if self._thread is None:
            self._thread = LoopThread()
        return self._thread.run(work, seconds)

    def _opened(self) -> None:
        if self._sight is None:
            self._run(self._begin(None), 90)

    def _asked(self, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """What is found out about the page, opened first where it is not."""
        self._live()
        self._opened()
        return self._run(work(), 60)

    def _live(self) -> None:
        if self._closed:
            raise EnvironmentFault("the browser was closed")

    def _drop(self) -> None:
        sight, thread = self._sight, self._thread
        self._sight = self._thread = None
        if thread is None:
            return

        async def shut(sight: Sight) -> None:
            self._cancel_parked()
            await sight.session.close()

        try:
            if sight is not None:
                thread.run(shut(sight), 60)
        finally:
            thread.stop()

    def _cancel_parked(self) -> None:
        for task in self._parked:
            task.cancel()
        self._parked.clear()

    async def _begin(self, seed: int | None) -> VisualState:
        from playwright.async_api import Error

        self._cancel_parked()
        try:
            if self._sight is None:
                session = Session(self._rules)
                session.gate.network = self._network
                self._sight = Sight(session)
                await session.open(seed)
            else:
                await self._sight.session.renew(seed)
        except Error as bad:
            if self._sight is not None:
                self._sight.session.gone = True
            raise EnvironmentFault(f"Chromium could not be started: {str(bad).splitlines()[0][:300]}") from None
        self._sight.forget()
        # No element goes by the id that another one had in the browser of an earlier process.
        self._sight.documents = self._record.earlier * _DOCUMENTS
        self._sight.clock = 0.0
        soon = monotonic() + _START
        trying = self._retries.trying_async(
            lambda bad: isinstance(bad, Overload | PageBusy), enough=lambda wait: monotonic() + wait > soon
        )
        try:
            await trying(self._arrive, self._sight)
        except Overload:  # what the server says instead is shown
            pass
        except (Refused, ConditionTimeout, TimeoutError) as bad:
            why = str(bad) or "it does not come to rest; its scripts may never end"
            raise EnvironmentFault(f"the start page cannot be opened: {why}") from None
        return await self._look()

    async def _arrive(self, sight: Sight) -> None:
        """Open the start page. Raises Overload where its server says that it may answer a moment later."""
        sight.session.notes.clear()
        said = await self._unless_stirred(open_address(sight, self._rules.start_url), 30)
        if said is not None and said.status in PASSING:
            raise Overload(f"the server answers {said.status}", retry_after(said.headers))

    async def _act(self, action: Action, permit: Permit | None) -> ActionResult:
        sight = self._seen()
        gate, started = sight.session.gate, monotonic()
        if released(action):
            work = self._release(released(action))
        else:
            await gate.start(None if sight.session.dialogs else sight.session.front, permit)
            sight.session.permit = permit
            work = act(sight, action)
        try:
            result = await self._unless_stirred(work, _seconds(action) + PATIENCE)
        except TimeoutError:
            result = ActionResult(exec_status=ExecStatus.TIMEOUT, error=_STUCK)
        if result is None:
            result = self._interrupted()
        elif self._parked and not sight.session.dialogs:  # the answer lets the press go on that asked
            with suppress(TimeoutError):
                await self._unless_stirred(asyncio.wait(set(self._parked)), PATIENCE, park=False)
        await sight.session.finish_saving(10)
        if why := gate.finish():
            result = result.model_copy(update={"exec_status": ExecStatus.ERROR, "error": clean(f"{STOPPED}{why}", 2000)})
        if sight.session.notes:
            told = "; ".join([result.output, *sight.session.notes] if result.output else sight.session.notes)
            result = result.model_copy(update={"output": told})
            sight.session.notes.clear()
        sight.clock = round(sight.clock + monotonic() - started, 3)
        if sight.session.front is None and not sight.session.gone:
            await sight.session.new_page()
        return result

    async def _release(self, request_id: str) -> ActionResult:
        sight = self._seen()
        told = await sight.session.gate.release(request_id)
        if not sight.session.dialogs:
            await settle(sight)
        return ActionResult(exec_status=ExecStatus.EXECUTED, output=told)

    def _interrupted(self) -> ActionResult:
        """What an action comes to that opened a dialog, or brought the page down."""
        session = self._seen().session
        if session.gone:
            raise EnvironmentFault("the browser is gone; reset opens another")
        if session.dialogs:
            return ActionResult(exec_status=ExecStatus.EXECUTED, output="a dialog opened; the page waits for its answer")
        return ActionResult(exec_status=ExecStatus.ERROR, error="the page crashed; navigate to an address to continue")

    async def _look(self) -> VisualState:
        from playwright.async_api import Error

        sight = self._seen()
        session = sight.session
        if session.front is not None and session.front in session.crashed:
            return sight.alone(_CRASHED)
        if session.dialogs:
            return sight.state()

        for last in (False, False, True):
            try:
                patience = _LOOK_AGAIN if session.front is self._stuck else _LOOK
                await self._unless_stirred(sight.look(), patience, park=False)
                break
            except TimeoutError:
                self._stuck = session.front
                return sight.alone(_STUCK)
            except Error:  # on its way to another page
                if not last:
                    await settle(sight, 2.0)
        self._stuck = None
        if session.front is not None and session.front in session.crashed:
            return sight.alone(_CRASHED)
        return sight.state()

    async def _picture(self) -> bytes:
        session = self._seen().session
        if session.dialogs:
            raise EnvironmentFault("a dialog is open, and a page that waits for its answer gives no picture")
        return await self._answered(session.page.screenshot(animations="allow", caret="initial"), 20, "no picture could be taken")

    @staticmethod
    async def _answered(work: Coroutine[Any, Any, T], seconds: float, otherwise: str) -> T:
        """What the page answers within so many seconds. Raises EnvironmentFault."""
        from playwright.async_api import Error

        try:
            return await asyncio.wait_for(work, seconds)
        except (Error, TimeoutError) as bad:
            raise EnvironmentFault(f"{otherwise}: {(str(bad) or 'too late').splitlines()[0][:200]}") from None

    def _seen(self) -> Sight:
        if self._sight is None:
            raise EnvironmentFault("the browser is not open")
        if self._sight.session.gone:
            raise EnvironmentFault("the browser is gone; reset opens another")
        return self._sight

    async def _unless_stirred(self, work: Coroutine[Any, Any, T], seconds: float, *, park: bool = True) -> T | None:
        """The result; None when a dialog or a crash came in between, and then the work goes on once that is answered."""
        session = self._seen().session
        session.stirred.clear()
        task = asyncio.ensure_future(work)
        stirred = asyncio.ensure_future(session.stirred.wait())
        try:
            await asyncio.wait({task, stirred}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
            if not task.done() and session.stirred.is_set():
                await asyncio.wait({task}, timeout=0.3)  # what ends by itself has the better result
        finally:
            stirred.cancel()
        if task.done():
            return task.result()
        if session.stirred.is_set() and park and not session.gone:
            self._parked.add(task)
            task.add_done_callback(self._forget)
            return None
        task.cancel()
        await asyncio.wait({task}, timeout=1)
        if session.stirred.is_set():
            return None
        raise TimeoutError

    def _forget(self, task: asyncio.Task[Any]) -> None:
        self._parked.discard(task)
        done = None if task.cancelled() or task.exception() is not None else task.result()
        if isinstance(done, ActionResult) and self._sight is not None:  # told with the action that let it go on
            self._sight.session.notes.extend(filter(None, (done.error, done.output)))


def _seconds(action: Action) -> float:
    """The time that an action asks for itself."""
    own = action.seconds if isinstance(action, Wait | HoldKey) else getattr(action, "hold", 0.0) * getattr(action, "count", 1)
    return float(own) + (action.delay or 0.0)
