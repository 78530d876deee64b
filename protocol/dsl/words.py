"""The grammar of the DSL, LALR(1) so that a line is read in linear time, and its words: what each terminal may look like.

Texts and numbers are written with JSON's escapes, and `\\u{...}` for exactly one code point.
"""

import re
from pathlib import Path

_FORMS = ('"{q}"', "'{q}'", "[“„]{q}[“”]", "[‘‚]{q}[‘’]")
_OUT = ('"', "'", "“”", "‘’")
QUOTED = "|".join(form.replace("{q}", rf"[^{out}\\\n]*+(?:\\.[^{out}\\\n]*+)*+") for form, out in zip(_FORMS, _OUT, strict=True))
"""A text in any of the quotes that are read, as a regular expression that never goes back."""
OPENING = "\"'“„‘‚"

_PLAIN = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f", "/": "/", "\\": "\\", **{mark: mark for mark in "\"'“”„‘’‚"}}
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f", "\\": "\\\\", '"': '\\"'}
_ESCAPE = re.compile(
    r"\\(?:u(?P<high>[dD][89abAB][0-9a-fA-F]{2})\\u(?P<low>[dD][c-fC-F][0-9a-fA-F]{2})|u\{(?P<point>[0-9a-fA-F]{1,6})\}"
    r"|u(?P<unit>[0-9a-fA-F]{4})|(?P<sign>.))"
)
_JOINERS = "\u200c\u200d"
"""Not printable by themselves, but scripts and emoji are wrong without them."""


class BadText(ValueError):
    """An escape that is none. `offset` counts from the opening quote."""

    def __init__(self, message: str, offset: int) -> None:
        super().__init__(message)
        self.offset = offset


def unquoted(literal: str) -> str:
    """What a text in quotes says. Raises BadText."""
    return _ESCAPE.sub(_unescaped, literal)[1:-1]


def _unescaped(match: re.Match[str]) -> str:
    if match["sign"] == "u":
        raise BadText('"\\u" needs four hexadecimal digits, or up to six of them in braces', match.start())
    if match["sign"]:
        if match["sign"] not in _PLAIN:
            raise BadText(f'there is no escape "\\{match["sign"]}"; a backslash itself is written "\\\\"', match.start())
        return _PLAIN[match["sign"]]
    try:
        if match["high"]:
            high, low = int(match["high"], 16), int(match["low"], 16)
            return chr(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00))
        return chr(int(match["point"] or match["unit"], 16))
    except ValueError:
        raise BadText(f"there is no character {match[0]}", match.start()) from None


def quoted(text: str) -> str:
    """`text` in double quotes, on one line; `unquoted` gives it back. What cannot be seen is written as an escape."""
    return '"' + "".join(map(_escaped, text)) + '"'


def _escaped(sign: str) -> str:
    if sign in _SHORT:
        return _SHORT[sign]
    if sign.isprintable() or sign in _JOINERS:
        return sign
    return f"\\u{ord(sign):04x}" if ord(sign) < 0x10000 else f"\\u{{{ord(sign):x}}}"


NUMBER = r"[-+]?(?:0x[0-9a-f]+|(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:e[-+]?[0-9]+)?)"


def number(literal: str) -> int | float:
    """A whole number stays one. Raises ValueError for one that no number can hold."""
    if "x" in literal.lower():
        return int(literal, 16)
    if not any(sign in ".eE" for sign in literal):
        return int(literal)
    value = float(literal)
    if value in (float("inf"), float("-inf")):
        raise ValueError("too large")
    return value


def numeral(value: int | float) -> str:
    """`value` so that `number` gives it back, an int or a float as it was."""
    try:
        return repr(value)
    except ValueError:  # Python writes thousands of digits in hexadecimal only
        return hex(value) if isinstance(value, int) else ""


def length(seconds: float) -> str:
    """A time in seconds, without the fraction where there is none."""
    return f"{numeral(seconds).removesuffix('.0') if seconds else numeral(seconds)} s"


