"""What a request carries, read so that it can be compared, told, and known again."""

import base64
import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import lru_cache
from hashlib import blake2b
from typing import Any, NamedTuple
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from environments.browser.observation.elements import clean
from environments.effects import QUERY, SENSITIVE, Effect, HeldRequest
from environments.effects.words import effect_of_address, effects_in

Pairs = tuple[tuple[str, str], ...]
_DEEP = 40
_SHOWN, _NAME, _VALUE = 8, 40, 60
_GRAVITY = {effect: n for n, effect in enumerate(Effect)}
_NUMBER = re.compile(r"[+-]?(?:0|[1-9]\d{0,2}(?:,\d{3})+|[1-9]\d*)(?:\.\d+)?")
_PRIVATE = re.compile(
    r"pass(?:word|wd|code|phrase|wort)?$|(?:^|[^a-z])pin$|cvv|cvc|secret|otp|card.?(?:number|no)|token|csrf|api.?key",
    re.IGNORECASE,
)
TOKEN = re.compile(r"token|csrf|xsrf|nonce|verification|viewstate", re.IGNORECASE)
"""Names of hidden fields whose value a page may make anew at any time."""
_ENTRY = re.compile(r"(?<![^\W_])(?:log\s?(?:in|on)|sign\s?in|anmelden|登录)(?![^\W_])", re.IGNORECASE)
"""The page on which somebody logs in: to look at it logs nobody in."""
_PART = re.compile(
    r'\r\nContent-Disposition: form-data; name="([^"\r\n]*)"(?:; filename="([^"\r\n]*)")?(?:\r\nContent-Type: [^\r\n]*)?'
)
_DEFINED = re.compile(r"\b(query|mutation|subscription)\s+([A-Za-z_]\w*)")
GRAVE = frozenset({Effect.ACCOUNT, Effect.PURCHASE, Effect.DELETE, Effect.PERMISSION, Effect.ACTUATE})
_STATIC = re.compile(
    r"\.(?:avif|css|gif|ico|jpe?g|json|m?js|map|mp[34]|otf|png|svg|ttf|txt|wasm|webm|webp|woff2?|xml)$", re.IGNORECASE
)
_OVERRIDES = ("x-http-method-override", "x-http-method", "x-method-override")
"""Headers by which many servers take a request for one of another method."""
_NOTHING = frozenset(("", "false", "none", "null", "no", "off"))
_LITERAL = re.compile(r'"""[\s\S]*?"""|"(?:\\.|[^"\\])*"|#[^\n]*')
_OTHER_THAN_QUERY = re.compile(r"\b(?:mutation|subscription)\b")
_WORD = re.compile(r"[\w-]{1,40}")
_POINTS = ".,;:!?()\"'€$£¥"
_NAMES_OPERATION = ("operationName", "method", "op", "action")


