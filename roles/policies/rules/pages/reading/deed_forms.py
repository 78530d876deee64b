"""Sentences that name a deed and a thing: `archive the message from Klara`, `log in as kim`, `drag A to B`, `search for tea`."""

from __future__ import annotations

import re
from dataclasses import replace

from roles.policies.rules.pages.reading import clauses as p
from roles.policies.rules.pages.reading.things import thing_of
from roles.policies.rules.pages.reading.values import IT, Found, Reading, source_of
from roles.screen.language.clauses import PageClause
from roles.screen.language.lexicon import EXTREME
from roles.screen.language.masks import ANY
from roles.screen.page import Thing

_ART = r"(?:(?:die|der|das|den|dem|des|ein|eine|einen|einem|mein|meine|meinen)\s+)?"
_VALUE = rf"(?P<v>{ANY}|.+?)"
_WHAT = rf"{_ART}(?P<f>{ANY}|.+?)"
_FIELD = r"(?:(?:Feld|Eingabefeld|Textfeld)\s+)?"
_STEMS = (
    "klick drück tipp gib geb trag schreib wähl schalt setz stell hak kreuz aktivier deaktivier öffn schließ lösch entfern such "
    "meld speicher send schick bestätig lehn akzeptier füg füll bearbeit änder geh lad bestell buch kauf merk kopier nimm leg"
)
_SAYS = re.compile(rf"\b(?:{_STEMS.replace(' ', '|')})(?:e|en|n)?\b", re.IGNORECASE)
_ENGLISH = re.compile(
    r"\b(?:the|and|then|click|press|enter|choose|select|set|turn|open|with|for|to|into|from|type|fill)\b", re.IGNORECASE
)
_CUT = re.compile(
    rf"(?:\s*[,;]\s*(?:und\s+)?(?:dann\s+|danach\s+)?|\s+und\s+(?:dann\s+|danach\s+)?|\.\s+(?:dann\s+)?)(?={_SAYS.pattern})",
    re.IGNORECASE,
)
_LEAD = re.compile(r"^(?:(?:bitte|nun|jetzt|dann|danach|zuerst|anschließend|zum schluss)\b[\s,]*)+", re.IGNORECASE)
_END = re.compile(r"\s+(?:ein|aus|an|ab|um|hinzu)$", re.IGNORECASE)
_EACH = re.compile(r"\s*,\s*(?:und\s+)?|\s+und\s+", re.IGNORECASE)
_AS_FIRST = re.compile(
    rf"^(?:als|bei|für|unter|ins?)\s+{_ART}{_FIELD}(?P<f>{ANY}|[^\s,]+(?:\s+[a-zäöü][^\s,]*)*)\s+(?P<v>{ANY}|.+)$", re.IGNORECASE
)
_AS_LAST = re.compile(rf"^{_ART}{_VALUE}\s+(?:als|bei|in(?:s)?|unter)\s+{_ART}{_FIELD}(?P<f>{ANY}|.+)$", re.IGNORECASE)
_OF = re.compile(rf"^(?:den|die|das)\s+(?P<a>\S+)\s+(?:vom|von|der|des|für)\s+{_ART}(?P<row>.+)$", re.IGNORECASE)
_FORMS: tuple[tuple[str, str], ...] = (
    (rf"(?:klick|drück|tipp)(?:e|en)?\s+(?:auf\s+|in\s+)?{_ART}(?:(?:Knopf|Schaltfläche|Button|Link)\s+)?{_WHAT}", "click {f}"),
    (rf"(?:schalt(?:e|en)?|mach(?:e|en)?)\s+{_WHAT}\s+(?:ein|an)", "turn on {f}"),
    (rf"(?:schalt(?:e|en)?|mach(?:e|en)?)\s+{_WHAT}\s+(?:aus|ab)", "turn off {f}"),
    (rf"(?:hak|kreuz)(?:e|en)?\s+{_WHAT}\s+an|aktivier(?:e|en)?\s+(?:{_ART})(?P<g>.+)", "turn on {f}"),
    (rf"deaktivier(?:e|en)?\s+{_WHAT}", "turn off {f}"),
    (rf"öffn(?:e|en)?\s+{_WHAT}", "open {f}"),
    (rf"(?:lösch|entfern)(?:e|en)?\s+{_WHAT}", "delete {f}"),
    (rf"such(?:e|en)?\s+nach\s+{_WHAT}", "search for {f}"),
    (rf"lehn(?:e|en)?\s+{_WHAT}\s+ab", "reject {f}"),
    (rf"(?:akzeptier(?:e|en)?|stimm(?:e|en)?)\s+{_WHAT}(?:\s+zu)?", "accept {f}"),
    (rf"bestätig(?:e|en)?\s+{_WHAT}", "confirm {f}"),
    (rf"bearbeit(?:e|en)?\s+{_WHAT}", "edit {f}"),
    (rf"lad(?:e|en)?\s+{_WHAT}\s+herunter", "download {f}"),
    (rf"(?:änder|setz|stell)(?:e|en|n)?\s+{_WHAT}\s+(?:auf|in)\s+{_VALUE}(?:\s+um)?", "set {f} to {v}"),
    (rf"füg(?:e|en)?\s+{_WHAT}\s+(?:zu[rm]\s+\S+\s+)?hinzu", "add {f}"),
    (r"speicher(?:e|n)?(?:\s+(?:es|das formular|die änderungen|alles))?(?:\s+ab)?", "save"),
    (r"(?:send|schick)(?:e|en)?\s+(?:es|das formular|die nachricht|alles)?\s*ab", "submit"),
    (r"(?:bestätig|bestell)(?:e|en)?", "confirm"),
    (rf"meld(?:e|en)?\s+dich\s+(?:als\s+|mit\s+)(?:dem\s+Benutzer(?:namen)?\s+)?(?P<f>{ANY}|\S+)\s+(?:mit|und)\s+(?:dem\s+)?"
     rf"Passwort\s+(?P<v>{ANY}|\S+)\s+an",
     "log in as {f} with the password {v}"),
)  # fmt: skip
_READ = tuple((re.compile(rf"^{pattern}$", re.IGNORECASE), english) for pattern, english in _FORMS)
_ENTERS = re.compile(r"^(?:gib|geben|trag(?:e|en)?|schreib(?:e|en)?|tipp(?:e|en)?)\s+(?P<rest>.+)$", re.IGNORECASE)
_CHOSEN = re.compile(r"^wähl(?:e|en)?\s+(?P<rest>.+)$", re.IGNORECASE)


