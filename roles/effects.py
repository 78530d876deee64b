"""What an action amounts to in the world: reading a button's own words, never what the screen says about it.

A button that none of these words fits is `activate`: unknown, so the default policy asks.
"""

from __future__ import annotations

import re
import unicodedata
from enum import StrEnum

from protocol import Action, CallApi, Click, Drag, Fill, GUIElement, HoldKey, PressKey, SelectOption, Type, Upload, VisualState


class Effect(StrEnum):
    """From harmless to irreversible."""

    OBSERVE = "observe"
    NAVIGATE = "navigate"
    EDIT = "edit"
    SAVE = "save"
    ACTIVATE = "activate"
    CONFIRM = "confirm"
    SUBMIT = "submit"
    SEND = "send"
    PURCHASE = "purchase"
    ACCOUNT = "account"
    PERMISSION = "permission"
    UPLOAD = "upload"
    DOWNLOAD = "download"
    DELETE = "delete"


# Order counts: "Delete account" is account, "Pay and submit" is purchase. English, German, Chinese.
_WORDS: tuple[tuple[Effect, str], ...] = (
    (
        Effect.ACCOUNT,
        r"(delete|close|create|deactivate|remove)\s+(my\s+|your\s+|the\s+|an?\s+)?account|"
        r"sign\s?(in|up|out)|log\s?(in|out)|(change|reset|set)\s+(the\s+|your\s+)?password|two-?factor|"
        r"konto|passwort|anmelden|abmelden|账户|账号|密码|登录",
    ),
    (
        Effect.PURCHASE,
        r"buy|pay|payment|purchase|place\s+(the\s+|an?\s+|your\s+)?order|order\s+now|check\s?out|donate|subscribe|"
        r"transfer\s+(money|funds)|kaufen|bezahlen|bestellen|zahlen|购买|支付|付款|下单",
    ),
    (
        Effect.DELETE,
        r"delete|remove|discard|erase|wipe|destroy|move\b.{0,40}\bto\s+(the\s+)?(trash|bin)|purge|"
        r"cancel\b.{0,20}\b(order|subscription|booking|reservation|appointment|meeting|membership|trip|flight)|取消订单|取消订阅|clear\s+all|empty|"
        r"reset|uninstall|format|overwrite|revoke|löschen|entfernen|verwerfen|删除|移除|清空",
    ),
    (
        Effect.PERMISSION,
        r"allow|grant|permit|accept|agree|consent|authori[sz]e|trust|"
        r"enable\s+(macros|access|permissions?)|erlauben|zulassen|akzeptieren|zustimmen|允许|同意|接受|授权",
    ),
    (
        Effect.SEND,
        r"send|reply\s+all\s+now|post|publish|share|forward\s+now|invite|tweet|broadcast|senden|"
        r"abschicken|veröffentlichen|teilen|发送|发布|分享",
    ),
    (
        Effect.SUBMIT,
        r"submit|hand\s+in|turn\s+in|file\s+(the\s+|my\s+|a\s+)?(claim|report|request|form)|apply\s+now|"
        r"register|book|reserve|confirm\s+(order|booking)|approve|sign|absenden|einreichen|buchen|提交|报名|"
        r"预订",
    ),
    (Effect.UPLOAD, r"upload|attach|import|hochladen|anhängen|上传|附加"),
    (Effect.DOWNLOAD, r"download|export|install|herunterladen|下载|安装"),
    (Effect.SAVE, r"save|store|keep|update|speichern|sichern|保存"),
    (
        Effect.NAVIGATE,
        r"search|find|go|my|next|previous|prev|back|forward|home|open|close|cancel|dismiss|"
        r"no(,|\s)?\s*thanks|not\s+now|later|skip|new|compose|reply|add|create|edit|view|show|hide|"
        r"details?|more|less|expand|collapse|menu|filter|sort|refresh|reload|help|inbox|sent|drafts|"
        r"archive|folder|tab|page|list|first|last|up|down|no|suchen|weiter|zurück|öffnen|schließen|"
        r"abbrechen|neu|搜索|下一页|上一页|返回|打开|关闭|取消|新建",
    ),
    (
        Effect.EDIT,
        r"rename|move|copy|cut|paste|undo|redo|select|mark|pin|star|bold|italic|umbenennen|verschieben|"
        r"重命名|移动|复制",
    ),
    (
        Effect.CONFIRM,
        r"ok(ay)?|yes|confirm|continue|proceed|apply|finish|done|sure|got\s+it|ja|bestätigen|fortfahren|"
        r"确定|确认|是|继续",
    ),
)

