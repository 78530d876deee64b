"""What a person would notice after an action, as events; and modal dialogs: their kind, the safe button, the one that agrees."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Literal

from environments.contract import Environment, type_of
from protocol import Action, ActionResult, GUIElement, VisualState
from roles.safety.effects import SENSITIVE, Effect
from roles.screen.screens import FIELD_ROLES, PRESS_ROLES, Screen

_NAMED_EFFECTS = SENSITIVE | {Effect.SAVE}
_LONG = 240


def effect_verb(action: Action, effect: str) -> str:
    """What the step amounts to: submit, send, save, delete, ... or just the action's verb."""
    return effect if effect in {e.value for e in _NAMED_EFFECTS} else action.verb


def target_name(action: Action) -> str:
    """What a step records as its target: the control, or the application."""
    if action.target is not None:
        return action.target.describe()
    return str(action.parameters.get("app") or action.parameters.get("window") or "")


def screen_events(before: VisualState | None, after: VisualState) -> list[dict[str, str]]:
    """Events as `{kind, text}`: popup, loading, validation, alert, status, navigation."""
    known = Counter((e.role, e.text) for e in before.elements) if before is not None else Counter()
    events: list[dict[str, str]] = []
    if after.modal is not None and (before is None or _dialog_text(before) != _dialog_text(after)):
        events.append({"kind": "popup", "text": _dialog_text(after)})
    if after.loading:
        events.append({"kind": "loading", "text": f"{after.app} is loading"})
    invalid = {e.name for e in before.elements if e.invalid} if before is not None else set()
    fresh = [e for e in after.elements if e.invalid and e.name not in invalid]
    events += [{"kind": "validation", "text": f"{e.name or e.element_id} is not valid"} for e in fresh]
    any_invalid = any(e.invalid for e in after.elements)
    for element in after.elements:
        if element.role not in {"alert", "status"} or not element.text:
            continue
        known[element.role, element.text] -= 1
        if known[element.role, element.text] < 0:  # the same message may come once more while it still stands there
            kind = "validation" if element.role == "alert" and any_invalid else str(element.role)
            events.append({"kind": kind, "text": element.text})
    if before is not None and (before.app != after.app or _heading(before) != _heading(after)):
        events.append({"kind": "navigation", "text": " / ".join(part for part in (after.app, _heading(after)) if part)})
    return [{"kind": e["kind"], "text": e["text"][:_LONG]} for e in events[:8]]


def told_by(environment: Environment, action: Action, result: ActionResult) -> list[dict[str, str]]:
    """What a browser tells that no screen shows: files, new tabs, answered dialogs, requests that were stopped."""
    if action.inner or not result.output or type_of(environment) != "browser":
        return []
    return [{"kind": "told", "text": " ".join(result.output.split())[:_LONG]}]


def _heading(state: VisualState) -> str:
    return next((e.name for e in state.elements if e.role == "heading" and e.visible), "")


def _dialog_text(state: VisualState) -> str:
    """Title and words of the dialog on top."""
    if state.modal is None:
        return ""
    dialog = state.by_id[state.modal]
    words = [dialog.name, *(e.name for e in state.within(dialog) if e.role != "button")]
    return " - ".join(dict.fromkeys(w for w in words if w))


DialogKind = Literal["harmless", "security", "permission", "payment", "consent", "account", "confirm", "unknown"]

HARMLESS: DialogKind = "harmless"