_MOST = {
    "teuer": "most expensive", "billig": "cheapest", "günstig": "cheapest", "neu": "newest", "ält": "oldest", "höch": "highest",
    "niedrig": "lowest", "größ": "largest", "klein": "smallest", "läng": "longest", "kürz": "shortest", "schnell": "fastest",
    "früh": "earliest", "spät": "latest",
}  # fmt: skip
_SUPERLATIVE = re.compile(rf"\b({'|'.join(_MOST)})e?s?te[nrsm]?\b", re.IGNORECASE)


def in_english(hidden: str) -> list[tuple[str, tuple[str, ...]]] | None:
    """Each order as it was said, and in English; None where the goal is not all German orders that are known."""
    if _SAYS.match(_LEAD.sub("", hidden)) is None or len(_ENGLISH.findall(hidden)) > 1:
        return None
    found = []
    for part in re.split(_CUT, hidden):
        said = _LEAD.sub("", part.strip(" .!,"))
        orders = _order(_SUPERLATIVE.sub(lambda word: _MOST[word[1].casefold()], said))
        if not orders:
            return None
        found.append((part.strip(" .!,"), orders))
    return found


def _order(words: str) -> tuple[str, ...]:
    if match := _ENTERS.match(words):
        return _each(_END.sub("", match["rest"]), "enter {v} into the {f} field")
    if match := _CHOSEN.match(words):
        rest = _END.sub("", match["rest"])
        return _each(rest, "choose {v} as the {f}") or (f"select {re.sub(rf'^{_ART}', '', rest, flags=re.IGNORECASE)}",)
    for pattern, english in _READ:
        if match := pattern.match(words):
            known = {name: value for name, value in match.groupdict().items() if value is not None}
            return (english.format(**{"f": known.get("g", ""), **known}),)
    return ()


