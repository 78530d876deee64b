"""The words that rules know: verbs by what they ask for, nouns of records, attributes, superlatives. Data only."""

from __future__ import annotations

import re


def words_of(text: str) -> frozenset[str]:
    """The words of a list written as one text; `|` parts those that have blanks in them."""
    return frozenset(text.split("|") if "|" in text else text.split())


READ_VERBS = (
    r"find out|figure out|work out|look up|look for|look at|pick up|pull up|note down|write down|jot down|copy down|"
    r"find|get|read|retrieve|fetch|grab|see|take|determine|collect|obtain|pull|extract|locate|identify|note|discover|gather|"
    r"memori[sz]e|remember"
)
COPY_VERBS = r"copy over|carry over|bring over|drop|plug|stick|place|copy|transfer|carry|paste|bring|duplicate"
ENTER_VERBS = r"key in|type in|write in|enter|type|write|put|insert|input|record|add|append|log|fill in|fill out|fill|complete"
SET_VERBS = r"set|change|update|adjust|edit"
SELECT_VERBS = r"select|choose|pick"
CLICK_VERBS = r"click on|double-click on|double-click|click|push|tap on|tap|hit|press on|press"
OPEN_VERBS = r"open up|open|launch|start|switch to|switch over to|go to|navigate to|go back to|head to|visit|bring up|show"
SUBMIT_VERBS = (
    r"submit|send in|send it in|send them in|send the form in|hand in|hand it in|hand the form in|turn in|turn it in|file"
)
SAVE_VERBS = r"save|store"
SEND_VERBS = r"send off|send"
MAIL_VERBS = r"e-?mail|mail|message"
TELL_VERBS = r"tell me|tell us|let me know|answer|report back|report|show me|give me|say"
CREATE_VERBS = r"create|make|start|begin|open|add|write|compose|draft"
DELETE_VERBS = r"delete|remove|erase|trash|throw away|get rid of"
SEARCH_VERBS = r"search for|search|look for"
OTHER_VERBS = (
    r"turn on|turn off|switch on|switch off|enable|disable|"
    r"check off|check|uncheck|untick|tick off|tick|mark|unmark|use|rename|move|scroll|wait|pause|reply|respond|forward|compose|"
    r"draft|make|create|start|begin|log|append|attach|upload|download|print|compare|summari[sz]e|translate|calculate|sum|close|"
    r"archive|approve|reject|pay|order|book|schedule|invite|share|call|reconcile|sort|filter|export|import|undo|redo|"
    r"sign in|prepare|turn|switch|claim back|claim|make|sort|accept|decline|merge|listen to|watch"
    r"|leave|give|lock|unlock|dim|mend|repair|keep|take|look up|do not|don[’']t|never|what|how much"
    r"|confirm|verify|ensure|make sure|return|refund|cancel|send|tell|give"
)
NOUN_VERBS = words_of(
    "add answer book call claim keep leave lock switch turn take watch change check copy display"
    " draft e-mail edit email export file filter import input log mail "
    "mark message move note order pay post print record refund report return set share show sort start sum tick "
    "transfer type update use"
)
"""Verbs that are also nouns: they open a clause only when an object follows."""

ALL_VERBS = "|".join(
    sorted(
        {
            verb
            for group in (
                READ_VERBS, COPY_VERBS, ENTER_VERBS, SET_VERBS, SELECT_VERBS, CLICK_VERBS, OPEN_VERBS, SUBMIT_VERBS, SAVE_VERBS,
                SEND_VERBS, MAIL_VERBS, TELL_VERBS, CREATE_VERBS, DELETE_VERBS, SEARCH_VERBS, OTHER_VERBS,
            )
            for verb in group.split("|")
        },
        key=lambda verb: (-len(verb), verb),
    )
)  # fmt: skip

FILLERS = (
    r"second|third|fourth|"
    r"please|kindly|now|just|also|finally|lastly|first|firstly|next|then|and|so|afterwards?|after that"
    r"|once (?:that is |you are )?done|"
    r"secondly|thirdly|can you|could you|would you|will you|i need you to|i want you to|i would like you to|i[’']d like you to|"
    r"i need to|i want to|i would rather|i[’']d rather|i would like to|i[’']d like to|i have to|you"
    r" should|you need to|we need to|let[’']s|go ahead and|"
    r"make sure to|be sure to|make sure you|remember to|don[’']t forget to|try to|help me|to|it is time to|your task is to|"
    r"go and|in the end|at the end|hi|hello|hey|ok|okay|thanks|thank you|before that|when done|when you are done"
)
APP_NOISE = r"app|application|page|screen|window|program|system|portal|tool|client|site|website|section|module|software"
FORM_NOISE = r"form|sheet"
FIELD_NOISE = r"field|box|input|cell|column|textbox|text box|entry field|line|slot|dropdown|drop-down|list|menu|control"