class OutgoingRequest(NamedTuple):
    """A request as it would leave the browser."""

    method: str
    url: str
    body: bytes = b""
    kind: str = ""
    readable: bool = True
    """Whether the whole body is known here."""
    own: bool = False
    """Whether it goes to the host of the page that sends it."""

    @classmethod
    def of(cls, request: Mapping[str, Any], page: str = "") -> "OutgoingRequest":
        """What the browser says of a request that is paused; its method is the one that a server takes it for."""
        headers = {name.casefold(): str(value) for name, value in request["headers"].items()}
        entries = request.get("postDataEntries") or []
        body = b"".join(base64.b64decode(entry.get("bytes", "")) for entry in entries)
        method = next((headers[name].upper() for name in _OVERRIDES if headers.get(name)), request["method"])
        kind, whole = headers.get("content-type", ""), bool(entries) or not request.get("hasPostData")
        own = bool(page) and all(origin(one) == origin(request["url"]) for one in (page, headers.get("origin", page)))
        return cls(method, request["url"], body, kind, whole, own)

    @property
    def at(self) -> SplitResult:
        return urlsplit(self.url)

    @property
    def changes(self) -> bool:
        """Whether its method says that it may change something."""
        return self.method not in ("GET", "HEAD", "OPTIONS")

    @property
    def asks(self) -> bool:
        """Whether it says that it changes nothing: the method QUERY, or GraphQL of queries alone that names no command."""
        found = _json(self.body.decode("utf-8", "replace")) if self.method == "POST" and self.readable else None
        each = found if isinstance(found, list) else [found]
        return self.method == QUERY or (
            0 < len(each) <= 50 and all(isinstance(one, dict) and _only_asks(one.get("query")) for one in each)
        )

    @property
    def orders(self) -> bool:
        """Whether one of its values is a word that commands something."""
        words = (value for _, value in self.query + self.form if _WORD.fullmatch(value))
        return any(effect_of_address(f"/{word}") is not None for word in words)

    @property
    def commands(self) -> bool:
        """Whether a request that by its method only asks for something says in its path and names that it does something."""
        if not self.at.query or _STATIC.search(self.at.path):
            return False
        texts = (_visited(unquote(self.at.path)), *(name for name, _ in self.query))
        return effect_of_address(self.at.path) in GRAVE or any(_announced(clean(text, 200)) & GRAVE for text in texts)

    @property
    def query(self) -> Pairs:
        return tuple(parse_qsl(self.at.query, keep_blank_values=True))

    @property
    def form(self) -> Pairs:
        """The fields of its body, or the leaves of its JSON by the path of their names; a file by its name."""
        if not self.body:
            return ()
        if self.kind.startswith("multipart/form-data"):
            return tuple(_parts(self.body, self.kind))
        text = self.body.decode("utf-8", "replace")
        if self.kind.startswith("application/x-www-form-urlencoded"):
            return tuple(parse_qsl(text, keep_blank_values=True))
        found = _json(text)
        if found is not None:
            return tuple(_leaves(found))
        return (("", text),) if "\ufffd" not in text else (("body", f"{len(self.body)} bytes {_digest(self.body)}"),)

    @property
    def lines(self) -> Pairs:
        """The fields of a form that is sent as plain text."""
        lines = self.body.decode("utf-8", "replace").split("\r\n")
        return tuple((name, value) for name, _, value in (line.partition("=") for line in lines if line))

    @property
    def files(self) -> bool:
        return self.kind.startswith("multipart/form-data") and b"filename=" in self.body

    @property
    def operation(self) -> str:
        """What a query by POST calls itself; empty where it names nothing, or names what it does not define."""
        found = _json(self.body.decode("utf-8", "replace")) if self.body else None
        if isinstance(found, list):
            names = {_operation(one) for one in found[:50]}
            return names.pop() if len(names) == 1 else ""
        if isinstance(found, dict):
            return _operation(found)
        named = dict(self.query) | dict(self.form)
        return clean(next((named[name] for name in _NAMES_OPERATION[1:] if named.get(name)), ""), _VALUE)

    def effects(self, known: Collection[str] = ()) -> frozenset[Effect]:
        """The sensitive effects that its address, its operation and its names announce; names in `known` announce nothing."""
        path = unquote(self.at.path)
        texts = [
            _visited(path) if self.method == "GET" else path,
            self.operation,
            *(n for n, _ in self.query + self.form if n not in known),
        ]
        if self.method == "GET":
            texts += [value for _, value in self.query]
        found = frozenset().union(*(_announced(clean(text, 200)) for text in texts))
        found |= {Effect.DELETE} if self.method == "DELETE" else set()
        found |= {effect} if (effect := effect_of_address(self.at.path)) in GRAVE else set()
        pairs = self.query + self.form
        if pairs and all(value.casefold() in _NOTHING for _, value in pairs):  # it says no to what is asked there
            found -= {Effect.PERMISSION}
        return found | {Effect.UPLOAD} if self.files else found

    def request_id(self) -> str:
        """The same for requests that carry the same to the same place."""
        at = self.at
        parts = [self.method, at.scheme, at.netloc.casefold(), at.path, at.query, self.kind.split(";")[0], sorted(self.form)]
        return _digest(json.dumps([*parts, id(self) if not self.readable else 0]).encode())

    def told(self, private: Collection[str] = ()) -> str:
        """In words, what is private masked."""
        pairs = [f"{clean(n, _NAME)}={_masked(n, v, private)}".lstrip("=") for n, v in self.query + self.form]
        more = f" and {len(pairs) - _SHOWN} more" if len(pairs) > _SHOWN else ""
        carried = f" {', '.join(pairs[:_SHOWN])}{more}" if pairs else ""
        return f"{self.method}{carried} to {self.at.netloc}{clean(self.at.path, 200)}"

    def held(self, private: Collection[str] = ()) -> HeldRequest:
        """What is told of it while it waits."""
        effects = tuple(sorted(self.effects(), key=_GRAVITY.__getitem__, reverse=True))
        return HeldRequest(
            request_id=self.request_id(), method=self.method, host=self.at.netloc, path=clean(self.at.path, 300),
            operation=self.operation, told=self.told(private), effects=effects,
        )  # fmt: skip