_PATTERNS = tuple((effect, re.compile(rf"(?<![^\W_])(?:{words})(?![^\W_])", re.IGNORECASE)) for effect, words in _WORDS)
_CJK = tuple((effect, [w for w in words.split("|") if re.fullmatch(r"[\u4e00-\u9fff]+", w)]) for effect, words in _WORDS)

_WAY_OUT = re.compile(
    r"(close|cancel|dismiss|no(,|\s)?\s*thanks|not\s+now|(maybe\s+)?later|skip|no|back|go\s+back|keep\s+editing|help|"
    r"nein|abbrechen|schließen|zurück|später|取消|关闭|返回)[.!]?",
    re.IGNORECASE,
)
"""In a dialog only these leave things as they are; "Next" or "Go" say yes to what it asks."""

_PRESSABLE = {"button", "link", "menuitem", "menuitemcheckbox", "switch", "submit", "image", "img", "icon"}
_DATA = {
    *("row", "cell", "gridcell", "columnheader", "rowheader", "listitem", "option", "treeitem", "tab"),
    *("heading", "text", "paragraph", "article", "status", "alert", "list", "table", "group", "form", "progress", "window"),
}
"""Roles that show something: pressing them looks closer. A role that is neither this nor pressable may be any control."""
_FILLERS = {"now", "this", "it", "all", "item", "entry", "row", "selected", "…", "...", "!"}
_TRASH = re.compile(r"trash|recycl|\bbin\b|papierkorb|回收站|废纸篓", re.IGNORECASE)
_EDITABLE = {"textbox", "searchbox", "combobox", "checkbox", "radio", "slider", "spinbutton", "listbox"}
_SENSITIVE = (
    Effect.ACCOUNT,
    Effect.PURCHASE,
    Effect.DELETE,
    Effect.PERMISSION,
    Effect.SEND,
    Effect.SUBMIT,
    Effect.UPLOAD,
    Effect.DOWNLOAD,
)
_DEEPEST = 64
"""Containers around an element; a screen that claims more, or a circle of them, is cut off."""
_CHORDS = {
    **dict.fromkeys("ac", Effect.OBSERVE),
    **dict.fromkeys("fow", Effect.NAVIGATE),
    **dict.fromkeys("vxyz", Effect.EDIT),
    "s": Effect.SAVE,
    "d": Effect.DELETE,
}
"""With Control or Meta held."""
_OTHERS = {
    **dict.fromkeys(("hover", "scroll", "wait", "screenshot"), Effect.OBSERVE),
    **dict.fromkeys(("launch_app", "switch_window", "navigate", "go_back", "go_forward", "tabs"), Effect.NAVIGATE),
    **dict.fromkeys(("memorize", "answer", "ask_user", "finish_goal", "fail_goal"), Effect.OBSERVE),
}
"""By verb alone. Any other verb may do anything: scripts, calls, buttons held down, verbs that are carried."""
SENSITIVE = frozenset(_SENSITIVE)
"""Effects that reach outside or cannot be taken back (seed 000): they want explicit approval."""


def effect_of(action: Action, element: GUIElement | None, state: VisualState) -> Effect:
    """What `action` would do to `element` as it stands in `state`."""
    match action:
        case Drag(to=to):
            return Effect.DELETE if _TRASH.search(to.text or "") else Effect.EDIT
        case SelectOption():
            return Effect.EDIT
        case Fill(submit=submit):
            return _enter(element, state) if submit else Effect.EDIT
        case Type(submit=submit, text=text):
            return _enter(element, state) if submit or "\n" in text or "\r" in text else Effect.EDIT
        case PressKey(keys=keys) | HoldKey(keys=keys):
            return _key(keys, element, state)
        case Click(button="back" | "forward"):
            return Effect.NAVIGATE
        case Click():
            return _press(element, state)
        case CallApi(function=function):
            return effect_of_words(function.replace("_", " ")) or Effect.ACTIVATE
        case Upload():
            return Effect.UPLOAD
        case _:
            return _OTHERS.get(action.verb, Effect.ACTIVATE)


def effect_of_words(words: str) -> Effect | None:
    """The effect that a control of this name announces, or None when its words are not known."""
    words = words if words.isascii() else _plain(words)
    for (effect, pattern), (_, cjk) in zip(_PATTERNS, _CJK, strict=True):
        if pattern.search(words) or any(word in words for word in cjk):
            return effect
    return None


def _plain(words: str) -> str:
    """Without what cannot be seen and would hide a word: invisible characters, wide letters, loose accents."""
    return "".join(c for c in unicodedata.normalize("NFKC", words) if unicodedata.category(c) != "Cf")