NOUNS = {
    "invoice": "invoice", "invoices": "invoice", "bill": "invoice", "bills": "invoice",
    "mail": "mail", "mails": "mail", "email": "mail", "emails": "mail", "e-mail": "mail", "e-mails": "mail", "message": "mail",
    "messages": "mail", "note": "note", "notes": "note", "file": "file", "files": "file", "document": "file",
    "documents": "file", "folder": "folder", "folders": "folder", "directory": "folder", "contact": "contact",
    "contacts": "contact", "order": "order", "orders": "order", "receipt": "receipt", "receipts": "receipt",
    "expense": "expense", "expenses": "expense", "claim": "claim", "claims": "claim", "event": "event", "events": "event",
    "appointment": "event", "meeting": "event", "task": "task", "tasks": "task", "todo": "task", "ticket": "ticket",
    "tickets": "ticket", "record": "record", "records": "record", "row": "row", "entry": "entry", "draft": "draft",
    "payment": "payment", "payments": "payment", "booking": "booking", "quote": "quote", "contract": "contract",
    "reimbursement": "claim", "purchase order": "order", "customer": "customer", "product": "product",
    "item": "item", "result": "item", "results": "item",
}  # fmt: skip
ID_NOUNS = {"INV": "invoice", "BILL": "invoice", "PO": "order", "ORD": "order", "SO": "order", "EXP": "claim",
            "CLM": "claim", "CLAIM": "claim",
            "TKT": "ticket", "TICKET": "ticket", "REC": "receipt", "TASK": "task"}  # fmt: skip
"""What an id's letters usually stand for."""
NAMED_BY_NUMBER = words_of("address code date due id name no no. number reference size subject title")
"""After a noun these make one fact: invoice number, e-mail address, file name."""

PICKS = {
    "latest": "latest", "newest": "latest", "most recent": "latest", "recent": "latest", "oldest": "oldest", "earliest": "oldest",
    "largest": "largest", "highest": "largest", "biggest": "largest", "most expensive": "largest", "greatest": "largest",
    "smallest": "smallest", "lowest": "smallest", "cheapest": "smallest", "least expensive": "smallest", "first": "first",
    "top": "first", "last": "last", "bottom": "last", "second": "second", "third": "third",
}  # fmt: skip
FILTERS = (
    "unpaid", "overdue", "paid", "unread", "read", "open", "pending", "closed", "approved", "rejected", "draft", "sent", "due",
    "starred", "flagged", "urgent", "cancelled", "outstanding", "active", "new", "returned", "shared", "archived", "disputed",
)  # fmt: skip

FIELD_WORDS = words_of(
    "account address amount attendees balance body category cc city code comment comments company cost country "
    "currency customer date day department description discount due email employee end fee guests iban location memo "
    "merchant message method name notes number payee phone price priority project purpose quantity rate reason "
    "receipt recipient reference start status subject subtotal sum supplier tax text time title to total total_due "
    "type vat vendor"
)
"""Words that fields and facts are usually called."""

PRONOUNS = words_of(
    "all|all of it|all of them|both|both of them|everything|it|that|that amount|that number|that value|the amount|"
    "the amounts|the answer|the data|the details|the facts|the figure|the figures|the information|the number|"
    "the numbers|the result|the results|the text|the value|the values|them|these|these values|this|this amount|"
    "this value|those|those values"
)
KINDRED = (
    ("total", "amount", "sum", "amount due", "total due", "balance due", "grand total", "amount payable", "price",
    "cost", "value",
     "total amount", "invoice total", "gross", "total payable", "betrag", "charge", "how much"),
    ("subtotal", "net", "net amount", "amount before tax"),
    ("tax", "vat", "sales tax", "gst", "mwst"),
    ("vendor", "supplier", "merchant", "payee", "company", "seller", "biller", "vendor name", "issuer", "store", "provider"),
    ("date", "day", "invoice date", "issue date", "issued", "issued on", "date of expense", "expense date", "when"),
    ("due date", "due", "pay by", "payable by", "due on", "deadline", "payment due"),
    ("description", "purpose", "reason", "memo", "comment", "comments", "details", "justification", "remarks", "what for"),
    ("invoice number", "invoice no", "reference", "invoice id", "invoice", "ref", "number", "document number", "invoice ref",
     "reference number", "bill number"),
    ("recipient", "to", "recipients", "send to", "addressee", "e-mail to"),
    ("message", "body", "text", "content", "contents", "note text", "mail text", "note", "notes"),
    ("title", "name", "heading", "note title", "called"),
    ("subject", "topic", "re", "subject line"),
    ("sender", "from", "author"),
    ("category", "type", "kind", "expense type", "expense category", "class"),
    ("e-mail", "email", "mail", "email address", "e-mail address", "mail address"),
    ("phone", "telephone", "phone number", "mobile", "tel"),
    ("status", "state", "progress"),
    ("quantity", "qty", "count", "number of items"),
    ("address", "street", "street address", "postal address"),
    ("location", "place", "where", "venue", "room"),
)  # fmt: skip
"""Groups of names for one thing. A name in two groups belongs to the first that holds it exactly."""

