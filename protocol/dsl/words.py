"""The grammar of the DSL, LALR(1) so that a line is read in linear time, and its words: what each terminal may look like.

Texts and numbers are written with JSON's escapes, and `\\u{...}` for exactly one code point.
"""

from __future__ import annotations

import re

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


_RULES = r"""
    ?start: click | long_press | hover | drag | mouse_down | mouse_up | type | fill | press_key | hold_key | key_down | key_up
          | scroll | select_option | launch_app | switch_window | navigate | go_back | go_forward | tab_new | tab_close
          | tab_select | tab_list | wait | screenshot | upload | call_api | ask_in_app_agent | run_script | memorize | answer
          | ask_user | finish_goal | fail_goal | extension | called

    click: modifiers? side? times? _CLICK target (hold | holding | delay)*
    long_press: modifiers? side? _LONG_PRESS target hold (holding | delay)*
    hover: modifiers? _HOVER _OVER? target (holding | delay)*
    drag: modifiers? side? _DRAG _FROM? target to (path | holding | delay)*
    mouse_down: _MOUSE _DOWN button? _tail
    mouse_up: _MOUSE _UP button? _tail

    type: _TYPE text _around{_typing}
    fill: _FILL target _WITH text _typing*
    press_key: _PRESS keys _tail
    hold_key: _HOLD keys _FOR seconds _tail
    key_down: _KEY _DOWN key _tail
    key_up: _KEY _UP key _tail
    scroll: modifiers? _SCROLL delta unit? _around{_scrolling}
    select_option: _SELECT options place delay*

    launch_app: _OPEN app _tail
    switch_window: _SWITCH _TO _WINDOW? window _tail
    navigate: (_NAVIGATE | _GO) _TO url _tail
    go_back: _GO _BACK _tail
    go_forward: _GO _FORWARD _tail
    tab_new: _NEW _TAB url? _tail
    tab_close: _CLOSE _TAB index? _tail
    tab_select: (_SWITCH _TO | _SELECT) _TAB index _tail
    tab_list: _LIST _TABS _tail

    wait: _WAIT (seconds (_FOR text | _UNTIL text _SHOWS | _UNTIL text_gone _IS _GONE)*)? _tail
    screenshot: _SCREENSHOT _around{_looking}
    upload: _UPLOAD files (_destination | place) delay*
    call_api: _CALL app _DOT function arguments? _tail
    ask_in_app_agent: _ASK _THE? _AGENT _OF app _COLON? request _tail
    run_script: _RUN language code _tail
    extension: action_type (arguments | whole)? _tail

    memorize: _MEMORIZE name _EQUAL value delay? (_source delay?)?
    answer: _ANSWER text _tail
    ask_user: _ASK _THE? _USER _COLON? question _around{_asking}
    finish_goal: _FINISH summary? _tail
    fail_goal: _FAIL reason? _tail

    _tail: _around{delay}
    _around{clause}: clause* (place clause*)?
    _typing: submit | delay
    _scrolling: holding | delay
    _looking: _MARKS marks | _REGION region | delay
    _asking: _AS name | delay
    _source: _FROM target | place
    ?place: _INTO target | at_target
    modifiers: MODIFIER+
    side: SIDE
    times: TIMES
    button: BUTTON
    hold: (_HOLD | _FOR) seconds
    holding: _HOLDING keys
    delay: _DELAY seconds
    to: _destination
    _destination: _TO (target | bare_target)
    path: _VIA coordinate (_COMMA coordinate)*
    submit: _AND _PRESS ENTER
    delta: way (_AND way)*
    way: DIRECTION NUMBER?
    unit: UNIT
    keys: _key (_PLUS _key)*
    key: _key
    _key: KEY | STRING
    options: STRING (_COMMA STRING)*
    files: STRING (_COMMA STRING)*
    marks: ID (_COMMA ID)*
    region: box
    text: STRING
    text_gone: STRING
    url: STRING
    request: STRING
    code: STRING
    value: STRING
    question: STRING
    summary: STRING
    reason: STRING
    app: _name
    window: _name
    function: _name
    name: _name
    _name: NAME | STRING
    language: LANGUAGE
    index: NUMBER
    seconds: NUMBER (_SECONDS | MILLISECONDS)?
    action_type: EXTENSION

    target: _THE? (_more* text _more* | _more+)
    at_target: _AT coordinate _more* (text _more*)? -> target
    bare_target: coordinate _more* (text _more*)? -> target
    _more: role | element_id | track_id | _AT coordinate | _BOX box | selector | description | state_id
    role: ROLE | _ROLE STRING
    element_id: ID
    track_id: TRACK
    selector: _SELECTOR STRING
    description: _DESCRIBED STRING
    state_id: _STATE STRING
    coordinate: _LPAR NUMBER _COMMA NUMBER _RPAR SPACE? (_OF size)?
    box: LSQB NUMBER _COMMA NUMBER _COMMA NUMBER _COMMA NUMBER _RSQB SPACE? (_OF size)?
    size: SIZE | _LPAR NUMBER _COMMA NUMBER _RPAR

    arguments: _LPAR [pair (_COMMA pair)* _COMMA?] _RPAR
    whole: object
    pair: (NAME | STRING) (_EQUAL | _COLON) json
    ?json: string | numeral | true | false | null | list | object
    string: STRING
    numeral: NUMBER
    true: TRUE
    false: FALSE
    null: NULL
    list: LSQB [json (_COMMA json)* _COMMA?] _RSQB
    object: LBRACE [pair (_COMMA pair)* _COMMA?] _RBRACE

    called: CALLED _LPAR [_given (_COMMA _given)* _COMMA?] _RPAR
    _given: named | positional
    named: NAME _EQUAL json
    positional: json

    %ignore /[^\S\n]+/
    %ignore /#(?!\S)[^\n]*/
"""


def _terminal(name: str, pattern: str) -> str:
    return f"{name}: /{pattern.replace('/', chr(92) + '/')}/"


def _terminals() -> str:
    words = [_terminal(f"{name}.2", rf"(?ai:{spelling})(?!\w)") for name, spelling in KEYWORDS.items()]
    patterns = [_terminal(name, pattern) for name, pattern in PATTERNS.items()]
    signs = [_terminal(f"{name}.1", "\\" + sign) for name, sign in SIGNS.items()]
    return "\n    ".join((*words, *patterns, *signs))


GRAMMAR = f"{_RULES}\n    {_terminals()}\n"