def _each(rest: str, english: str) -> tuple[str, ...]:
    """`als Vorname Eva, als Nachname Huber`; `Eva als Vorname`; `den Preis vom Stuhl in das Feld Antwort`."""
    found = []
    for part in _EACH.split(rest):
        match = _AS_FIRST.match(part) or _AS_LAST.match(part)
        if match is None:
            return ()
        value, head = match["v"].strip(), part[: match.start("v")]
        if re.search(r"\b(?:den|die|das)\s+$", head, re.IGNORECASE) and (of := _OF.match(f"den {value}")):
            value = f"the {of['a']} of {of['row']}"
        found.append(english.format(v=value, f=match["f"].strip()))
    return tuple(found)


_ARTICLES = r"(?:(?:the|a|an|your|my|our|its|their|his|her)\s+)?"
_AND = re.compile(r"\s*[,;]\s+(?:and\s+)?|\s+and\s+", re.IGNORECASE)
_SETS = re.compile(r"^(?:set|change|adjust|switch)\s+(?P<rest>.+)$", re.IGNORECASE)
_FILLS = re.compile(
    r"^(?:(?:fill(?: in| out| up)?|complete)\s+"
    r"(?P<form>(?:the|a|this|your)\s+(?:[\w-]+\s+){0,4}?(?:(?:form|fields|details|page|data)(?=\s*:|\s)|[\w-]+(?=:)))"
    r"\s*(?::|with|using|as follows:?)|(?:enter|type(?: in)?|write|input|insert|key in|fill in|provide|give))\s+(?P<rest>.+)$",
    re.IGNORECASE,
)
_CHOOSES = re.compile(r"^(?:select|choose|pick)\s+(?P<rest>.+)$", re.IGNORECASE)
_TO = re.compile(rf"^{_ARTICLES}(?P<name>.+?)\s+(?:to|=)\s+(?P<value>.+)$", re.IGNORECASE)
_AS = re.compile(rf"^(?P<value>.+?)\s+(?:as|for|into|in|to)\s+{_ARTICLES}(?P<name>.+)$", re.IGNORECASE)
_ONLY_AS = re.compile(rf"^(?P<value>.+?)\s+as\s+{_ARTICLES}(?P<name>[^\W\d_][\w /'-]*)$", re.IGNORECASE)
_INTO_FIELD = re.compile(
    rf"^(?P<value>.+?)\s+(?:into|in|to|under)\s+{_ARTICLES}(?P<name>[\w /'-]+?)\s+(?:field|box|input)$", re.IGNORECASE
)
_COUNTED = re.compile(r"^(?P<value>\d+)\s+(?P<name>[a-z]{3,})$")
_FOR = re.compile(rf"^(?P<value>.+?)\s+(?:as|for)\s+{_ARTICLES}(?P<name>{ANY}|[^\W\d_][\w /'-]*)$", re.IGNORECASE)
_STARTS = re.compile(rf"(?:{ANY}|[^\W\d_a-zß-ÿ]|[\d@#+$€£-]|\S+@\S+\.\w)")
"""How a value begins that is not quoted: with a capital, a letter of a script without capitals, a digit, a sign."""
_BARE = re.compile(ANY)
_FIELDS = re.compile(r"\s+(?:in|into)\s+the\s+(?:[\w-]+\s+){0,2}(?:fields|boxes|inputs|form)$", re.IGNORECASE)
_DAY = re.compile(r"^(?:the\s+)?(?P<value>.+?)\s+(?:in|on|from|with|using)\s+the\s+(?:calendar|date ?picker)$", re.IGNORECASE)
_LINKS = frozenset({"is", "as", "to", "of", "="})
_PLAIN = frozenset({"word", "text", "value", "phrase", "string", "it", "that", "this", "option", "options", "item", "items"})
"""What stands before a value and names no field."""


