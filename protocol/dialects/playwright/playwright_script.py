"""What Playwright's codegen writes in Python, and people by hand, read line by line as data.

Lines that only set the browser up are known by an explicit list and passed over; what a page is asked for becomes an action; an
assertion is carried in its own words; a name stands for the element or the literal that it was given. Anything else is an error
with its line and column, a condition, a loop or a function that is called more than once with its whole body.
"""

import re
from collections.abc import Callable
from typing import Any

from protocol.dialects import DialectError, Fields, Loss, a_text, build
from protocol.dialects.common import scripts
from protocol.dialects.common.syntax import BareName, Chain, Table, Values, parse_value, read_chain
from protocol.dialects.playwright.locators import NAME, PAGE, is_locator, is_plain, literal
from protocol.dialects.playwright.playwright_methods import PREFIX, page_method
from protocol.model.verbs import Tabs


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.DOTALL)


_ENTERED = _any(r"(async )?with a?sync_playwright\(\) as \w+:", r"class Test\w*(\(\w*\))?:")
"""Blocks whose statements are done one after the other. An `await` is passed over everywhere."""
_STEP = _any(rf"with \w+(\.\w+)*\({scripts.QUOTED}\):")
"""A title that a library of tests gives to some statements, such as `with allure.step("Log in"):`."""
_SCAFFOLDING = _any(
    _ENTERED.pattern,
    scripts.IMPORT.pattern,
    scripts.FRAME,
    r"@pytest\.fixture(\(scope=\"session\"\))?",
    r"browser = \w+\.\w+\.launch" + scripts.CALLED,
    r"context = browser\.new_context\(\)",
    r"(context|browser)\.close\(\)",
    r"run\(playwright\)|asyncio\.run\(main\(\)\)",
    r"(yield|return)( \w+)?",
)
"""The lines that do nothing to a page."""
_SET_UP = _any(
    r"context = (browser\.new_context|\w+\.\w+\.launch_persistent_context)" + scripts.CALLED,
    rf"return \{{(?:[^()\"']|{scripts.QUOTED})*+(?<=\}})",
    r"(context|page)\.(route_from_har|set_default_timeout|set_default_navigation_timeout)" + scripts.CALLED,
    r"context\.(storage_state|tracing\.\w+)" + scripts.CALLED,
    r"page\.pause\(\)",
)
"""Lines that set the browser up in a way of their own: what they say is lost."""
_TEST = re.compile(rf"@\w+(\.\w+)*({scripts.CALLED})?", re.DOTALL)
_GIVEN = re.compile(r"([^\W\d]\w*)(?:[ \t]*:[ \t]*[\w.\[\], |]{1,200}?)?[ \t]*=(?!=)[ \t]*(.+)", re.DOTALL)
_CHANGED = re.compile(r"([\w, ]{1,200}?)[ \t]*+(?:[-+*/%]|//)?=(?!=).*", re.DOTALL)
_RESERVED = frozenset({"asyncio", "browser", "context", "expect", "playwright", "re", "time"})
_LONGEST_STATEMENT = 20_000
"""Characters of a statement, after the names in it stand for what they were given."""
_MADE = re.compile(r"(\w+) = (?:context|browser)\.new_page\(\)")
_CHOSEN = re.compile(r"(\w+) = context\.pages\[(-?\d{1,6})\]")
_CAUGHT = re.compile(r"(\w+) = (\w+)\.value")
_OUTCOMES = "popup|download|navigation|response|request|event|console_message"
_AWAITED = re.compile(rf"(?:async )?with (\w+)\.expect_({_OUTCOMES}){scripts.CALLED}(?: as (\w+))?:")
_POPUP = re.compile(r"[\"']popup[\"']")
_VALUE = ".value"
"""Behind the name of what is expected: the page that is opened, as long as it has no name."""
_DIALOG = re.compile(r"(\w+)\.(once|on)\([\"']dialog[\"'], lambda (\w+): \3\.(dismiss|accept)\(\)\)")
_AWAIT = re.compile(r"(\w+ = |)await ")
_JOINED = re.compile(r"[fF][\"']|\+")
_MOST = 1_000
"""Pages that may be open at once."""
_EXPECTATION = re.compile(r"(not_)?to_[a-z_]+")


