"""The words of the DSL: what each terminal of the grammar may look like, and how people call it."""

from __future__ import annotations

from protocol.dsl.texts import NUMBER, QUOTED

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