MONTHS = (
    r"jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?"
)

KEY_NAMES = {
    "ctrl": "Control", "control": "Control", "cmd": "Meta", "command": "Meta", "meta": "Meta", "alt": "Alt", "option": "Alt",
    "shift": "Shift", "enter": "Enter", "return": "Enter", "esc": "Escape", "escape": "Escape", "tab": "Tab", "space": " ",
    "delete": "Delete", "del": "Delete", "backspace": "Backspace", "up": "ArrowUp", "down": "ArrowDown", "left": "ArrowLeft",
    "right": "ArrowRight", "home": "Home", "end": "End", "pageup": "PageUp", "page up": "PageUp", "pagedown": "PageDown",
    "page down": "PageDown", **{f"f{n}": f"F{n}" for n in range(1, 13)},
}  # fmt: skip

LANGUAGES = {
    "german": "Deutsch", "french": "Français", "spanish": "Español", "chinese": "中文", "italian": "Italiano",
    "dutch": "Nederlands",
    "portuguese": "Português", "polish": "Polski", "japanese": "日本語", "russian": "Русский", "english": "English",
}  # fmt: skip
"""What languages are called in lists that name each in its own."""
WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")

# Words for what stands on pages: kinds of things, ordinals, superlatives, names that mean the same.

KINDS: dict[str, str] = {
    r"(?:radio|option)\s?buttons?|check\s?-?boxe?s?|tick\s?-?boxe?s?|radios?|switch(?:es)?|toggles?": "box",
    r"(?:text|search|input|entry)?\s?-?(?:fields?)|text\s?-?box(?:es)?|(?:search|input|text)\s?-?(?:box(?:es)?|bars?)"
    r"|inputs?|entry boxes?": "field",
    r"text\s?-?areas?|paragraphs?|passages?|sentences?|text|article": "area",
    r"buttons?|btn": "button",
    r"(?:hyper)?links?": "link",
    r"tabs?": "tab",
    r"sliders?|range controls?": "slider",
    r"spinners?|steppers?|number (?:fields?|box(?:es)?)": "field",
    r"(?:drop\s?-?downs?|select|pull\s?-?down|scroll|scrolling)?\s?-?(?:lists?|menus?)|drop\s?-?downs?(?:\s+(?:list|menu|box))?"
    r"|combo\s?box(?:es)?|select(?:ion)? box": "list",
    r"(?:dialogs?|dialogues?|modals?|pop\s?-?ups?|message)\s?(?:box(?:es)?|windows?)?": "dialog",
    r"sections?|panels?|accordions?|folders?|collapsibles?|headers?": "section",
    r"icons?|images?|pictures?|symbols?": "icon",
    r"items?|entr(?:y|ies)|options?|rows?|elements?|controls?|things?|boxe?s?|choices?|menu ?items?": "item",
}  # fmt: skip
KIND = re.compile(
    r"(?<!\S)(?=\S)(?:" + "|".join(f"(?P<k{n}>{pattern})" for n, pattern in enumerate(KINDS)) + r")(?!\w)", re.IGNORECASE
)
_NAMES = tuple(KINDS.values())
ARTICLE = re.compile(r"^(?:the|a|an|this|that|these|those|its|your|my|any|some|of)\s+", re.IGNORECASE)
_ORDINALS = {
    "first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9,
    "tenth": 10, "last": -1, "final": -1, "bottom": -1, "top": 1,
}  # fmt: skip
ORDINAL = re.compile(
    rf"\b(?:(?P<n>\d+)(?:st|nd|rd|th)|(?P<w>{'|'.join(_ORDINALS)}))\b(?P<end>[\s-]+(?:to|from)[\s-]+(?:the[\s-]+)?last)?", re.I
)
EVERY = re.compile(r"^(?:both|all|every|each)\b(?:\s+(?:of\s+)?(?:the|these|those))?\s*", re.IGNORECASE)
NUMBERS = {
    "no": 0, "zero": 0, "one": 1, "a": 1, "an": 1, "single": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7,
    "eight": 8, "nine": 9, "ten": 10,
}  # fmt: skip
COUNT = rf"\d+|{'|'.join(sorted(NUMBERS, key=len, reverse=True))}"
NOTHING = re.compile(r"^(?:nothing|none|no\s+\w+|none of (?:them|these|the \w+))$", re.IGNORECASE)
ALL = re.compile(r"^(?:everything|all(?:\s+of\s+(?:them|these|it))?|all\s+(?:the\s+)?(?:items|options|boxes|checkboxes))$", re.I)