# Order counts: the most dangerous reading of a text wins. English, German, Chinese.
_KINDS: tuple[tuple[DialogKind, str], ...] = (
    (
        "payment",
        r"\bpay(?:ment|ments)?\b|purchase|\bbuy\b|card number|credit card|\biban\b|invoice due|\bcharge[sd]?\b"
        r"|subscri|upgrade|\btrial\b|"
        r"\bprices?\b|order now|bezahl|zahl(?:ung|en)\b|kauf|kreditkarte|\babo(?:nne\w*|s)?\b|kostenpflichtig|"
        r"probezeit|支付|付款|购买|订阅|续费|续订|信用卡|试用",
    ),
    (
        "account",
        r"\baccount|password|sign(?:ed)? ?(?:in|out|up)\b|log(?:ged)? ?(?:in|out)\b|session (?:has )?expired"
        r"|verify your|two-?factor|"
        r"one-time code|konto|passwort|kennwort|anmeld|meld\w* (?:sie sich|dich) an|sitzung (?:ist )?abgelaufen|"
        r"zweistufig|账户|账号|帐号|密码|登录|登陆|会话|验证码|身份",
    ),
    (
        "permission",
        r"permission|allow(?:ed)? access|wants? (?:to )?(?:access|use|know|send|open)|\bgrant|access to your"
        r"|\blocation\b|microphone|camera|"
        r"\ballow\b|notifications?\b|berechtigung|zugriff|zugreifen|erlauben|zulassen|standort|mikrofon|kamera|benachrichtigung|权限|"
        r"访问|允许|位置|麦克风|摄像头|相机|发送通知",
    ),
    (
        "security",
        r"security|virus|malware|infected|certificate|not secure|unsafe|untrusted|suspicious|threat|administrator"
        r"|firewall|\bmacros?\b|"
        r"remote control|phishing|sicherheit|warnung|schadsoftware|infiziert|zertifikat|fernsteuer|firewall|makros?\b|"
        r"安全|病毒|木马|证书|风险|恶意|远程控制|防火墙",
    ),
    (
        "consent",
        r"consent|cookies?|privacy|\bterms\b|conditions|\bagree|licen[cs]e|gdpr|data processing|einwillig|datenschutz"
        r"|bedingungen|privatsphäre|\bagb\b|zustimm|同意|隐私|条款|协议",
    ),
    (
        "confirm",
        r"are you sure|delete|discard|remove|overwrite|replace|cannot be undone|unsaved|save changes|\blose (?:your"
        r"|all)|leave (?:this|the) page|"
        r"reset|erase|for good|permanently|löschen|verwerfen|wirklich|überschreiben|ersetzen|endgültig|"
        r"确定要|删除|放弃|覆盖|丢弃|清空",
    ),
)
_NAMED = re.compile(r"[\w/-]+\.\w{2,4}\b|\"[^\"]*\"|“[^”]*”")
"""Names of files and quoted titles: what a thing is called says nothing about what a dialog does."""
_GRAVE = frozenset({"payment", "account", "permission", "security"})
_NEWSLETTER = re.compile(r"newsletter|mailing list|product news|weekly (?:news|digest|tips)", re.IGNORECASE)
_MONEY = re.compile(r"[$€£¥]\s?\d|\d\s?(?:[$€£¥]|USD|EUR|GBP)|\bper (?:month|year)\b|free trial", re.IGNORECASE)
_TOLD = re.compile(
    r"newsletter|\btips?\b|did you know|what.?s new|welcome|\btour\b|feedback|survey|rate (?:us|this)"
    r"|how (?:do you like|was)|new version|"
    r"updates? (?:is |are )?available|release notes|maintenance|reminder|congratulations|thank|saved|success|news"
    r"|offer|discover|information|"
    r"\bnote\b|hint|notice|announce|feature|hinweis|tipp|willkommen|neuigkeiten|提示|欢迎|通知",
    re.IGNORECASE,
)
_OUT = re.compile(
    r"^(?:close|dismiss|cancel|no(?:,? ?thanks?| thank you)?|not now|maybe later|later|remind me later|skip|ignore|decline|"
    r"reject(?: all)?|deny|don.?t allow|keep(?: it| editing| writing)?|stay|go back|never|×|x|✕|✖|schließen|abbrechen"
    r"|block|nein(?:,? danke)?|nicht jetzt|(?:vielleicht )?später|zurück|blockieren|"
    r"(?:alle )?ablehnen|überspringen|关闭|取消|以后再说|稍后|不用了|不，谢谢|(?:全部)?拒绝|跳过|返回|不允许)[.!]?$",
    re.IGNORECASE,
)
_ACKNOWLEDGE = re.compile(
    r"^(?:ok(?:ay)?|got it|understood|i understand|verstanden|alles klar|好的?|知道了|确定)[.!]?$", re.IGNORECASE
)
_YES = re.compile(r"^(?:yes|ok|okay|sure)\b,?\s+(?!(?:but|do not|don't)\b)")
"""Before what is agreed to: `Yes, save it`."""
_AGREE = ("ok", "yes", "confirm", "continue", "proceed", "sure", "done", "apply")
_VERB_ALIASES = {
    "delete": ("delete", "remove", "discard", "erase", "move to trash"),
    "submit": ("submit", "send", "file"), "send": ("send", "submit"),
    "save": ("save", "save changes", "replace", "overwrite"), "rename": ("rename", "ok", "save"), "move": ("move", "ok"),
    "create": ("create", "save", "ok", "add"), "reply": ("send",),
}  # fmt: skip


