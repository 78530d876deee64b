"""Where things are looked up beside the store: a search interface, LangChain retrievers, tools of MCP servers.

What a source says is data: it is recorded with its name and shown to a policy as what it is, never done because it says so.
"""

import inspect
import json
import os
import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote, urlsplit

from langchain_core.documents import Document as Page
from langchain_core.retrievers import BaseRetriever

from protocol.http_bounds import TooMuch, bound
from protocol.retries import PASSING, Overload, Retries, retry_after
from roles.contracts import Supplement
from roles.knowledge.pages.documents import KINDS, MAX_TITLE, asked_stems, fits, indexed
from roles.knowledge.settings import McpSettings, OnlineSettings
from roles.knowledge.store import SourceFault
from roles.safety.privacy.vault_shapes import REFERENCE
from roles.skills.arguments import CallTimeout, within
from roles.skills.chain_tools import McpServer, tools_of
from roles.skills.contract import NoAnswer, ToolFault


class McpSource:
    """A tool of an MCP server."""

    def __init__(self, settings: McpSettings, retries: Retries | None = None) -> None:
        self.name = f"mcp {settings.name}"
        self._settings = settings
        self._server = McpServer(self.name, settings, "tools.seconds", retries=retries)

    def search(self, query: str, app: str | None, limit: int) -> list[Supplement]:
        """Raises SourceFault when the server cannot be asked."""
        try:
            answer = self._server.ask(lambda client: self._asked(client, query))
        except NoAnswer as bad:
            raise SourceFault(str(bad)) from bad
        said = [getattr(part, "text", "") for part in answer.content]
        if answer.is_error:
            raise SourceFault(f"{self.name} refused: {' '.join(said)[:300]}")
        found = answer.structured_content if answer.structured_content and not any(said) else [text for text in said if text]
        return found_in(found, query, f"mcp:{self._settings.name}", limit)

    async def _asked(self, client: Any, query: str) -> Any:
        given, tools = self._settings, {tool.name: tool for tool in await tools_of(client)}
        tool = tools.get(given.tool) if given.tool else next(iter(tools.values())) if len(tools) == 1 else None
        if tool is None:
            raise ToolFault(f"{self.name}: tool: name one of its tools, which are: {', '.join(tools) or 'none'}")
        takes = tool.input_schema.get("properties", {})
        texts = [given.argument] if given.argument else [k for k, said in takes.items() if said.get("type", "string") == "string"]
        if len(texts) != 1:
            told = f"name the one that takes the query; there are: {', '.join(takes) or 'none'}"
            raise ToolFault(f"{self.name}: argument: {told}")
        return await client.call_tool(tool.name, {texts[0]: query})


def found_in(answer: Any, query: str, source: str, limit: int) -> list[Supplement]:
    """An answer as things found: a text is one, a list is several; nothing in it is nothing found."""
    items: Sequence[Any] = answer if isinstance(answer, list | tuple) else [answer]
    texts = [text for text in map(_as_text, items) if text.strip()][:limit]
    titles = (next(line for line in text.splitlines() if line.strip()).strip().lstrip("# ")[:120] for text in texts)
    return [Supplement(query=query, source=source, title=title, text=text) for title, text in zip(titles, texts, strict=True)]


def _as_text(item: Any) -> str:
    if item is None:
        return ""
    if isinstance(item, str):
        return item
    if isinstance(item, dict) and item.get("type") == "text":
        return str(item.get("text", ""))
    return json.dumps(item, ensure_ascii=False, default=str, indent=1)


_LONGEST_QUERY = 400
_LONGEST_TEXT = 20_000


class OnlineSearch:
    """A SupplementSource over one search interface."""

    kind = "online"

    def __init__(
        self,
        settings: OnlineSettings,
        environ: Mapping[str, str] | None = None,
        retries: Retries | None = None,
    ) -> None:
        self.name = f"online search at {urlsplit(settings.url).hostname}"
        self.top_k = settings.top_k
        self._settings = settings
        self._environ = os.environ if environ is None else environ
        self._retries = retries or Retries()
        self._trying = self._retries.trying()

    def search(self, query: str, app: str | None, limit: int) -> list[Supplement]:
        """Raises SourceFault where it cannot be asked or its answer cannot be read."""
        asked = " ".join(REFERENCE.sub(" ", query).split())[:_LONGEST_QUERY]
        if not asked:
            return []
        body = self._answer(asked, app, limit)
        try:
            items = _at(json.loads(body), self._settings.results)
        except (ValueError, RecursionError):
            raise SourceFault(f"{self.name}: its answer is not readable JSON") from None
        if not isinstance(items, list):
            raise SourceFault(f"{self.name}: its answer has no list at {self._settings.results or 'its top'!r}; set results")
        found = [hit for item in items if (hit := self._hit(item, query, app)) is not None]
        return found[:limit]

    def _hit(self, item: Any, query: str, app: str | None) -> Supplement | None:
        given = self._settings
        title, text, link = (_text(_at(item, place)) for place in (given.title, given.text, given.link))
        if not (title or text) or (given.domains and not _within(link, given.domains)):
            return None
        shown = " ".join((title or text).split())[:MAX_TITLE]
        score = fits(asked_stems(query), indexed(shown), indexed(text[:_LONGEST_TEXT]), {}, 0)
        if score < given.threshold:
            return None
        return Supplement(
            query=query, source=link[:2000] or self.name, title=shown, text=text[:_LONGEST_TEXT], app=app, kind="online",
            score=round(score, 4),
        )  # fmt: skip

    def _answer(self, query: str, app: str | None, limit: int) -> bytes:
        """The body of the answer, after tries that failed for a while."""
        import httpx  # here, since few ever search online

        given = self._settings
        headers = {"Accept": "application/json", **self._key()}
        values = {"query": query, "app": app or "", "limit": str(limit)}
        url = re.sub(r"\{(query|app|limit)\}", lambda m: quote(values[m.group(1)], safe=""), given.url)
        try:
            # A redirect could lead anywhere, key and all; the address is the user's to name.
            with httpx.Client(timeout=given.seconds, follow_redirects=False, headers=headers, trust_env=False) as client:
                bound(client, given.seconds, given.max_bytes)
                return self._trying(self._once, client, url)
        except Overload as bad:
            raise SourceFault(f"{self.name}: {bad}; asked {self._retries.tries} times") from None
        except httpx.InvalidURL:
            raise SourceFault(f"{self.name}: url: this is not an address") from None

    def _once(self, client: Any, url: str) -> bytes:
        import httpx

        given = self._settings
        try:
            answer = client.get(url)
        except TooMuch:
            raise SourceFault(f"{self.name}: its answer is larger than {given.max_bytes} bytes (max_bytes)") from None
        except (httpx.TimeoutException, TimeoutError):
            raise Overload(f"it takes longer than {given.seconds} seconds") from None
        except httpx.HTTPError as bad:  # its own words may hold the address, and with it a key
            raise Overload(f"it cannot be reached ({type(bad).__name__})") from None
        if answer.status_code in PASSING:
            raise Overload(f"it answers {answer.status_code}", retry_after(answer.headers))
        if answer.status_code != 200:
            raise SourceFault(f"{self.name}: it answers {answer.status_code}; look at url and key_env")
        return bytes(answer.content)

    def _key(self) -> dict[str, str]:
        given = self._settings
        if not given.key_env:
            return {}
        key = self._environ.get(given.key_env, "").strip()
        if not key:
            raise SourceFault(f"{self.name}: put its key into the environment variable {given.key_env}")
        return {given.key_header: given.key_form.replace("{key}", key)}


