"""What a press is expected to send, held against what the page sends: a handler may change both after the last look."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from email.parser import BytesParser
from hashlib import blake2b
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlsplit

from environments.browser.reading import clean, shown_address

_UNSEEN = 5


def beneath(said: Mapping[str, Any] | None) -> dict[str, str]:
    """What the page's script says of an element, as digests; the names of unseen fields stay names."""
    if not said:
        return {}
    parts = {name: _digest(said.get(name)) for name in ("address", "handlers", "marks", "hidden")}
    unseen = [name for name in said.get("unseen") or [] if not TOKEN.search(str(name))]
    more = ", ..." if len(unseen) > _UNSEEN else ""
    return parts | ({"unseen": ", ".join(clean(name, 40) for name in unseen[:_UNSEEN]) + more} if unseen else {})


TOKEN = re.compile(r"token|csrf|xsrf|nonce|verification|viewstate|^__|^utf8$|^_method$", re.IGNORECASE)
"""Fields that nearly every form has and nobody reads."""


def _digest(what: Any) -> str:
    text = json.dumps(what, ensure_ascii=True, default=str)
    return blake2b(text.encode(), digest_size=8).hexdigest()


class Sent(NamedTuple):
    """A request that opens a page: in the tab itself where it `leaves`, else in a frame."""

    method: str
    url: str
    body: bytes
    kind: str
    leaves: bool

    def fields(self) -> dict[str, list[str]]:
        """The fields that it carries, as far as they can be read."""
        pairs: list[tuple[str, str]] = []
        if self.method == "GET":
            pairs = parse_qsl(urlsplit(self.url).query, keep_blank_values=True)
        elif self.kind.startswith("multipart/form-data"):
            pairs = _parts(self.body, self.kind)
        elif self.kind.startswith("application/x-www-form-urlencoded"):
            pairs = parse_qsl(self.body.decode("utf-8", "replace"), keep_blank_values=True)
        found: dict[str, list[str]] = {}
        for name, value in pairs:
            found.setdefault(name, []).append(value)
        return found


@dataclass
class Watch:
    """One press: what the form or link that it is on says it sends, and why a request that says otherwise was stopped."""

    how: str
    url: str
    said: bool
    """Whether the page names the address itself; what it leaves open, its script may choose."""
    page: str
    fields: dict[str, list[str]] = field(default_factory=dict)
    unseen: dict[str, list[str]] = field(default_factory=dict)
    """What it sends besides, and does not show; a script may well fill that in, so a change is told and not stopped."""
    stopped: str = ""
    told: str = ""

    @classmethod
    def of(cls, expected: Mapping[str, Any] | None, page: str) -> Watch | None:
        if not expected:
            return None
        watch = cls(str(expected["how"]), str(expected["url"]), bool(expected["said"]), page)
        for name, value, shown in expected["fields"]:
            (watch.fields if shown else watch.unseen).setdefault(str(name), []).append(str(value))
        return watch

    def refuses(self, sent: Sent) -> str:
        """Why the page may not be left by this request; empty where it is what the press says, or says nothing against it."""
        if urlsplit(sent.url).scheme not in ("http", "https"):
            return ""
        if self.how == "open":
            return self._link(sent.url) if sent.leaves else ""
        return self._form(sent)

    def _link(self, url: str) -> str:
        if _host(url) in (_host(self.url), _host(self.page)):
            return ""
        return f"the link leads to {_host(self.url)}, and the page would have opened {_host(url)} instead"

    def _form(self, request: Sent) -> str:
        sent, method, url = request.fields(), request.method, request.url
        ours = bool(sent.keys() & self.fields.keys())
        if _host(url) != _host(self.url) and (method == "POST" or ours):
            return f"the form says it is sent to {_host(self.url)}, and the page would have sent it to {_host(url)}"
        if self.said and method == "POST" and urlsplit(url).path != urlsplit(self.url).path:
            said, meant = shown_address(self.url), shown_address(url)
            return f"the form says it is sent to {said}, and the page would have sent it to {meant}"
        if self.how == "post" and method == "GET" and ours:
            return "the form says it is posted, and the page would have written it into the address"
        for name, values in self.fields.items():
            if name in sent and not _alike(values, sent[name]):
                return f"the field {clean(name, 60)!r} would have been sent with another value than it shows"
        changed = [n for n, values in self.unseen.items() if any(values) and n in sent and sorted(values) != sorted(sent[n])]
        if changed := [name for name in changed if not TOKEN.search(name)]:
            self.told = f"as it was sent, the page changed fields that it does not show: {clean(', '.join(changed), 200)}"
        return ""


def _host(url: str) -> str:
    return urlsplit(url).netloc.casefold()


def _parts(body: bytes, kind: str) -> list[tuple[str, str]]:
    message = BytesParser().parsebytes(f"Content-Type: {kind}\r\n\r\n".encode() + body)
    found = []
    for part in message.walk():
        name = part.get_param("name", header="content-disposition")
        content = part.get_payload(decode=True)
        if isinstance(name, str) and part.get_filename() is None and isinstance(content, bytes):
            found.append((name, content.decode("utf-8", "replace")))
    return found


def _alike(shown: list[str], sent: list[str]) -> bool:
    """Whether what is sent is what is shown, written in another way perhaps: `1,200` as `1200`, a date by its numbers."""
    if sorted(map(_plain, shown)) == sorted(map(_plain, sent)):
        return True
    dates = all(re.search(r"\d+\D+\d+\D+\d", text) for text in shown)
    return dates and sorted(map(_numbers, shown)) == sorted(map(_numbers, sent))


def _plain(text: str) -> str:
    return "".join(c for c in text.casefold() if c.isalnum())


def _numbers(text: str) -> list[int]:
    return sorted(int(n) for n in re.findall(r"\d{1,18}", text))