def dialog_text(dialog: GUIElement, children: Sequence[GUIElement]) -> str:
    """Its title and what it says; the names of its buttons do not count."""
    texts = [dialog.name, *(e.name for e in children if e.role not in PRESS_ROLES)]
    return " ".join(dict.fromkeys(t for t in texts if t))


def classify_dialog(dialog: GUIElement, children: Sequence[GUIElement]) -> DialogKind:
    """What the dialog is about, the gravest reading of its words first. What no rule knows is unknown, never harmless."""
    buttons = [e for e in children if e.role == "button"]
    said = " ".join([dialog_text(dialog, children), *(b.name for b in buttons)])
    said = _NAMED.sub(" ", said)
    if _NEWSLETTER.search(said) and not _MONEY.search(said):
        said = re.sub(r"subscri\w*", "", said, flags=re.IGNORECASE)  # a newsletter costs nothing, and is declined all the same
    for kind, words in _KINDS:
        if re.search(words, said, re.IGNORECASE):
            return kind
    if _MONEY.search(said):
        return "payment"
    question = re.search(r"[?？]\s*$", dialog_text(dialog, children)) is not None  # to which OK would say yes
    harmless = [_OUT.match(b.name.strip()) or (not question and _ACKNOWLEDGE.match(b.name.strip())) for b in buttons]
    only_ways_out = bool(buttons) and all(harmless)
    asks_for_input = any(e.role in FIELD_ROLES for e in children)
    if not asks_for_input and (only_ways_out or (_TOLD.search(said) and dismiss_choice(dialog, children) is not None)):
        return HARMLESS
    return "unknown"


def announces(dialog: GUIElement, children: Sequence[GUIElement]) -> bool:
    """Whether it tells news, a tip or a success by its title, which nobody has to answer; the title of a record is none."""
    titles = [next((e.name for e in (dialog, *children) if e.name), ""), *(e.name for e in children if e.role == "heading")]
    return not any(e.role in FIELD_ROLES for e in children) and _TOLD.search(" ".join(titles)) is not None


def dismiss_choice(dialog: GUIElement, children: Sequence[GUIElement]) -> GUIElement | None:
    """The button that changes least: a way out, or a mere acknowledgement when it is the only button. None when "
    "there is neither."""
    buttons = [e for e in children if e.role in {"button", "link"} and e.enabled and e.visible]
    for button in buttons:
        if _OUT.match(button.name.strip()):
            return button
    if len(buttons) == 1 and _ACKNOWLEDGE.match(buttons[0].name.strip()):
        return buttons[0]
    return None


def _bare(name: str) -> str:
    return " ".join(name.casefold().replace("’", "'").split()).strip(" .!")


def agree_choice(verb: str, screen: Screen) -> GUIElement | None:
    """In a dialog that the crew's own `verb` brought up: the button that goes on with it. None when the dialog is "
    "about something else."""
    dialog = screen.dialog
    if dialog is None:
        return None
    inside = screen.elements
    text = dialog_text(dialog, inside).casefold()
    buttons = [e for e in inside if e.role == "button" and e.enabled and e.name]
    aliases = _VERB_ALIASES.get(verb, (verb,))
    for alias in aliases:
        for button in buttons:
            name = _YES.sub("", _bare(button.name))
            if alias not in {"ok", "yes"} and (name == alias or name.startswith(alias + " ")):
                return button
    asked = any(re.search(rf"\b{re.escape(alias)}", text) for alias in aliases)
    if not asked or classify_dialog(dialog, inside) in _GRAVE:
        return None
    return next((b for b in buttons if _bare(b.name) in _AGREE), None)


def expected(dialog: GUIElement, children: Sequence[GUIElement], verb: str, target: str) -> bool:
    """Whether the dialog is the question that the crew's own last action (`delete`, `budget.txt`) had to bring up."""
    text = dialog_text(dialog, children).casefold()
    aliases = _VERB_ALIASES.get(verb, (verb,))
    about = any(re.search(rf"\b{re.escape(alias)}", text) for alias in aliases if alias not in {"ok"})
    grave = classify_dialog(dialog, children) in _GRAVE
    return about and not grave and (not target or target.casefold() in text or not re.search(r"\.\w{2,4}\b", text))
