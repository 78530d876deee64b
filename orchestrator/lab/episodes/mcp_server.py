"""A simulated desktop over MCP: any agent works a task by references of a snapshot, in the terms of Playwright's MCP server.

What a tool is given goes through the dialect `playwright_mcp` into the actions that a crew would do, and is judged as an episode.
A goal can be given to the crew as well; what it then waits for is answered by a person on this machine, or by the client's user
where whoever started the server trusts the client to ask them.
"""

import hmac
import threading
from collections.abc import MutableMapping
from fnmatch import fnmatch
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, Field

from orchestrator.errors import UsageProblem
from orchestrator.lab.episodes.episode import Episode
from orchestrator.runs.folders import show_run
from orchestrator.runs.outcome import Outcome
from orchestrator.settings.layers import override_lines, shipped, shipped_names
from orchestrator.settings.settings import load_settings
from orchestrator.tasks.tasks import load_task
from roles.contracts.requests import QuestionRequest, Request, request_in

try:
    from mcp.server import MCPServer
    from mcp.server.elicitation import AcceptedElicitation, ElicitationResult
    from mcp.server.mcpserver import Context, Elicit, Image, Resolve
    from mcp.server.mcpserver.exceptions import ToolError
except ImportError as missing:
    raise UsageProblem('the MCP server is not installed; pip install "deskcrew[mcp]"') from missing

DIALECT = "playwright_mcp"
ABOUT = (
    "A simulated desktop with applications. Begin with `reset`, which gives the goal; look with `browser_snapshot`, whose "
    "references such as e12 are the targets of the other tools; end with `finish` or `fail`. Each tool returns what came of it "
    "and the screen after it."
)


class DesktopTools:
    """The tools over one episode. Their docstrings are what a client is told."""

    def __init__(self, task: str, seed: int, runs_dir: Path | None = None, *, elicit: bool = False) -> None:
        self._episode = Episode(task, seed, dialect=DIALECT)
        self._runs = runs_dir or load_settings().settings.runs_dir
        self.elicit = elicit
        self._lock = threading.Lock()

    def list_tasks(self, pattern: str = "*") -> list[dict[str, str]]:
        """The tasks that there are, by a pattern of their names such as `claim-*`."""
        names = [name for name in shipped_names("tasks") if fnmatch(name, pattern)]
        return [{"task": name, "goal": load_task(shipped("tasks", f"{name}.yaml")).goal} for name in names]

    def reset(self, task: str = "", seed: int = 0) -> str:
        """Start a task anew, the same one when none is named. Gives the goal and the first screen."""
        with self._lock:
            if task:
                fresh = Episode(task, seed, dialect=DIALECT)
                self._episode.close()
                self._episode = fresh
            first = self._episode.reset(seed)
            return f"goal: {first.goal}\n{first.text}"

    def browser_snapshot(self) -> str:
        """The screen: one line an element, with its reference in brackets."""
        with self._lock:
            return self._episode.look().text

    def browser_take_screenshot(self) -> Image:
        """The screen as a PNG."""
        with self._lock:
            return Image(data=self._episode.screenshot(), format="png")

    def browser_click(
        self, target: str, element: str = "", button: str = "left", doubleClick: bool = False, modifiers: list[str] | None = None
    ) -> str:
        """Click an element. `target` is its reference, `element` what it is called, for people."""
        more = {"doubleClick": doubleClick, "modifiers": modifiers}
        return self._call("browser_click", target=target, element=element, button=button, **{k: v for k, v in more.items() if v})

    def browser_type(self, target: str, text: str, element: str = "", submit: bool = False) -> str:
        """Put a text into a field, in place of what it holds; with `submit` press Enter afterwards."""
        return self._call("browser_type", target=target, text=text, element=element, submit=submit)

    def browser_select_option(self, target: str, values: list[str], element: str = "") -> str:
        """Choose in a list."""
        return self._call("browser_select_option", target=target, values=values, element=element)

    def browser_hover(self, target: str, element: str = "") -> str:
        """Move the pointer onto an element."""
        return self._call("browser_hover", target=target, element=element)

    def browser_press_key(self, key: str) -> str:
        """Press a key or a chord, as `Enter` or `Control+s`."""
        return self._call("browser_press_key", key=key)

    def browser_drag(self, startTarget: str, endTarget: str, startElement: str = "", endElement: str = "") -> str:
        """Drag from one element to another."""
        named = {"startElement": startElement, "endElement": endElement}
        return self._call("browser_drag", startTarget=startTarget, endTarget=endTarget, **named)

    def browser_wait_for(self, time: float = 0, text: str = "") -> str:
        """Wait some seconds, or for a text."""
        return self._call("browser_wait_for", **({"text": text} if text else {"time": time or 1}))

    def act(self, line: str) -> str:
        """Any action, as a line of the DSL: `open "notes"`, `scroll down 1 page`, `ask the user "Which one?"`."""
        return self._step(line, "")

    def list_functions(self, app: str = "") -> list[dict[str, Any]]:
        """The functions of the applications' own interfaces, of one or of all, with the schema of what each takes."""
        with self._lock:
            return [f._asdict() for f in self._episode.functions() if app in ("", f.app)]

    def call_function(self, app: str, name: str, arguments: dict[str, Any] | None = None) -> str:
        """Call a function of an application's own interface; `list_functions` has them."""
        return self._step({"action_type": "call_api", "app": app, "request": {"name": name, "arguments": arguments or {}}}, "")

    def finish(self, summary: str = "") -> str:
        """Say that the goal is reached. Gives the judge's verdict."""
        return self._step({"action_type": "finish_goal", "summary": summary}, "")

    def fail(self, reason: str) -> str:
        """Say that the goal cannot or must not be reached, and why. Gives the judge's verdict."""
        return self._step({"action_type": "fail_goal", "reason": reason}, "")

    def run_goal(self, goal: str, world: str = "office", seed: int = 0) -> dict[str, Any]:
        """Give a goal to the crew, in a world of its own. Where it waits for a person, it says how they answer."""
        from orchestrator.runs.runs import start

        said = {"world": world, "seed": seed, "display": "none", "runs_dir": str(self._runs)}
        return _ended(start(load_settings(overrides=override_lines(said)), goal))

    def answer(self, run: str, words: str) -> dict[str, Any]:
        """Answer what the crew wants to know, and let it go on. An approval is no question: only a person gives it."""
        request = self._pending(run)
        if not isinstance(request, QuestionRequest) or request.private:
            raise ToolError(f"Run {run} has no request that can be answered here; a person answers with: deskcrew resume {run}")
        return self._resumed(run, {"decisions": [{"type": "respond", "message": words}]})

    def _pending(self, run: str) -> Request | None:
        return request_in(show_run(run, self._runs).report.get("pending"))

    def _resumed(self, run: str, answer: dict[str, Any] | None) -> dict[str, Any]:
        from orchestrator.runs.runs import resume

        try:
            return _ended(resume(run, runs_dir=self._runs, answer=answer))
        except UsageProblem as bad:
            raise ToolError(str(bad)) from None

    def close(self) -> None:
        self._episode.close()

    def _call(self, tool: str, **arguments: Any) -> str:
        said = {name: value for name, value in arguments.items() if value != ""}
        return self._step({"name": tool, "arguments": said}, DIALECT)

    def _step(self, action: Any, dialect: str) -> str:
        with self._lock:
            if self._episode.over:
                return "The episode is over; call `reset`."
            self._episode.dialect = dialect
            turn = self._episode.step(action)
            if turn.terminated or turn.truncated:
                ended = "the episode is over" if turn.terminated else "the steps are spent"
                return f"{ended}: reward {turn.reward:g}, {'passed' if turn.info['passed'] else 'not passed'}"
            return f"{turn.info['status']}\n{turn.observation.text}"


