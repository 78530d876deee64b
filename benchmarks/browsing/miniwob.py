"""A page of MiniWoB as an environment, with the page's own score."""

from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from environments.browser import BrowserEnvironment
from environments.contract import EnvironmentFault
from protocol import Action, ActionResult, VisualState

_BEGIN = """seed => {
  core.EPISODE_MAX_TIME = 1e6;
  Math.seedrandom(seed);
  core.startEpisodeReal();
  for (const id of ['reward-display', 'click-canvas']) {
    const shown = document.getElementById(id);
    if (shown) shown.style.display = 'none';
  }
  const said = core.getUtterance();
  return typeof said === 'string' ? said : String(said.utterance);
}"""
"""The panel with the reward goes: the pages' own interface shows it to nobody who works them."""
_SCORE = "() => typeof WOB_DONE_GLOBAL === 'undefined' ? null : [WOB_DONE_GLOBAL, WOB_RAW_REWARD_GLOBAL]"


class Score(NamedTuple):
    """Whether the episode is over, and what the page gave for it."""

    over: bool
    reward: float


def pages_folder() -> Path:
    """Where the package keeps its pages. Raises EnvironmentFault when it is not installed."""
    spec = find_spec("miniwob")
    if spec is None or spec.origin is None:
        raise EnvironmentFault('the pages of miniwob are not installed; run: pip install --no-deps "miniwob==1.1.0"')
    return Path(spec.origin).parent / "html" / "miniwob"


class MiniwobPage(BrowserEnvironment):
    """One page. `goal` is the episode's sentence; `score` is the page's own, kept from the moment the episode was over."""

    def __init__(self, page: str, *, executable: Path | str | None = None) -> None:
        file = pages_folder() / f"{page}.html"
        if not file.is_file():
            raise EnvironmentFault(f"miniwob has no page {page!r}")
        super().__init__(file.as_uri(), executable=executable, allow_files=True, allowed_hosts=())
        self.goal = ""
        self.score = Score(False, 0.0)

    def reset(self, *, seed: int | None = None) -> VisualState:
        """Another episode; the same seed gives the same one."""
        super().reset(seed=None)
        self.goal = str(self._run(self._ask(_BEGIN, seed or 0), 20))
        self.score = Score(False, 0.0)
        return self.observe()

    def perform(self, action: Action, *, key: str) -> ActionResult:
        result = super().perform(action, key=key)
        if not self.score.over and (told := self._run(self._ask(_SCORE), 20)):
            self.score = Score(bool(told[0]), float(told[1]))
        return result

    async def _ask(self, script: str, *given: Any) -> Any:
        return await self._seen().session.page.evaluate(script, *given)