EXTREMES: dict[str, tuple[bool, str]] = {
    "cheapest": (False, "price"), "least expensive": (False, "price"), "most expensive": (True, "price"),
    "priciest": (True, "price"), "longest": (True, "duration"), "shortest": (False, "duration"), "quickest": (False, "duration"),
    "fastest": (False, "duration"), "slowest": (True, "duration"), "earliest": (False, "time"), "soonest": (False, "time"),
    "latest": (True, "time"), "newest": (True, "date"), "oldest": (False, "date"), "most recent": (True, "date"),
    "lowest": (False, ""), "smallest": (False, ""), "least": (False, ""), "minimum": (False, ""), "highest": (True, ""),
    "largest": (True, ""), "biggest": (True, ""), "greatest": (True, ""), "most": (True, ""), "maximum": (True, ""),
}  # fmt: skip
"""Superlative: whether the most is meant, and of what where no attribute is named."""
EXTREME = re.compile(rf"\b(?P<x>{'|'.join(sorted(EXTREMES, key=len, reverse=True))})\b", re.IGNORECASE)

SAME: tuple[frozenset[str], ...] = (
    frozenset({"x", "×", "✕", "✖", "close", "dismiss", "schließen", "fermer", "cerrar"}),
    frozenset({"ok", "okay"}),
    frozenset({"log in", "login", "sign in", "log on", "anmelden", "einloggen", "se connecter", "iniciar sesión"}),
    frozenset({"submit", "done", "finish", "send", "absenden", "senden", "abschicken", "envoyer", "enviar"}),
    frozenset({"next", ">", "›", "»", "→", "next page", "forward", "weiter", "suivant", "siguiente"}),
    frozenset({"previous", "prev", "<", "‹", "«", "←", "back", "zurück", "retour", "atrás", "volver"}),
    frozenset({"+", "add", "plus", "increase", "more", "add one", "add to cart"}),
    frozenset({"-", "−", "minus", "decrease", "less", "remove one"}),
    frozenset({"trash", "delete", "remove", "bin", "move to trash", "löschen", "entfernen", "supprimer", "eliminar", "borrar"}),
    frozenset({"save", "speichern", "enregistrer", "guardar"}),
    frozenset({"cancel", "abbrechen", "annuler", "cancelar"}),
    frozenset({"edit", "bearbeiten", "modifier", "editar"}),
    frozenset({"accept", "accept all", "akzeptieren", "alle akzeptieren", "accepter", "tout accepter", "aceptar"}),
    frozenset({"reject", "reject all", "decline", "ablehnen", "alle ablehnen", "refuser", "tout refuser", "rechazar"}),
    frozenset({"download", "herunterladen", "télécharger", "descargar"}),
    frozenset({"log out", "logout", "sign out", "abmelden", "se déconnecter", "cerrar sesión"}),
    frozenset({"star", "important", "favorite", "favourite"}),
    frozenset({"search", "find", "go", "🔍", "suchen", "rechercher", "buscar"}),
)
"""Names of controls that do the same."""


def kind_of(match: re.Match[str]) -> str:
    """The kind that KIND matched."""
    return next(_NAMES[n] for n in range(len(_NAMES)) if match[f"k{n}"])


def ordinal_of(match: re.Match[str]) -> int:
    """1 for `first` and `1st`, -1 for `last`, -2 for `second to last`."""
    number = int(match["n"]) if match["n"] else _ORDINALS[match["w"].casefold()]
    return -number if match["end"] else number


def count_of(words: str) -> int:
    folded = words.casefold()
    return int(folded) if folded.isdigit() else NUMBERS[folded]


def plain(text: str) -> str:
    """Folded, with single blanks, without punctuation at either end; a lone sign stays."""
    folded = " ".join(text.split()).casefold()
    return re.sub(r"^[^\w#$€£+<>-]+|[^\w%+<>]+$", "", folded) or folded