def beyond(found: Iterable[Effect], permitted: Collection[Effect]) -> frozenset[Effect]:
    """The sensitive effects that were not permitted. Whoever may buy or delete may submit."""
    graver = SENSITIVE - {Effect.UPLOAD, Effect.DOWNLOAD}
    implied = {Effect.SUBMIT} if graver & set(permitted) else set()
    return (frozenset(found) & SENSITIVE) - set(permitted) - implied


def same(shown: str, sent: str) -> bool:
    """Whether two values are one: the same text, or the same number."""
    if shown.replace("\r\n", "\n") == sent.replace("\r\n", "\n"):
        return True
    one, other = _number(shown), _number(sent)
    return one is not None and one == other


def alike(expected: Pairs, sent: Pairs) -> bool:
    """Whether exactly these fields are sent: nothing added, nothing left out but what is empty."""
    left = list(expected)
    for name, value in sent:
        n = next((n for n, (other, shown) in enumerate(left) if other == name and same(shown, value)), None)
        if n is None:
            return False
        del left[n]
    return not any(value for _, value in left)


def stands_in(value: str, texts: Iterable[str]) -> bool:
    """Whether it can be read in one of these texts: as whole words, or as a number of that value."""
    wanted, number = f" {' '.join(value.split())} ".casefold(), _number(value)
    for text in texts:
        words = [word.strip(_POINTS) for word in text.split()]
        if wanted.strip() and (wanted in f" {' '.join(words)} ".casefold() or wanted in f" {' '.join(text.split())} ".casefold()):
            return True
        if number is not None and any(_number(word) == number for word in words):
            return True
    return False


def made_up(value: str) -> bool:
    """Whether it may be a token that a script made: neither a number nor a word that announces something."""
    return 0 < len(value) <= 4096 and _number(value) is None and effect_of_address(f"/{value}") is None and not _announced(value)


def same_place(one: str, other: str, *, query: bool = True) -> bool:
    a, b = urlsplit(one), urlsplit(other)
    path = unquote(a.path or "/") == unquote(b.path or "/")
    return origin(one) == origin(other) and path and (not query or unquote(a.query) == unquote(b.query))


def origin(url: str) -> str:
    """Scheme, host and port of an address of the web; of a socket, those of the pages that may open it."""
    at = urlsplit(url)
    scheme = {"ws": "http", "wss": "https"}.get(at.scheme, at.scheme)
    port = at.port or {"http": 80, "https": 443}.get(scheme)
    return f"{scheme}://{at.hostname}:{port}"


def _number(text: str) -> Decimal | None:
    text = text.strip()
    return Decimal(text.replace(",", "")) if len(text) < 40 and _NUMBER.fullmatch(text) else None


def _masked(name: str, value: str, private: Collection[str]) -> str:
    hidden = _PRIVATE.search(name) or any(secret in value for secret in private if len(secret) > 2)
    return "***" if hidden and value else clean(value, _VALUE)


def _visited(path: str) -> str:
    """A path without what only shows where somebody logs in."""
    return _ENTRY.sub(" ", _words(path))


