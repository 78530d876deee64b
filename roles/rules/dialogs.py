"""What a dialog wants, by its words, and the safest way out of it. Source: seed 000, failure cases.

Only a dialog that is plainly harmless is ever dismissed without a person.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from protocol import GUIElement

HARMLESS = "harmless"
UNKNOWN = "unknown"

# Order counts: the most dangerous reading of a text wins. English, German, Chinese.
_KINDS: tuple[tuple[str, str], ...] = (
    ("payment", r"pay(ment|ments)?\b|purchase|buy\b|card number|credit card|iban|invoice due|charge[sd]?\b|subscri|upgrade|trial|price|"
                r"bezahl|zahlung|kauf|kreditkarte|支付|付款|购买"),
    ("account", r"account|password|sign(ed)? ?(in|out|up)|log(ged)? ?(in|out)|session (has )?expired|verify your|two-?factor|konto|passwort|anmeld|账户|账号|密码|登录"),
    ("permission", r"permission|allow(ed)? access|wants? to (access|use|know|send|open)|grant|access to your|location|microphone|camera|contacts|"
                   r"notifications?\b|berechtigung|zugriff|权限|访问您|允许"),
    ("security", r"security|virus|malware|infected|certificate|not secure|unsafe|suspicious|threat|administrator|firewall|sicherheit|warnung|安全|病毒"),
    ("consent", r"consent|cookies?|privacy|terms|conditions|agree|licen[cs]e|gdpr|data processing|einwillig|datenschutz|bedingungen|同意|隐私|条款"),
    ("confirm", r"are you sure|delete|discard|remove|overwrite|replace|cannot be undone|unsaved|lose (your|all)|leave (this|the) page|reset|erase|"
                r"löschen|verwerfen|wirklich|überschreiben|确定要|删除|放弃"),
)  # fmt: skip
_PATTERNS = tuple((kind, re.compile(words, re.IGNORECASE)) for kind, words in _KINDS)
_HARMLESS = re.compile(
    r"newsletter|tip\b|did you know|what.?s new|welcome|tour|feedback|survey|rate (us|this)|how (do you like|was)|new version|update(s)? available|"
    r"release notes|maintenance|reminder|congratulations|thank|saved|success|news|offer|discover|information|note\b|hint|"
    r"hinweis|tipp|willkommen|neuigkeiten|提示|欢迎|通知",
    re.IGNORECASE,
)
_OUT = re.compile(
    r"^(close|dismiss|cancel|no(,? ?thanks?| thank you)?|not now|maybe later|later|skip|ignore|decline|reject( all)?|deny|don.?t allow|keep( it| editing)?|"
    r"stay|go back|back|never|×|x|✕|✖|schließen|abbrechen|nein( danke)?|später|ablehnen|überspringen|关闭|取消|以后再说|不用了|拒绝|跳过)[.!]?$",
    re.IGNORECASE,
)
_ACKNOWLEDGE = re.compile(
    r"^(ok(ay)?|got it|understood|i understand|verstanden|alles klar|好的?|知道了|确定)[.!]?$", re.IGNORECASE
)
_FIELDS = {"textbox", "searchbox", "combobox", "checkbox", "radio"}


def classify_dialog(dialog: GUIElement, inside: Sequence[GUIElement]) -> str:
    """harmless, security, permission, payment, consent, account, confirm or unknown."""
    said = " ".join([dialog.name, *(e.name for e in inside)])
    for kind, pattern in _PATTERNS:
        if pattern.search(said):
            return kind
    buttons = [e for e in inside if e.role == "button"]
    only_ways_out = all(_OUT.match(b.name.strip()) or _ACKNOWLEDGE.match(b.name.strip()) for b in buttons)
    asks_for_input = any(e.role in _FIELDS for e in inside)
    if not asks_for_input and (only_ways_out or (_HARMLESS.search(said) and dismiss_choice(inside) is not None)):
        return HARMLESS
    return UNKNOWN


def dismiss_choice(inside: Sequence[GUIElement]) -> GUIElement | None:
    """The button that changes least: a way out first, a mere acknowledgement if it is the only button."""
    buttons = [e for e in inside if e.role in {"button", "link"} and e.enabled and e.visible]
    for button in buttons:
        if _OUT.match(button.name.strip()):
            return button
    if len(buttons) == 1 and _ACKNOWLEDGE.match(buttons[0].name.strip()):
        return buttons[0]
    return None