def fields(words: str, reading: Reading) -> Found:
    """Every part of the list is a value with its field; None where one is not."""
    if match := _SETS.match(words):
        return _all(match["rest"], reading, _set_to)
    if match := _FILLS.match(words):
        parts = _AND.split(match["rest"].strip())
        if match["form"] is None and len(parts) < 2 and not _ONLY_AS.match(match["rest"]):
            return None  # one value is the business of the plainer forms
        return _all(_FIELDS.sub("", match["rest"]), reading, _filled)
    match = _CHOOSES.match(words)
    if match is None or EXTREME.search(match["rest"]):
        return None
    return _chosen(match["rest"], reading)


def _all(rest: str, reading: Reading, read: object) -> Found:
    found: list[PageClause] = []
    for part in _AND.split(rest.strip(" .,")):
        clause = read(part.strip(), reading, bool(found))  # type: ignore[operator]
        if clause is None:
            return None
        found += clause
    return found or None


def _put(value: str, name: str, reading: Reading) -> list[PageClause]:
    thing = thing_of(name, reading.masks)
    thing = replace(thing, name=thing.name or thing.words)
    source = source_of(value, reading)
    if source.given or source.fact:
        return [p.Put(source=source, thing=thing)]
    fact = reading.masks.show(value).strip()
    return [p.Learn(source=source, name=fact), p.Put(source=p.Source(fact=fact), thing=thing)]


def _set_to(part: str, reading: Reading, later: bool) -> Found:
    match = _TO.match(part)
    if match is None or len(match["name"].split()) > 5 or _BARE.search(match["name"]):
        return None
    return list(_put(match["value"], match["name"], reading))


def _filled(part: str, reading: Reading, later: bool) -> Found:
    """`city Graz`, `Graz as the city`, `"Graz" into the City field`; a lone quoted text is something to choose."""
    if asked := _ONLY_AS.match(part):
        if _STARTS.match(asked["value"]) or (" of " in asked["value"] and not source_of(asked["value"], reading).given):
            return list(_put(asked["value"], asked["name"], reading))
        return None
    if into := _INTO_FIELD.match(part):
        return list(_put(into["value"], into["name"], reading))
    if counted := _COUNTED.match(part):
        return list(_put(counted["value"], counted["name"], reading))
    if re.fullmatch(ANY, part):
        return [p.Choose(names=reading.masks.show(part))] if later else None
    pair = _pair(part)
    if pair is not None and (len(pair[1]) == 1 or not _BARE.search(pair[1])):
        return list(_put(pair[1], pair[0], reading))
    into = _AS.match(part)
    if into is not None and _STARTS.match(into["value"]) and len(into["value"].split()) <= 4:
        return list(_put(into["value"], into["name"], reading))
    return None


def _pair(part: str) -> tuple[str, str] | None:
    """The name and the value of `date of birth 2 June 1990`: the value begins where a value can begin."""
    bare = re.sub(rf"^(?:with|using)\s+|^{_ARTICLES}", "", part, flags=re.IGNORECASE)
    words = bare.split()
    if words and (_STARTS.match(words[0]) and not words[0].replace("-", "").isalpha()):
        return None
    for n in range(1, min(len(words), 6)):
        if not _STARTS.match(words[n]):
            continue
        name = " ".join(words[: n - 1] if n > 1 and words[n - 1] in _LINKS else words[:n]).rstrip(" :=")
        if not name or name.casefold() in _PLAIN or re.search(rf"[,;]|{ANY}", name):
            return None
        return name, " ".join(words[n:])
    return None