def _words(text: str) -> str:
    return re.sub(r"[^\w]+|_", " ", re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", text))


@lru_cache(maxsize=4096)
def _announced(text: str) -> frozenset[Effect]:
    return effects_in(_words(text)) & SENSITIVE


def _digest(what: bytes) -> str:
    return blake2b(what, digest_size=12).hexdigest()


def _json(text: str) -> Any:
    if not text.lstrip().startswith(("{", "[")):
        return None
    try:
        return json.loads(text, parse_int=str, parse_float=str, object_pairs_hook=_once)
    except (ValueError, RecursionError):
        return None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, object]:
    """An object; one that names a thing twice is read differently by different servers, and not read here."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name is given twice")
    return found


def _leaves(value: Any, name: str = "", deep: int = 0) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict) and deep < _DEEP:
        for key, inner in value.items():
            yield from _leaves(inner, f"{name}.{key}" if name else key, deep + 1)
    elif isinstance(value, list) and deep < _DEEP:
        for inner in value:
            yield from _leaves(inner, name, deep + 1)
    else:
        yield name, "" if value is None else value if isinstance(value, str) else json.dumps(value)


def _operation(one: Any) -> str:
    """A GraphQL operation that is also defined there, or the method of a JSON-RPC call."""
    if not isinstance(one, dict):
        return ""
    named = next((one[name] for name in _NAMES_OPERATION if isinstance(one.get(name), str) and one[name]), "")
    if isinstance(one.get("query"), str) and "{" in one["query"]:
        defined = [name for _, name in _DEFINED.findall(one["query"])]
        named = named if named in defined else defined[0] if not named and len(defined) == 1 else ""
    return clean(named, _VALUE)


def _only_asks(query: Any) -> bool:
    """Whether a GraphQL document defines queries and nothing else, and none of its names is a command."""
    text = _LITERAL.sub(" ", query).strip() if isinstance(query, str) else ""
    if not text.startswith(("{", "query", "fragment")) or "{" not in text or _OTHER_THAN_QUERY.search(text):
        return False
    return all(effect_of_address(f"/{word}") is None for word in set(_WORD.findall(text)))


def _parts(body: bytes, kind: str) -> Iterator[tuple[str, str]]:
    """The parts of a body as browsers write them; one that is written otherwise is taken as a whole."""
    boundary = b"--" + kind.partition("boundary=")[2].split(";")[0].strip('"').encode()
    first, *parts = (b"\r\n" + body).split(b"\r\n" + boundary)
    heads = [_PART.fullmatch(part.partition(b"\r\n\r\n")[0].decode("utf-8", "replace")) for part in parts[:-1]]
    if first or len(boundary) < 3 or not parts or parts[-1] not in (b"--", b"--\r\n") or not all(heads):
        yield "body", f"{len(body)} bytes {_digest(body)}"
        return
    for head, part in zip(heads, parts, strict=False):
        if head is not None:
            value = part.partition(b"\r\n\r\n")[2].decode("utf-8", "replace")
            yield _unescaped(head[1]), value if head[2] is None else _unescaped(head[2])


def _unescaped(name: str) -> str:
    return name.replace("%22", '"').replace("%0D%0A", "\r\n")


def carried(pairs: Pairs, fields: Sequence[tuple[str, str, bool]], known: Collection[str], shown: Sequence[str] = ()) -> bool:
    """Whether every value is one that the form carries, under its name where the form has one of that name; or stands in what is
    `shown`; or is true, false or nothing, or a token that the page had before."""
    by_name: dict[str, list[str]] = {}
    for name, value, _ in fields:
        by_name.setdefault(name, []).append(value)
    everything = [value for _, value, _ in fields]
    for path, value in pairs:
        name = path.rsplit(".", 1)[-1]
        values = by_name.get(path) or by_name.get(name)
        if value == "true" or value.casefold() in _NOTHING or any(same(one, value) for one in values or everything):
            continue
        if values is None and stands_in(value, shown):
            continue
        if value not in known or not _KNOWN.search(name):
            return False
    return True


_KNOWN = re.compile(
    r"token|csrf|xsrf|nonce|verification|viewstate|^__|^utf8$|^_method$|(?:^|[._-])(?:id|uuid|key|version|hash|state)$|Id$",
    re.IGNORECASE,
)