KEYWORDS: dict[str, str] = {
    "_CLICK": "click", "_LONG_PRESS": r"long[-\s]*press", "_HOVER": "hover", "_OVER": "over", "_DRAG": "drag",
    "_MOUSE": "mouse", "_KEY": "key", "_DOWN": "down", "_UP": "up",
    "_TYPE": "type", "_FILL": "fill", "_PRESS": "press", "_HOLD": "hold", "_SCROLL": "scroll", "_SELECT": "select",
    "_OPEN": "open|launch", "_SWITCH": "switch", "_NAVIGATE": "navigate", "_GO": "go", "_BACK": "back", "_FORWARD": "forward",
    "_NEW": "new", "_CLOSE": "close", "_TAB": "tab", "_LIST": "list", "_TABS": "tabs", "_WINDOW": "window",
    "_WAIT": "wait", "_UNTIL": "until", "_IS": "is", "_GONE": "gone", "_SHOWS": "shows|appears",
    "_SCREENSHOT": "screenshot", "_MARKS": "marks", "_REGION": "region", "_UPLOAD": "upload", "_CALL": "call",
    "_ASK": "ask", "_AGENT": "agent", "_USER": "user", "_RUN": "run", "_MEMORIZE": "memorize", "_ANSWER": "answer",
    "_FINISH": "finish", "_FAIL": "fail",
    "_INTO": "into|in|on", "_TO": "to", "_FROM": "from", "_WITH": "with", "_FOR": "for", "_AND": "and", "ENTER": "enter|return",
    "_AS": "as", "_OF": "of", "_VIA": "via", "_HOLDING": "holding", "_DELAY": "delay",
    "_AT": "at", "_BOX": "box", "_THE": "the", "_ROLE": "role", "_SELECTOR": "css|selector", "_DESCRIBED": "described",
    "_STATE": "state",
    "_SECONDS": "s|sec|secs|second|seconds", "MILLISECONDS": "ms|milliseconds?", "UNIT": "notch|notches|px|pixels?|pages?",
    "SPACE": "px|norm1000|norm999|norm1", "DIRECTION": "up|down|left|right", "BUTTON": "left|right|middle|back|forward",
    "LANGUAGE": "bash|python", "TRUE": "true", "FALSE": "false", "NULL": "null|none",
}  # fmt: skip
"""Terminal: its spellings, in any case. The first one is written."""

_ROLES = """
    alert alertdialog application article banner blockquote button caption cell checkbox code columnheader combobox
    complementary contentinfo definition deletion dialog document emphasis feed figure form generic grid gridcell group heading
    image img insertion link list listbox listitem log main mark marquee math menu menubar menuitem menuitemcheckbox
    menuitemradio meter navigation none note option paragraph presentation progressbar radio radiogroup region row rowgroup
    rowheader scrollbar search searchbox separator slider spinbutton status strong subscript suggestion superscript switch tab
    table tablist tabpanel term text textbox time timer toolbar tooltip tree treegrid treeitem window
"""
ROLES = tuple(_ROLES.split())
"""Roles that need no quotes: those of ARIA, and two of the screens."""

_MODIFIER = "controlormeta|control|ctrl|shift|altgraph|altgr|alt|option|meta|super|command|cmd|windows|win"
_ID = rf"(?:[A-Za-z0-9_](?:[\w.:-]*\w)?|{QUOTED})"
_NEXT = r"(?:\s*[-+]\s*|\s+)(?=[A-Za-z])"