def _chosen(rest: str, reading: Reading) -> Found:
    """`Austria as the country`, `the languages German and Hungarian`, `the colour Green`, `A for X and B for Y`."""
    if reading.holder is not None:
        thing, reading.holder = reading.holder, None
        return [p.Put(source=p.Source(text=_bare(rest, reading)), thing=thing)]
    if day := _DAY.match(rest):
        return [p.Put(source=p.Source(text=_bare(day["value"], reading)), thing=Thing(kind="field", words="calendar"))]
    each = [_FOR.match(part) for part in _AND.split(rest)]
    if all(each) and not (len(each) == 1 and EXTREME.search(rest)):
        return [p.Put(source=p.Source(text=_bare(m["value"], reading)), thing=_named(m["name"], reading)) for m in each if m]
    if asked := _ONLY_AS.match(rest):
        value = ", ".join(_bare(value, reading) for value in _AND.split(asked["value"]))
        return [p.Put(source=p.Source(text=value), thing=_named(asked["name"], reading))]
    if (pair := _pair(rest)) is not None and not _AND.search(pair[0]):
        kind = thing_of(pair[0], reading.masks)
        if kind.kind and not kind.name:
            return None  # `the option Green`, `the tab "Two"`: words for a kind name no field
        values = [_bare(v, reading) for v in _AND.split(pair[1])]
        return [p.Put(source=p.Source(text=", ".join(values)), thing=_named(pair[0], reading))]
    return None


def _bare(value: str, reading: Reading) -> str:
    """The text of a value; of `the airport "VIE"` what is quoted."""
    quoted = re.findall(ANY, value)
    if len(quoted) == 1 and re.fullmatch(rf"{_ARTICLES}(?:[\w-]+\s+){{0,3}}{ANY}", value, re.IGNORECASE):
        return reading.masks.show(quoted[0])
    return re.sub(rf"^{_ARTICLES}", "", reading.masks.show(value).strip(), flags=re.IGNORECASE)


def _named(name: str, reading: Reading) -> Thing:
    thing = thing_of(name, reading.masks)
    return replace(thing, name=thing.name or thing.words)


_THE = r"(?:(?:the|a|an|your|my|our|its|this|that|these|those|all|all the)\s+)?"
DEEDS = (
    r"accept|agree(?: to)?|add|apply|approve|archive|assign|attach|back up|block|bookmark|buy|call|cancel|check out|"
    r"claim|clone|close|complete|confirm|connect|continue|create|deactivate|disconnect|enrol|enroll|decline|delete|deny|"
    r"discard|download|duplicate|edit|empty|erase|export|favou?rite|file|finish|flag|follow|forward|go to|hand in|hide|"
    r"ignore|import|install|invite|join|launch|leave|like|listen to|load|log ?out|merge|mute|notify|order|pause|pay|pin|"
    r"place|play|post|print|publish|purchase|quit|rate|redeem|refresh|refuse|register|reject|reload|remind|remove|rename|"
    r"renew|reopen|reply to|report|request|resend|reserve|reset|restart|restore|resume|retry|revoke|run|save|schedule|"
    r"send|share|show|snooze|sign (?:in|out|up)|star|start|stop|store|submit|subscribe|suspend|sync|take|test|track|"
    r"trash|unarchive|unblock|undo|unfollow|uninstall|unlock|unmute|unpin|unstar|unsubscribe|update|upgrade|upload|use|"
    r"verify|view|visit|vote(?: for)?|watch"
)
"""Verbs that a control may be called by."""
_DEED = re.compile(rf"^(?P<verb>{DEEDS})(?:\s+(?P<rest>.+))?$", re.IGNORECASE)
_NAME = re.compile(
    r"(?:^|\s)(?:from|of|for|by|called|named|titled|with(?: the)? (?:name|title|subject))\s+"
    rf"(?P<name>{ANY}|[^\W\d_a-zß-ÿ].*|[\d#].*)$"
)
_TAIL = re.compile(rf"(?:^|\s)(?P<name>{ANY}|[^\W\d_a-zß-ÿ][^,]*|[#\d][\w-]*)$")
_PLACE = re.compile(
    r"^(?P<how>on|in|at|under|within|inside|for|from)\s+(?:the\s+)?(?P<what>.+?)$",
    re.IGNORECASE,
)
_PLACED = re.compile(
    rf"^(?:on|in|at|under|within|inside)\s+the\s+(?P<what>(?:[\w-]+\s+){{0,3}}?(?:tab|section|menu|panel|accordion|sidebar)(?:\s+{ANY})?"
    rf"|{ANY}\s+(?:tab|section|menu|panel|accordion))\s*,?\s+(?P<rest>\w.+)$",
    re.IGNORECASE,
)
_WITHIN = re.compile(
    rf"\s+(?:in|on|under|from)\s+the\s+(?P<what>(?:tab|section|panel|accordion)\s+{ANY}|{ANY}\s+(?:tab|section|panel|accordion)"
    r"|[^\W\d_a-z][\w-]*\s+(?:tab|section|panel|accordion))$"
)
_DRAG = re.compile(r"^(?:drag|drop|move)\s+(?P<what>.+?)\s+(?:to|onto|on|into|in)\s+(?P<to>.+)$", re.IGNORECASE)
_FILE = re.compile(rf"^(?:upload|attach)\s+{_THE}(?:files?\s+|document\s+|picture\s+|photo\s+)?(?P<file>{ANY}|[\w.-]+\.\w{{2,5}})"
                   rf"(?:\s+(?:as|to|for|in|into)\s+(?P<to>.+))?$", re.IGNORECASE)  # fmt: skip
