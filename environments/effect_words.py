"""The words by which a control announces what it does, in English, German and Chinese."""

from __future__ import annotations

import re
import unicodedata

from environments.effects import Effect as Effect

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
        Effect.ACTUATE,
        r"unlock|unlatch|disarm|(lock|unbolt|open|close)\s+(\w+\s+){0,2}(door|gate|garage|valve)|"
        r"(turn|switch|start|heat|preheat|change|stop)\s+(\w+\s+){0,3}(oven|stove|furnace|boiler|kiln)|"
        r"(en|dis)able\s+(\w+\s+){0,2}alarm|(turn|switch)\s+(on|off)\s+(\w+\s+){0,2}alarm|"
        r"aufschließen|entriegeln|verriegeln|aufsperren|backofen|开锁|解锁|烤箱|警报",
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
    (Effect.SAVE, r"save|store|keep(?!\s+(?:editing|writing|working))|update|speichern|sichern|保存"),
    (
        Effect.NAVIGATE,
        r"search|find|go|my|next|previous|prev|back|forward|home|open|close|cancel|dismiss|"
        r"no(,|\s)?\s*thanks|not\s+now|keep\s+(editing|writing|working)|"
        r"later|skip|new|compose|reply|add|create|edit|view|show|hide|"
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


def effect_of_words(words: str) -> Effect | None:
    """The effect that a control of this name announces, or None when its words are not known."""
    words = words if words.isascii() else plain(words)
    for (effect, pattern), (_, cjk) in zip(_PATTERNS, _CJK, strict=True):
        if pattern.search(words) or any(word in words for word in cjk):
            return effect
    return None


def effects_in(words: str) -> frozenset[Effect]:
    """Every effect that is named in these words, such as a sentence that says what to do."""
    words = words if words.isascii() else plain(words)
    named = {effect for effect, pattern in _PATTERNS if pattern.search(words)}
    return frozenset(named | {effect for effect, cjk in _CJK if any(word in words for word in cjk)})


def plain(words: str) -> str:
    """A name without what cannot be seen and would hide a word: invisible characters, wide letters, loose accents."""
    return "".join(c for c in unicodedata.normalize("NFKC", words) if unicodedata.category(c) not in {"Cf", "Mn", "Me"})