def _press(element: GUIElement | None, state: VisualState) -> Effect:
    if element is None:
        return Effect.ACTIVATE
    if element.role in _EDITABLE:
        return Effect.EDIT
    effect = effect_of_words(element.name) if element.name else None
    if element.role in _DATA:
        return Effect.NAVIGATE
    if element.role == "link" and _inside_data(element, state):
        return effect if effect in SENSITIVE and _is_command(element.name) else Effect.NAVIGATE
    dialog = _dialog_of(element, state)
    if effect not in SENSITIVE and dialog is not None and not _WAY_OUT.fullmatch(element.name.strip()):
        return _dialog_effect(dialog, state) or effect or Effect.ACTIVATE
    return effect or (Effect.NAVIGATE if element.role == "link" else Effect.ACTIVATE)


def _inside_data(element: GUIElement, state: VisualState) -> bool:
    parent = state.by_id.get(element.parent or "")
    return parent is not None and parent.role in {"row", "cell", "gridcell", "listitem"}


def _is_command(name: str) -> bool:
    """A bare command ("Delete", "Pay now"), unlike a subject or a title that has such a word in it."""
    words = _plain(name).casefold().split()
    rest = [word for word in words if word not in _FILLERS]
    return 0 < len(rest) <= 2 and effect_of_words(" ".join(rest[:1])) in SENSITIVE and len(words) <= 3


def _dialog_of(element: GUIElement, state: VisualState) -> GUIElement | None:
    at: GUIElement | None = element
    for _ in range(_DEEPEST):
        if at is None or at.role in {"dialog", "alertdialog"}:
            return at
        at = state.by_id.get(at.parent or "")
    return None


def _dialog_effect(dialog: GUIElement, state: VisualState) -> Effect | None:
    """An affirmative button does what its dialog asks; only a sensitive question changes what it is."""
    texts = [dialog.name] + [e.name for e in state.elements if _dialog_of(e, state) == dialog and e.role not in _PRESSABLE]
    found = [effect_of_words(text) for text in texts]
    return next((effect for effect in _SENSITIVE if effect in found), None)


def _enter(element: GUIElement | None, state: VisualState) -> Effect:
    """Enter in a field presses the default button of the form or dialog around it: the worst of its buttons counts."""
    holder = state.by_id.get(state.modal) if state.modal is not None else _around(element, state)
    if holder is None:
        return Effect.CONFIRM
    effects = [_press(e, state) for e in state.elements if e.role == "button" and _is_inside(e, holder, state)]
    worst = next((effect for effect in _SENSITIVE if effect in effects), None)
    return worst or (effects[0] if effects else Effect.CONFIRM)


def _around(element: GUIElement | None, state: VisualState) -> GUIElement | None:
    """The form or dialog that the element stands in, else its outermost container."""
    at, outermost = element, None
    for _ in range(_DEEPEST):
        at = state.by_id.get(at.parent or "") if at is not None else None
        if at is None:
            return outermost
        outermost = at
        if at.role in {"form", "search", "dialog", "alertdialog"}:
            return at
    return outermost


def _is_inside(element: GUIElement, holder: GUIElement, state: VisualState) -> bool:
    at: GUIElement | None = element
    for _ in range(_DEEPEST):
        if at is None or at.element_id == holder.element_id:
            return at is not None
        at = state.by_id.get(at.parent or "")
    return False


def _key(keys: tuple[str, ...], element: GUIElement | None, state: VisualState) -> Effect:
    folded = tuple(key.casefold() for key in keys)
    focused = element or next((e for e in state.elements if e.focused), None)
    if folded[-1] in {"enter", "return", "\n", "\r", " ", "space"}:
        pressed = focused is not None and focused.role in _PRESSABLE
        if pressed:
            return _press(focused, state)
        modified = len(folded) > 1 or state.modal is not None or (focused is not None and focused.role in _EDITABLE)
        return _enter(focused, state) if modified else Effect.CONFIRM
    if folded[-1] in {"delete", "backspace"}:
        return Effect.EDIT if focused is not None and focused.role in _EDITABLE else Effect.DELETE
    if len(folded) > 1 and folded[0] in {"control", "meta", "controlormeta"}:
        return _CHORDS.get(folded[-1], Effect.ACTIVATE)
    if len(folded[-1]) == 1 and not (set(folded[:-1]) - {"shift"}):
        return Effect.EDIT
    harmless = {"escape", "tab", "arrowup", "arrowdown", "arrowleft", "arrowright", "pageup", "pagedown", "home", "end"}
    return Effect.NAVIGATE if folded[-1] in harmless else Effect.ACTIVATE
