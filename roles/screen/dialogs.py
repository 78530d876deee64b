"""What a person would notice after an action, as events; and modal dialogs: their kind, the safe button, the one that agrees."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Literal

from environments.contract import Environment, type_of
from protocol import Action, ActionResult, GUIElement, VisualState
from roles.contracts import StepRecord
from roles.safety.effects import SENSITIVE, Effect
from roles.screen.screens import FIELD_ROLES, PRESS_ROLES, Screen, fold

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


_SAID = frozenset(
    {"alert", "status", "heading", "text", "paragraph", "log", "tooltip", "listitem", "cell", "dialog", "alertdialog"}
)
_NO = re.compile(
    r"\b(?:(?:was|were|is|are|has|have|could|can|did|does|do)\s?(?:not|n[’']t)\s+(?:be\s+|been\s+)?(?:saved|sent|stored|submitted|changed|"
    r"updated|completed|processed|accepted|found|valid|available|allowed|permitted|authori[sz]ed|match|recogni[sz]ed?|load(?:ed)?|possible|"
    r"save|send|update|submit|complete|process|sign|log)|cannot\s+be\s+\w+|could\s?n[o’']t\s+\w+|(?:was|were)\s+unable to|"
    r"^unable to\b|"
    r"\w+ failed\b|(?:an?|internal|server|unexpected|unknown|fatal)\s+error\b|^error\b|went wrong|has expired|session expired|"
    r"(?:wrong|incorrect|invalid)\s+(?:user|password|e-?mail|login|name|code|credentials|input|value|date|number|address|pin|format)|"
    r"(?:access|permission|request) (?:was )?denied|^forbidden\b|page not found|service unavailable|(?:has |was )?timed out|"
    r"already (?:taken|exists|in use|registered)|\bis sold out|(?:must\s?(?:not|n[’']t)|can[’']t|may not)\s+be\s+(?:empty|blank)|"
    r"^(?:please )?(?:enter|provide|give) a valid\b)|"
    r"\b(?:konnten? nicht|(?:nicht|kein\w*) (?:gespeichert|gesendet|möglich|gefunden)|fehlgeschlagen|ist ein fehler|"
    r"ungültige?[srn]?\b|"
    r"falsches? (?:passwort|kennwort)|ist abgelaufen)|\b(?:une erreur|a échoué|mot de passe incorrect|a expiré)\b|"
    r"\b(?:no se pudo|contraseña incorrecta|ha caducado)\b|エラーが|失敗しました|できませんでした|错误|失败|无法|خطأ|فشل",
    re.IGNORECASE,
)
"""Words of any text that is new."""
_DO = r"(?:choose|pick|select|enter|provide|give|fill|specify|add|use|make|accept|upload|attach|verify|confirm|(?:sign|log) in)"
_ORDERS = rf"{_DO}(?: in| out)?\s+(?:an?|the|this|your|all|one|that|at least|valid)\b"
_ASKS = re.compile(
    rf"please\b|must\b|try again|^{_ORDERS}|\b(?:erforderlich|bitte)\b|"
    r"\b(?:obligatoire|veuillez|obligatorio|por favor)\b|ください|请",
    re.IGNORECASE,
)
"""Words that say no where the page gives an alarm; elsewhere they may say what comes next."""
_LACKS = re.compile(
    r"\b(?:is|are)\s+(?:required|invalid|incorrect|wrong|missing)\b|\bmust\s+(?:be|have|contain|include|match|accept|agree)\b|"
    r"\btoo (?:short|long|many|large|small|few)\b|\bnot enough\b|^(?:we[’']?(?: a)?re )?sorry\b|^unfortunately\b|"
    r"^not (?:saved|sent|stored|submitted|changed|updated|completed|processed|accepted)\b|"
    rf"^(?:you (?:have|need) to )?{_DO}\b.*\bfirst\W?$|"
    r"\b(?:at least|exactly|has|have|needs?)\b.{0,20}\b(?:digit|character|letter)s?\b",
    re.IGNORECASE,
)
"""Words that say no where the page says how it went."""
PAGE_SAYS_NO = "the page says after the last press"
"""How a finding begins that tells such words."""
_DENIES = re.compile(
    r"\b(?:card|payment|access|permission|submission|upload) (?:was |is |has been )?(?:declined|denied|refused|rejected)\b|"
    r"\bfailed to\b|\bnetwork error\b|^oops\b|^conflict\b|\bis locked\b|\b(?:code|link|token|offer) (?:has )?expired\b|"
    r"\bnot (?:a valid|allowed|permitted|supported|available|authori[sz]ed)\b|\bnot have (?:permission|access|enough)\b|"
    r"\b(?:insufficient|unsupported)\b|\bno longer available\b|\bout of stock\b|\bonly\b.{0,30}\b(?:accepted|allowed)\b|"
    r"\b(?:limit|quota|maximum) (?:was |is |has been )?(?:reached|exceeded)\b|\breached (?:your|the) (?:limit|maximum)\b|"
    r"^(?:minimum|maximum)\b|\bupgrade to\b|^required(?: field)?\W?$|^no(?:thing| \w+) (?:was |is )?(?:chosen|selected)\b|"
    r"\b(?:user|account|page|code|address) not found\b|\bend \w+ is before\b",
    re.IGNORECASE,
)
"""Words that say no in an alarm or a status; elsewhere they may describe something."""
_BEGINS = re.compile(rf"(?:please )?{_ORDERS}", re.IGNORECASE)
_SHORT = 80
"""Characters of a text beside a field that tells what is wrong with it."""
_FEW = 3
"""New texts; more of them are what was asked for, and no answer to it."""
_CONFIRMS = re.compile(
    r"\b(?:thanks?|success\w*|welcome|hello|hi|congrat\w*|great|done|sent|set|kept|made|put|gone|paid|sold|ready|ok|complete|now"
    r"|will|check|you(?:['’]re| are)|(?!called|named|used)\w{2,}(?:ed|wn|ken|ten)|danke|erfolg\w*|gespeichert|gesendet)\b"
    r"|^[^:=]{1,30}[:=]\s*\S*\d|^\d|✓|✔",
    re.IGNORECASE,
)
"""Words of a page that did it, or that gives a result: `Total: 12`, `3 found`."""
_STATES = re.compile(r"\b(?:is|are|has|have|exists?|belongs?)\b", re.IGNORECASE)
"""Words that say how things stand, which may be why what they name was not done."""
_NEGATES = re.compile(
    r"n[’']t\b|\b(?:not|no|nobody|nothing|none|never|cannot|already|too|must|needs?|needed|required?|allow\w*|limit\w*"
    r"|fail\w*|(?P<deed>den|declin|reject|refus|block|lock|reserv)(?:y|i?ed)|exceed\w*|expired|taken|invalid|wrong|missing"
    r"|error|server|another|different|without|longer|shorter|at (?:least|most)|nicht|kein\w*)\b",
    re.IGNORECASE,
)
"""Words that say no beside what stays as it was."""
_LONGEST = 240
"""A longer text tells a story, and says little about the last press."""


def refusal(before: VisualState | None, after: VisualState, goal: str = "") -> str:
    """The words by which the page says that it did not do it; empty where it says nothing of the kind.

    Beside a form that holds what the `goal` says, what confirms nothing is taken for a no.
    """
    known = {(e.element_id, _words(e)) for e in before.elements} if before is not None else set()
    stays = before is not None and _stays(before, after)
    written = {" ".join(e.value.split()) for e in before.elements if e.value} if before is not None else set()
    for element in after.elements:
        words = _words(element)
        if element.role not in _SAID or not words or len(words) > _LONGEST or (element.element_id, words) in known:
            continue
        beside = stays and len(words) <= _SHORT and words not in written
        tells = element.role in {"alert", "status"}
        told = ((beside or tells) and _LACKS.search(words)) or (tells and _DENIES.search(words))
        asked = (element.role == "alert" and _ASKS.search(words)) or (beside and _BEGINS.match(words))
        if told or asked or _NO.search(words):
            return words
    return _unconfirmed(before, after, goal) if before is not None and _is_as_before(before, after) else ""


def _stays(before: VisualState, after: VisualState) -> bool:
    """Whether the form is there as it was: what is new is then an answer, and not what comes next or was unfolded."""
    one, other = (
        {e.element_id: (e.role, e.expanded) for e in state.elements if e.role in FIELD_ROLES | PRESS_ROLES}
        for state in (before, after)
    )
    return before.app == after.app and one == other and any(role in FIELD_ROLES for role, _ in one.values())


def _is_as_before(before: VisualState, after: VisualState) -> bool:
    """Whether all fields hold what they held, and nothing else is offered but one control at most."""
    texts, other = ([(e.name, e.value) for e in state.elements if e.role == "textbox"] for state in (before, after))
    ones, others = (Counter((e.role, e.name) for e in s.elements if e.role in FIELD_ROLES | PRESS_ROLES) for s in (before, after))
    here = before.app == after.app and before.modal == after.modal
    return here and texts == other and not ones - others and (others - ones).total() <= 1


def _unconfirmed(before: VisualState, after: VisualState, goal: str) -> str:
    """What a page that stays as it was says against the press, or, beside a form that kept what was written, does not confirm:
    whoever did what was asked for empties or closes the form, or says so."""
    told, others = ([e for e in state.elements if _is_told(e)] for state in (before, after))
    known, fresh = Counter(map(_shape, told)), dict[str, GUIElement]()
    for element in others:
        known[_shape(element)] -= 1
        if known[_shape(element)] < 0 and not element.name.endswith(("…", "...")):
            fresh[_words(element)] = element
    if len(fresh) > _FEW or sum(n for n in known.values() if n > 0) > 1:
        return ""
    written = [e.value for e in before.elements if e.role == "textbox" and e.value and fold(e.value) in fold(goal)]
    own = re.compile("|".join(map(re.escape, written)) or r"(?!)", re.IGNORECASE)
    for words, element in fresh.items():
        echoed = any(fold(value) in fold(words) for value in written) and not _STATES.search(words)
        confirmed = not written or element.role == "status" or echoed or _CONFIRMS.search(words)
        if len(words) <= _SHORT and (_says_no(own.sub(" ", words), goal) or not confirmed):
            return words
        if written and confirmed:
            return ""
    return ""


def _says_no(words: str, goal: str) -> bool:
    """Whether they negate anything but by what the goal asks for itself: `Declined`, where it was to be declined."""
    told = list(_NEGATES.finditer(words))
    return any(one["deed"] is None or not re.search(rf"\b{one['deed']}", goal, re.IGNORECASE) for one in told)


def _is_told(element: GUIElement) -> bool:
    return element.role in _SAID - {"heading"} and re.search(r"[^\W\d]", element.name) is not None


def _shape(element: GUIElement) -> str:
    """Its words, whatever the numbers in them: `Page 2 of 3`."""
    return re.sub(r"\d+", "0", _words(element))


def _words(element: GUIElement) -> str:
    return " ".join(element.name.split())


_NO_TO_IT = re.compile(r"(?:cancel|stay|no|go back|keep\b.*|abbrechen|nein|zurück|取消)[.!]?$", re.IGNORECASE)
"""Answers that call off what was asked about; what only closes an advertisement is none."""
PAGE_ASKED = "the page asked"
"""How a finding begins that tells such a question."""
_PRESSES = frozenset({"click", "press_key"})


def called_off(step: StepRecord, steps: Sequence[StepRecord]) -> str:
    """That the page asked before it did what the step was for, and was not told yes; empty where nothing was called off."""
    for answer in (s for s in steps if s.step > step.step and s.action.get("action_type") in _PRESSES):
        asked = next((event.partition(" ")[2] for event in step.events if event.startswith("popup:")), "")
        if not asked or answer.exec_status != "executed":
            return ""
        said = answer.target.strip() or "+".join(map(str, answer.action.get("keys", [])))
        if said == "Escape" or _NO_TO_IT.match(said):
            return f'{PAGE_ASKED} "{asked}", and the answer was "{said}"'
        step = answer  # it was told yes, and may ask on
    return ""


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