PATTERNS: dict[str, str] = {
    "EXTENSION.5": r"x-[a-z0-9][a-z0-9_.-]*",
    "CALLED.4": r"[^\W\d][\w.-]*(?=\s*\()",
    "MODIFIER.3": rf"(?ai:{_MODIFIER}){_NEXT}",
    "SIDE.3": rf"(?ai:left|right|middle|back|forward){_NEXT}",
    "TIMES.3": r"(?ai:double|triple)[-\s]*(?=(?ai:click))",
    "ROLE": rf"(?ai:{'|'.join(sorted(ROLES, key=len, reverse=True))})(?!\w)",
    "STRING": QUOTED,
    "ID": f"#{_ID}",
    "TRACK": f"@{_ID}",
    "NUMBER": f"(?ai:{NUMBER})",
    "SIZE.3": r"[0-9]+\s*[xX×]\s*[0-9]+",
    "NAME": r"[^\W\d][\w-]*",
    "KEY": r"\w+|[^\s\w\"'“”„‘’‚#]",
}
"""Terminals that are not one word. KEY stands last: only where a key is due can nearly anything be one."""

SIGNS = {"_LPAR": "(", "_RPAR": ")", "LSQB": "[", "_RSQB": "]", "LBRACE": "{", "_RBRACE": "}", "_COMMA": ",", "_COLON": ":",
         "_EQUAL": "=", "_DOT": ".", "_PLUS": "+"}  # fmt: skip

LOCATORS = frozenset({"ROLE", "_ROLE", "ID", "TRACK", "_AT", "_BOX", "_SELECTOR", "_DESCRIBED", "_STATE"})
"""What a target is made of, besides a text."""

TARGET = 'a target such as "Save", #12 or at (x, y)'
ACTION = 'an action such as click "Save" or type "hello" into "Name"'
_CALLED = {
    "STRING": "a text in quotes", "NUMBER": "a number", "ID": "an id such as #12", "TRACK": "a track id such as @save",
    "NAME": 'a name such as "billing"', "KEY": "a key such as Enter", "_AT": "at (x, y)", "SIZE": "a size such as 1024x768",
    "ROLE": "a role such as button", "MODIFIER": "a modifier such as Shift-", "SIDE": "a button such as right-",
    "TIMES": '"double-"', "EXTENSION": "an x- verb", "CALLED": "a call", "UNIT": '"px"', "SPACE": '"norm1"',
    "LANGUAGE": '"bash" or "python"', "DIRECTION": "up, down, left or right", "BUTTON": "left, right or middle",
    "MILLISECONDS": '"ms"', "$END": "the end of the line",
}  # fmt: skip


def spellings(terminal: str) -> list[str]:
    """The words that a keyword may be written as."""
    plain = KEYWORDS.get(terminal, "").replace("s?", "s").replace(r"[-\s]*", "-")
    return list(ROLES) if terminal == "ROLE" else [word for word in plain.split("|") if word]


def called(terminal: str) -> str:
    """A terminal in the words of people."""
    if terminal in _CALLED:
        return _CALLED[terminal]
    return f'"{SIGNS[terminal] if terminal in SIGNS else spellings(terminal)[0]}"'


STARTS = (
    "click", "double-click", "triple-click", "right-click", "middle-click", "Shift-click", "Control-click", "long-press", "hover",
    "drag", "mouse down", "mouse up", "type", "fill", "press", "hold", "key down", "key up", "scroll", "select", "open", "launch",
    "switch to", "navigate to", "go back", "go forward", "new tab", "close tab", "list tabs", "wait", "screenshot", "upload",
    "call", "ask agent", "ask user", "run bash", "run python", "memorize", "answer", "finish", "fail",
)  # fmt: skip
"""How a line may begin: what a mistyped first word is compared with."""


def _terminal(name: str, pattern: str) -> str:
    return f"{name}: /{pattern.replace('/', chr(92) + '/')}/"


def _terminals() -> str:
    words = [_terminal(f"{name}.2", rf"(?ai:{spelling})(?!\w)") for name, spelling in KEYWORDS.items()]
    patterns = [_terminal(name, pattern) for name, pattern in PATTERNS.items()]
    signs = [_terminal(f"{name}.1", "\\" + sign) for name, sign in SIGNS.items()]
    return "\n".join((*words, *patterns, *signs))


def grammar() -> str:
    """The rules, and the terminals that are made of the words above."""
    return Path(__file__).with_name("grammar.lark").read_text(encoding="utf-8") + f"\n{_terminals()}\n"