class Script(scripts.ScriptReading):
    """Reads one script, and knows which pages are open and which one was last used. Names stand for texts of the script."""

    def open(self, payload: Any) -> str:
        self._pages = {"page": 0}
        self._count = 1
        self._current: str | None = "page"
        self._caught: set[str] = set()
        self._before = self._now = ""
        """What the last statement and this one did to the pages: `context`, `made` or `closed`."""
        return a_text(payload, NAME)

    def enters(self, s: scripts.Statement) -> bool:
        """Those of a test, of a function that is called once at the end, and of a `with` that is known."""
        known = any(pattern.fullmatch(s.text) for pattern in (_ENTERED, _AWAITED, _STEP))
        return known or self.functions.enters(s, uncalled=True)

    def meaning(self, name: str) -> str | None:
        return self.names.get(name)

    def statement(self, s: scripts.Statement, unsure: bool) -> None:
        self._before, self._now = self._now, ""
        if unsure:
            self.forget(scripts.assigned_in(s.text))
            raise DialectError(NAME, s.where, scripts.UNSURE)
        if _JOINED.search(s.text):
            literals = {name: parse_value(NAME, said) for name, said in self.names.items() if said[0] in "\"'-0123456789"}
            s = s._replace(text=scripts.with_texts_joined(s.text, literals))
        text = _AWAIT.sub(r"\1", s.text, count=1) if _AWAIT.match(s.text) else s.text
        for pattern, read in _PAGES:
            if match := pattern.fullmatch(text):
                return read(self, s, match)
        return None if self._is_silent(text) else self._asked(s, text)

    def _asked(self, s: scripts.Statement, text: str) -> None:
        s = s if text == s.text else s._replace(text=text, column=s.column + len(s.text) - len(text))
        if given := _GIVEN.fullmatch(text):
            return self._give(s, given[1], given[2])
        if text.startswith("assert "):
            raise DialectError(NAME, s.where, "this is not understood as an assertion")
        if changed := _CHANGED.fullmatch(text):
            self.forget(name.strip() for name in changed[1].split(","))
        return self._ask(s._replace(text=self._filled(s, text)) if self.names else s)

    def _is_silent(self, text: str) -> bool:
        """Whether a statement does nothing to a page; what it says is lost, but for what every script says."""
        if scripts.is_a_text(text) or self.functions.is_run(text) or _SCAFFOLDING.fullmatch(text):
            self._now = "context" if text.startswith(("context", "browser")) else ""
            return True
        if scripts.is_printed(text):
            self.losses.append(scripts.PRINTED)
        elif _TEST.fullmatch(text) or _STEP.fullmatch(text):
            self.losses.append(Loss(what="test", why="how a test is set up is no action"))
        elif _SET_UP.fullmatch(text):
            self._now = "context" if text.startswith("context") else ""
            self.losses.append(Loss(what="context", why="how the browser is set up is no action"))
        else:
            return False
        return True

    def _give(self, s: scripts.Statement, name: str, said: str) -> None:
        """An element or a literal gets a name."""
        text = self._filled(s, said.removeprefix("await ").strip())
        self.names.pop(name, None)
        try:
            value = parse_value(NAME, text)
        except DialectError:
            value = Values()
        if isinstance(value, str | int | float | None) and not isinstance(value, BareName):
            self.names[name] = literal(value)
            return
        try:
            steps = read_chain(NAME, text).steps
        except DialectError:
            steps = []
        page = bool(steps) and steps[0].args is None and (steps[0].name in self._pages or PAGE.fullmatch(steps[0].name))
        if not (page and len(steps) > 1 and all(map(is_locator, steps[1:])) and name not in _RESERVED):
            why = "what is read from a page here is no action" if page else "only an element or a literal can be given a name"
            raise DialectError(NAME, s.where, why)
        self.names[name] = text

    def _filled(self, s: scripts.Statement, text: str) -> str:
        """`text` with what its names stand for."""
        try:
            roots = [root for root in read_chain(NAME, text).roots() if root.args is None and root.name in self.names]
        except DialectError:
            return text
        ends = [0, *(root.end for root in roots)]
        parts = [text[end : root.start] + self.names[root.name] for end, root in zip(ends, roots, strict=False)]
        filled = "".join((*parts, text[ends[-1] :]))
        if len(filled) > _LONGEST_STATEMENT:
            raise DialectError(NAME, s.where, "the statement is too long")
        return filled

    def _make(self, s: scripts.Statement, match: re.Match[str]) -> None:
        """A new page; the one right after the context is the first, and no new tab."""
        alias = self._named(s, match[1])
        if self._before == "context":
            self._pages, self._count = {alias: 0}, 1
        else:
            self._add(s, "tabs", op="new")
            self._opened(s, alias)
            self._now = "made"
        self._current = alias

    def _choose(self, s: scripts.Statement, match: re.Match[str]) -> None:
        """One of the pages; the last one after another was closed is where the browser goes by itself."""
        alias, index = self._named(s, match[1]), int(match[2])
        by_itself = self._before == "closed" and index == -1
        index = index if index >= 0 else max(0, self._count + index)
        self._pages[alias] = index
        self._count = max(self._count, index + 1)
        self._current = alias
        if not by_itself:
            self._add(s, "tabs", op="select", index=index)

    def _expect(self, s: scripts.Statement, match: re.Match[str]) -> None:
        self._index(s, match[1])
        if match[3]:
            self._caught.add(match[3])
            self._pages.pop(match[3] + _VALUE, None)
        if match[2] == "popup" or (match[2] == "event" and _POPUP.search(match[0])):
            self._opened(s, (match[3] or "") + _VALUE)
        self.losses.append(Loss(what=f"expect_{match[2]}", why="what comes of an action is no action"))

    def _catch(self, s: scripts.Statement, match: re.Match[str]) -> None:
        if match[2] not in self._caught:
            raise DialectError(NAME, s.where, f"nothing is expected as {match[2][:40]} above")
        opened = self._pages.get(match[2] + _VALUE)
        if opened is not None:
            self._pages[self._named(s, match[1])] = opened
            if self._current == match[1]:
                self._current = None

    def _dialog(self, s: scripts.Statement, match: re.Match[str]) -> None:
        self._use(s, match[1])
        if match[2] == "on":
            self.losses.append(Loss(what="on", why="the answer is said for the next dialog, not for every one"))
        self._add(s, f"{PREFIX}dialog", arguments={"answer": match[4]})

    def _add(self, s: scripts.Statement, verb: str, **fields: Any) -> None:
        self.actions.append(build(NAME, s.where, action_type=verb, **fields))

    def _named(self, s: scripts.Statement, alias: str) -> str:
        if alias in _RESERVED:
            raise DialectError(NAME, s.where, f"a page is called page or page1, not {alias[:40]}")
        self.forget([alias])
        return alias

    def _opened(self, s: scripts.Statement, alias: str) -> None:
        if self._count >= _MOST:
            raise DialectError(NAME, s.where, f"more than {_MOST} pages are open")
        self._pages[alias] = self._count
        self._count += 1

    def _index(self, s: scripts.Statement, alias: str) -> int:
        if alias not in self._pages:
            raise DialectError(NAME, s.where, f"{alias[:40]} is not open here")
        return self._pages[alias]

    def _use(self, s: scripts.Statement, alias: str) -> None:
        """Go to another page where it is not the current one."""
        index = self._index(s, alias)
        if alias != self._current:
            self._add(s, "tabs", op="select", index=index)
            self._current = alias

    def _ask(self, s: scripts.Statement) -> None:
        """A statement that asks something of a page; the page is called `page` in what is kept of it."""
        chain = read_chain(NAME, s.text, s.line, s.column)
        pages = [root for root in chain.roots() if root.name in self._pages or PAGE.fullmatch(root.name)]
        alias = pages[0].name if pages else ""
        text = s.text
        if any(root.name != alias for root in pages):
            raise DialectError(NAME, s.where, "one statement is about several pages")
        if alias and alias != "page":
            ends = [0, *(root.end for root in pages)]
            text = "page".join([*(text[end : root.start] for end, root in zip(ends, pages, strict=False)), text[ends[-1] :]])
            chain = read_chain(NAME, text, s.line, s.column)
        if chain.root.name == "expect":
            about = chain.root.args[0] if chain.root.args else None
            clear = (
                isinstance(about, Chain) and about.root.name == "page" and about.root.args is None
                and all(map(is_locator, about.steps[1:])) and len(chain.steps) == 2
                and bool(_EXPECTATION.fullmatch(chain.steps[1].name)) and all(map(_is_value, chain.steps[1].values))
                and chain.steps[1].args is not None and all(map(_is_value, chain.root.values[1:]))
            )  # fmt: skip
            if not clear:
                raise DialectError(NAME, s.where, "this is not understood as an assertion")
            self._use(s, alias)
            self._add(s, f"{PREFIX}expect", arguments={"text": text})
        elif chain.root.name == "page" and chain.root.args is None:
            self._on_page(s, chain, text, alias)
        else:
            # `time.sleep(1)` and `context.pages[2].close()`.
            shape = [(step.name, step.args is not None) for step in chain.steps]
            last = chain.steps[-1]
            if shape == [("time", False), ("sleep", True)] and [type(value) in (int, float) for value in last.values] == [True]:
                seconds = Fields(NAME, {"sleep": last.values[0]}, s.where).number("sleep")
                self._add(s, "wait", seconds=seconds)
            elif shape == [("context", False), ("pages", False), ("[]", True), ("close", True)] and not last.values:
                index = chain.steps[2].values[0]
                if not isinstance(index, int) or not 0 <= index <= 1_000_000:
                    raise DialectError(NAME, s.where, "the number of a page is needed")
                self._close(s, index, index)
            else:
                raise DialectError(NAME, s.where, f"{chain.root.name[:40]} is not understood here")

    def _on_page(self, s: scripts.Statement, chain: Chain, text: str, alias: str) -> None:
        names = [step.name for step in chain.steps[1:]]
        if names == ["close"] and chain.steps[1].args == [] and not chain.steps[1].kwargs:
            index = self._index(s, alias)
            self._close(s, None if alias == self._current else index, index)
            return
        self._use(s, alias)
        made = self._before == "made"
        actions = page_method(chain, text, lambda offset: _where(s, chain, alias, offset), self.losses)
        if made and names == ["goto"] and self.actions[-1] == Tabs(op="new"):
            self.actions.pop()
            self._add(s, "tabs", op="new", url=actions[0].parameters["url"])
        else:
            self.actions += actions

    def _close(self, s: scripts.Statement, said: int | None, index: int) -> None:
        self._add(s, "tabs", op="close", index=said)
        self._pages = {name: n - (n > index) for name, n in self._pages.items() if n != index}
        self._count = max(0, self._count - 1)
        self._current = self._current if self._current in self._pages else None
        self._now = "closed"


def _where(s: scripts.Statement, chain: Chain, alias: str, offset: int) -> str:
    """The place of an offset in a statement whose page has been called `page`."""
    before = sum(root.start < offset for root in chain.roots())
    begun = s.text[: offset + before * (len(alias) - len("page"))]
    lines = begun.count("\n")
    column = len(begun) - begun.rfind("\n") - 1 + (0 if lines else s.column)
    return f"line {s.line + lines}, column {column if not lines else column + 1}"


def _is_value(value: Any) -> bool:
    if isinstance(value, Table):
        return all(map(_is_value, value.values()))
    return all(map(_is_value, value)) if isinstance(value, Values) else is_plain(value)


_PAGES: tuple[tuple[re.Pattern[str], Callable[[Script, scripts.Statement, re.Match[str]], None]], ...] = (
    (_MADE, Script._make), (_CHOSEN, Script._choose), (_CAUGHT, Script._catch), (_AWAITED, Script._expect),
    (_DIALOG, Script._dialog),
)  # fmt: skip
"""Statements about pages as such."""