_SEEK = re.compile(rf"^(?:search(?:\s+(?:the\s+\w+|here))?\s+for|look for)\s+(?P<query>{ANY}|.+)$", re.IGNORECASE)
_LOG_IN = re.compile(
    rf"^(?:log|sign)[ -]?in(?:to\s+(?:the\s+)?\S+)?\s+(?:as|with)\s+{_THE}"
    r"(?:(?:user ?name|user|login|name|e-?mail(?: address)?)\s+)?"
    rf"(?P<user>{ANY}|\S+)(?:\s*,?\s*(?:and|with|using)(?:\s+with)?\s+{_THE}password\s+(?P<password>{ANY}|\S+))?$",
    re.IGNORECASE,
)
_SUBSCRIBE = re.compile(
    rf"^(?P<verb>subscribe|sign up|register|join|unsubscribe)\b(?P<rest>.*?)\s+(?:with|as|using)\s+{_THE}"
    rf"(?:(?:e-?mail|address|e-?mail address)\s+)?"
    rf"(?P<mail>{ANY}|\S+@\S+\.\w+)$",
    re.IGNORECASE,
)


def placed(words: str, reading: Reading) -> tuple[list[PageClause], str] | None:
    """`on the Notifications tab turn off X`: what has to be open first, and what is left to do."""
    match = _PLACED.match(words)
    if match is None:
        return None
    return [p.Unfold(thing=thing_of(match["what"], reading.masks))], match["rest"]


def place(words: str, reading: Reading) -> Found:
    """`in the section "Payment"`, before what is done there; `for the room`, before what is chosen for it."""
    match = _PLACE.match(words)
    if match is None or len(match["what"].split()) > 5:
        return None
    thing = thing_of(match["what"], reading.masks)
    if match["how"].casefold() in {"for", "from"}:
        if match["how"].casefold() == "from":
            return None
        reading.holder = replace(thing, name=thing.name or thing.words)
        return [p.Look(thing=replace(thing, kind="holder", name=thing.name or thing.words))]
    return [p.Unfold(thing=thing)] if thing.kind and (thing.name or thing.nth) else None