class Approval(BaseModel):
    """May this be done?"""

    approve: bool
    why: str = Field(default="", description="where it may not: what the crew should know")


def _ended(outcome: Outcome) -> dict[str, Any]:
    told = {"run": outcome.run_id, "status": outcome.status, "reason": outcome.reason, "answer": outcome.report.get("answer", "")}
    return told | ({"waits": f"deskcrew resume {outcome.run_id}"} if outcome.pending is not None else {})


def build_server(tools: DesktopTools) -> MCPServer[Any]:
    """The server, with every public method of `tools` but `close` as a tool."""
    server: MCPServer[Any] = MCPServer("deskcrew", instructions=ABOUT)
    for name in vars(DesktopTools):
        if not name.startswith("_") and name != "close":
            server.add_tool(getattr(tools, name), structured_output=False)

    # The tool `resume`. The client's user is asked for an approval only where the server was told so
    def asked(run: str, ctx: Context) -> Elicit[Approval] | None:
        request, capabilities = tools._pending(run), ctx.client_capabilities
        able = tools.elicit and capabilities is not None and capabilities.elicitation is not None
        if not able or request is None or isinstance(request, QuestionRequest):
            return None
        return Elicit("\n".join([request.about.description, *request.reasons]), Approval)

    def resume(run: str, user: Annotated[ElicitationResult[Approval], Resolve(asked)]) -> dict[str, Any]:
        """Go on with a run of the crew: one that was stopped, or that waits and whose user answers now."""
        if not (isinstance(user, AcceptedElicitation) and isinstance(user.data, Approval)):  # None where nobody was asked
            return tools._resumed(run, None)
        decision = {"type": "approve"} if user.data.approve else {"type": "reject", "message": user.data.why}
        return tools._resumed(run, {"decisions": [decision]})

    server.add_tool(resume, structured_output=False)
    return server


def serve_http(server: MCPServer[Any], port: int, token: str) -> None:
    """Streamable HTTP on this machine alone, at /mcp; who does not bring the token is answered 401."""
    import uvicorn

    app, wanted = server.streamable_http_app(), f"Bearer {token}".encode()

    async def guarded(scope: MutableMapping[str, Any], receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            brought = dict(scope["headers"]).get(b"authorization", b"")
            if not hmac.compare_digest(brought, wanted):
                await send({"type": "http.response.start", "status": 401, "headers": [(b"www-authenticate", b"Bearer")]})
                await send({"type": "http.response.body", "body": b"the token is missing or wrong\n"})
                return
        await app(scope, receive, send)

    uvicorn.run(guarded, host="127.0.0.1", port=port, log_level="warning")