def _at(data: Any, place: str) -> Any:
    """What stands at `a.0.b`; None where nothing does."""
    for part in place.split(".") if place else ():
        if isinstance(data, Mapping):
            data = data.get(part)
        elif isinstance(data, Sequence) and not isinstance(data, str) and part.isdigit() and int(part) < len(data):
            data = data[int(part)]
        else:
            return None
    return data


def _text(value: Any) -> str:
    return value.encode("utf-8", "replace").decode("utf-8") if isinstance(value, str) else ""


def _within(link: str, domains: Sequence[str]) -> bool:
    try:
        host = (urlsplit(link).hostname or "").casefold()
    except ValueError:
        return False
    return any(host == domain or host.endswith(f".{domain}") for domain in domains)


_MOST = 50


class RetrieverSource:
    """Any LangChain retriever as a SupplementSource. What it finds for another app than the one asked for is left out."""

    def __init__(
        self,
        retriever: BaseRetriever,
        name: str = "",
        *,
        kind: str = "",
        top_k: int = 3,
        hint: bool = False,
        seconds: float = 60.0,
    ) -> None:
        """`seconds` is how long it is waited for."""
        self.name = name or f"retriever {retriever.get_name()}"
        self.kind = kind
        self.top_k = top_k
        self.hint = hint
        """Whether what it finds is to be looked at only."""
        self._retriever = retriever
        self._seconds = seconds
        takes = inspect.signature(retriever._get_relevant_documents).parameters
        open_ = any(part.kind is inspect.Parameter.VAR_KEYWORD for part in takes.values())
        self._takes = {key for key in ("app", "limit") if open_ or key in takes}

    def search(self, query: str, app: str | None, limit: int) -> list[Supplement]:
        """Raises SourceFault when the retriever fails."""
        from langgraph.errors import GraphBubbleUp  # here, since the settings are read without LangGraph

        given: dict[str, Any] = {key: value for key, value in (("app", app), ("limit", limit)) if key in self._takes}
        try:
            pages = within(self._seconds, lambda: self._retriever.invoke(query, **given))
        except CallTimeout:
            raise SourceFault(f"{self.name} did not answer within {self._seconds:g} seconds") from None
        except (GraphBubbleUp, SourceFault):
            raise
        except Exception as bad:  # whatever somebody else's code raises: the other sources are still asked
            raise SourceFault(f"{self.name} failed: {type(bad).__name__}: {' '.join(str(bad).split())[:300]}") from bad
        found = [supplement_of(page, query, self.name, self.kind) for page in pages[:_MOST]]
        fitting = [hit for hit in found if (app is None or hit.app is None or hit.app.casefold() == app.casefold())][:limit]
        return [hit.model_copy(update={"hint": True}) for hit in fitting] if self.hint else fitting


def supplement_of(page: Page, query: str, name: str, kind: str = "") -> Supplement:
    """A page of any retriever, with what its metadata say of it."""
    said = page.metadata
    text = page.page_content
    source = _words(said.get("source")) or name
    title = _words(said.get("title")) or next((line.strip("# ") for line in text.splitlines() if line.strip("# ")), source)
    score = said.get("score", said.get("relevance_score"))
    return Supplement(
        query=query,
        source=source,
        title=" ".join(title.split())[:MAX_TITLE],
        text=text,
        app=_words(said.get("app")) or None,
        kind=kind or (said["kind"] if said.get("kind") in KINDS else ""),
        score=float(score) if isinstance(score, int | float) and 0 <= score <= 1 else None,
        document=_words(said.get("document")) or _words(page.id),
        also=tuple(map(_words, said.get("also", ()))) if isinstance(said.get("also"), list | tuple) else (),
    )


def _words(value: Any) -> str:
    return str(value) if isinstance(value, str | int) else ""