def drag(words: str, reading: Reading) -> Found:
    match = _DRAG.match(words)
    if match is None or re.fullmatch(r"[-+]?\d+(?:[.,]\d+)?\s*%?", reading.masks.show(match["to"]).strip()):
        return None  # a number is where a slider goes
    what, to = thing_of(match["what"], reading.masks), thing_of(match["to"], reading.masks)
    if words.split()[0].casefold() == "move" and not re.search(ANY, match["what"]):
        return None
    return None if what.kind == "slider" else [p.DragTo(thing=what, to=to)]


def attach(words: str, reading: Reading) -> Found:
    match = _FILE.match(words)
    if match is None:
        return None
    return [
        p.Attach(file=reading.masks.show(match["file"]), thing=thing_of(match["to"], reading.masks) if match["to"] else Thing())
    ]


def seek(words: str, reading: Reading) -> Found:
    match = _SEEK.match(words)
    return [p.Seek(query=reading.masks.show(match["query"]).strip())] if match else None


def sign_in(words: str, reading: Reading) -> Found:
    """`log in as U with the password P`, `subscribe to the newsletter with a@b.org`."""
    if match := _LOG_IN.match(words):
        found: list[PageClause] = [p.Put(source=source_of(match["user"], reading), thing=_field("user name"))]
        if match["password"]:
            found.append(p.Put(source=source_of(match["password"], reading), thing=_field("password")))
        return [*found, p.Push(thing=Thing(name="log in", words="log in"))]
    if match := _SUBSCRIBE.match(words):
        mail = p.Put(source=source_of(match["mail"], reading), thing=_field("e-mail"))
        return [mail, p.Deed(verb=match["verb"].casefold(), words=reading.masks.show(match["rest"]).strip())]
    return None


def _field(name: str) -> Thing:
    return Thing(name=name, kind="field", words=name)


_CONFIRMS = re.compile(rf"^(?P<first>.+?)\s+and\s+confirm\s+with\s+(?:{ANY}|\w+)$", re.IGNORECASE)
_TO_WHAT = re.compile(r"\s+(?:to|from|off|on)\s+(?:the|my|our|your|this)\s+[a-z][a-z ]*$")
_ANSWER = re.compile(rf"^(?:confirm|answer)(?:\s+.+?)?\s+with\s+(?:the\s+)?(?P<what>{ANY}|\w+)(?:\s+button)?$", re.IGNORECASE)


def deed(words: str, reading: Reading) -> Found:
    """A verb that may be a control's own, and what it is done to."""
    if answer := _ANSWER.match(words):
        name = reading.masks.show(answer["what"])
        return [p.Push(thing=Thing(name=name, kind="button", words=name))]
    if confirms := _CONFIRMS.match(words):
        return deed(confirms["first"], reading)  # the question that it brings up is agreed to anyway
    match = _DEED.match(words)
    if match is None:
        return None
    rest = re.sub(r"\s+(?:there|here|now)$", "", match["rest"] or "")
    if match["verb"].casefold() == "go to" and (tab := thing_of(rest, reading.masks)).kind in {"tab", "section"} and tab.name:
        return [p.Unfold(thing=tab)]
    if inner := _WITHIN.search(rest):
        opened = p.Unfold(thing=thing_of(inner["what"], reading.masks))
        return [opened, *(deed(f"{match['verb']} {rest[: inner.start()]}", reading) or [])]
    if IT.match(rest) and reading.unused:
        return None  # `track it`, of a number that was copied: where it is to be written is not said
    if IT.match(rest) or not rest:
        return [p.Deed(verb=match["verb"].casefold())]
    if len(rest.split()) > 9:
        return None
    bare = re.sub(rf"^(?:to|for)\s+|^{_THE}", "", rest, flags=re.IGNORECASE)
    bare = _TO_WHAT.sub("", bare) or bare  # `Butter to the list`: where it goes names no thing
    named = _NAME.search(bare) or _TAIL.search(bare)
    name = reading.masks.show(named["name"]).strip() if named else ""
    return [p.Deed(verb=match["verb"].casefold(), words=reading.masks.show(bare).strip(), name=name)]
