"""Clauses that do something to a record or a device: accept, cancel, post in a chat, switch on, wait and watch."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from roles.policies.rules.phrases import noun_phrase, parse_entity, take_place
from roles.policies.rules.reference import Context, asked_in, reads_for, value_of
from roles.policies.rules.retired.given_forms import CHAT, NAME
from roles.policies.rules.skills.deeds import SIGNED
from roles.screen.language import clauses as c
from roles.screen.language.lexicon import FIELD_WORDS, NOUNS
from roles.screen.language.masks import ANY

Found = list[c.Clause] | None
_FACTS = {
    "name": "name", "company": "company", "firm": "company", "employer": "company", "phone": "phone", "phone number": "phone",
    "number": "phone", "telephone": "phone", "mobile": "phone", "e-mail address": "e-mail", "email address": "e-mail",
    "e-mail": "e-mail", "email": "e-mail",
}  # fmt: skip
_FACT = "|".join(sorted(_FACTS, key=len, reverse=True))
_FROM_MAIL = re.compile(
    r"(?:with\s+)?the\s+(?:e-?mail\s+)?address\s+(?:(?:that\s+)?(?:the|that)\s+mail\s+(?:came|comes|is|was)\s+(?:sent\s+)?from"
    r"|of\s+the\s+sender)",
    re.IGNORECASE,
)
_IN_SIGNATURE = re.compile(
    rf"(?:with\s+)?(?:everything|all|what)\s+(?:that\s+)?the\s+signature\s+says\s*(?:[-–—:,(]\s*)?(?P<list>(?:(?:the\s+)?(?:{_FACT})"
    rf"(?:\s*,\s*(?:and\s+)?|\s+and\s+)?)+)?\s*(?:[-–—,)]\s*)?"
    rf"|(?:with\s+)?(?P<list2>(?:(?:the\s+)?(?:{_FACT})(?:\s*,\s*(?:and\s+)?|\s+and\s+)?)+)\s+(?:from|in|of)\s+the\s+signature",
    re.IGNORECASE,
)


def from_signature(match: re.Match[str], ctx: Context) -> Found:
    """`add that person to my contacts with everything the signature says and with the address the mail came from`."""
    if ctx.entity.noun != "mail" or not ctx.entity.specific:
        return None
    words, own = _FROM_MAIL.subn("", match["what"])
    signed = _IN_SIGNATURE.search(words)
    if signed is None or re.sub(r"[\s,]|\band\b", "", words[: signed.start()] + words[signed.end() :]):
        return None
    said = re.findall(rf"\b(?:{_FACT})\b", signed["list"] or signed["list2"] or "", re.IGNORECASE)
    facts = tuple(dict.fromkeys(_FACTS[fact.casefold()] for fact in said)) or ("name", "company", "phone")
    read = c.Read("", (*(f"{SIGNED}{fact}" for fact in facts), *(("sender",) if own else ())), ctx.entity)
    fields = (*facts, *(("e-mail",) if own else ()))
    app = match["app"].casefold()
    entered = [c.Enter(app, c.Value(facts=(name,)), field) for name, field in zip(read.fact_names(), fields, strict=True)]
    return [read, *entered, c.Commit(app, "save", "contact")]


CONTACTS: tuple[tuple[str, Callable[[re.Match[str], Context], Found]], ...] = (
    (
        r"(?i:add|put|enter|save) (?:th(?:at|is) person|him|her|them|(?:the|its) (?:sender|writer)) (?:to|into|in)"
        r" (?:my |the )?(?P<app>contacts|address book),? (?P<what>(?:with|using) .+)",
        from_signature,
    ),
)


APP = "claim"
_THE = re.compile(r"^(?:the|its|their|his|her|my|that|this|an?)\s+", re.IGNORECASE)
_CLAIM = re.compile(
    r"^claim(?:\s+back)?\s+(?P<what>.+?)(?:\s+(?:in|on|with|using) the (?:\w+ )?(?:form|page|app))?"
    r"(?:\s+(?:before that|for me|back|too))*(?:,?\s+with\s+(?P<pairs>.+)|,\s*(?P<apposed>(?:its|the)\s+\w+ as the \w+))?$",
    re.IGNORECASE,
)
_CAME_TO = re.compile(
    r"what (?P<of>.+?) (?:came to|comes to|costs?|is|was)(?: in (?:all|total))?(?:,? (?:shipping|tax|everything) included)?",
    re.IGNORECASE,
)
_ON_IT = re.compile(
    r"^(?:put|enter|write|note|add)\s+(?P<pairs>.+?)\s+(?:on|onto|into|in|to)\s+(?:the|that|this|my)\s+(?:claim|form)$",
    re.IGNORECASE,
)
_BELONGS = re.compile(
    r"^(?P<pairs>.+?)\s+(?:belongs?|goes|go|should(?: also)? (?:go|stand|be)|must(?: also)? be)\s+(?:on|onto|in|into)\s+"
    r"(?:the|that|this|my|each|every)\s+(?:claim|form)(?:,?\s+(?:too|as well))?$", re.IGNORECASE,
)  # fmt: skip
_PART = re.compile(r"\s*,\s*(?:and\s+)?|\s+and\s+", re.IGNORECASE)
_AS = re.compile(r"^(?P<value>.+?)\s+(?:as|for|in|into)\s+(?:the|its)\s+(?P<field>[\w ]+)$", re.IGNORECASE)
_NAMED = re.compile(rf"^(?:the\s+)?(?P<field>[a-z]+(?: [a-z]+)?)\s+(?P<value>{ANY}|[A-Z][\w&’'.-]*(?:\s+[\w&’'.-]+)*)$")


def claim(words: str, ctx: Context) -> Found:
    """`claim the total of INV-7, with the vendor and "Travel" as the category`: read, fill in, submit."""
    match = _CLAIM.match(words)
    if not match:
        return None
    amount = _amount(match["what"], ctx)
    if amount is None:
        return None
    value, entity, reads = amount
    entered = [*reads, c.Enter(APP, value, "amount")]
    for pair in _parts(match["pairs"] or ""):
        more = _entry(pair, entity, ctx)
        if more is None:
            return None
        entered += more
    return _reads_first([*entered, c.Commit(APP, "submit", "claim")])


def _amount(what: str, ctx: Context) -> tuple[c.Value, c.Entity, list[c.Clause]] | None:
    """What is claimed, the record it is a fact of, and the read that it needs."""
    if re.fullmatch(r"(?:that|this|the) (?:amount|sum|figure)|it|that", what, re.IGNORECASE) and ctx.last:
        return c.Value(facts=ctx.last[-1:]), ctx.entity, []
    came = _CAME_TO.fullmatch(what)
    said = re.sub(r"\b(?:whole|entire|complete)\s+", "", came["of"] if came else what)
    phrase = noun_phrase(said, ctx.masks, ctx.apps)
    entity = phrase.entity if phrase.entity.specific else ctx.entity
    if not entity.specific or (phrase.entity.noun and entity.noun and phrase.entity.noun != entity.noun):
        return None
    facts = phrase.facts if not came and phrase.facts else ("total",)
    read = c.Read(phrase.app, facts[:1], entity)
    return c.Value(facts=read.fact_names()), entity, [read]


def _parts(words: str) -> list[str]:
    return [part.strip() for part in _PART.split(words.strip(" ,")) if part and part.strip()]


def _entry(words: str, entity: c.Entity, ctx: Context) -> Found:
    """One value and its field: `"Travel" as the category`, `the order number in the description`, `the vendor`."""
    match = _AS.match(words) or _NAMED.match(words)
    value, field = (match["value"], match["field"].strip().casefold()) if match else (words, "")
    plain = _THE.sub("", value)
    if plain.casefold().split()[-1:] and plain.casefold().split()[-1] in FIELD_WORDS and not re.search(ANY, plain):
        read = c.Read("", (plain.casefold(),), entity)
        return [read, c.Enter(APP, c.Value(facts=read.fact_names()), field or plain.casefold())]
    return [c.Enter(APP, c.Value(ctx.masks.show(plain if match else value)), field)] if field else None


def on_claim(words: str, ctx: Context) -> Found:
    """`put the invoice number and "late" as the description on the claim`; it is submitted with them."""
    match = _ON_IT.match(words) or _BELONGS.match(words.strip(" ,"))
    if not match or not ctx.entity.specific:
        return None
    entered: list[c.Clause] = []
    for pair in _parts(match["pairs"]):
        more = _entry(pair, ctx.entity, ctx)
        if more is None:
            return None
        entered += more
    return [*entered, c.Commit(APP, "submit", _SAME)]


_SAME = "same claim"
"""A commit that takes the place of the one before: more belongs on what it submits."""


def submitted_late(clauses: Sequence[c.Clause]) -> list[c.Clause]:
    """What is added to a claim is entered before the claim is submitted."""
    found: list[c.Clause] = []
    for clause in clauses:
        if isinstance(clause, c.Commit) and clause.thing == _SAME:
            before = next((x for x in reversed(found) if isinstance(x, c.Commit) and x.app == clause.app), None)
            found = [x for x in found if x is not before] if before is not None else found
            found = (
                [*_reads_first(found), replace(clause, thing="claim")]
                if before is not None
                else [*found, replace(clause, thing="claim")]
            )
        else:
            found.append(clause)
    return found


def _reads_first(clauses: Sequence[c.Clause]) -> list[c.Clause]:
    """Facts of one record are read together, before any of them is entered."""
    found: list[c.Clause] = []
    for clause in clauses:
        at = next((i for i, x in enumerate(found) if _together(x, clause)), None)
        first = found[at] if at is not None else None
        if at is not None and isinstance(first, c.Read) and isinstance(clause, c.Read):
            found[at] = replace(first, facts=tuple(dict.fromkeys((*first.facts, *clause.facts))))
        else:
            found.append(clause)
    return found


def _together(first: c.Clause, second: c.Clause) -> bool:
    if not isinstance(first, c.Read) or not isinstance(second, c.Read) or first.names or second.names:
        return False
    return first.entity == second.entity and first.entity.specific


def entity_of(words: str, ctx: Context) -> c.Entity:
    """The record that `words` name."""
    left, _ = take_place(words, ctx.masks, ctx.apps)
    return parse_entity(left, ctx.masks)


CLAIMS = (claim, on_claim)


_IT = r"it|this|that|the (?:mail|order|invitation|event|note|entry)"
_ACTS = r"accept|decline|cancel|archive|merge|approve|reject|confirm|print|restore|star|flag|mute|publish|unsubscribe from"
_ACT = re.compile(rf"^(?P<verb>{_ACTS})\s+(?P<what>.+?)(?:\s+(?:before that|in time|at once|again))?$", re.IGNORECASE)
_CHATS = (
    re.compile(
        rf"^(?i:tell|let|message|inform|answer)\s+(?P<to>{NAME})\s+(?i:(?:know\s+)?in\s+(?:the\s+)?chat)\s*:?\s*(?P<what>.+)$"
    ),
    re.compile(rf"^(?i:tell|let|message|inform|answer|send)\s+(?P<to>{NAME})\s+(?P<what>.+?)\s+(?i:in\s+(?:the\s+)?chat)$"),
    re.compile(rf"^(?i:write|send|say|post)\s+(?P<what>.+?)\s+to\s+(?P<to>{NAME})\s+(?i:in\s+(?:the\s+)?chat)$"),
    re.compile(r"^(?i:write|send|say|post|answer)\s+(?P<what>.+?)\s+(?i:in\s+(?:the\s+)?chat)$"),
    re.compile(r"^(?i:answer)\s+with\s+(?P<what>.+)$"),
)
_AT_END = re.compile(
    r"^(?:put|add|write|append|enter)\s+(?P<what>.+?)\s+(?:at|to)\s+(?:its|the)\s+end(?:\s+of\s+(?P<of>.+))?$", re.IGNORECASE
)
_LEAVE = re.compile(
    r"^(?:leave\s+(?P<what>.+?)\s+(?:alone|untouched|unchanged|as (?:it|they) (?:is|are)|where (?:it|they) (?:is|are))"
    r"|keep\s+(?P<kept>.+?)\s+as (?:it|they) (?:is|are))$", re.IGNORECASE,
)  # fmt: skip
_INTO = re.compile(
    r"^(?:put|enter|write)\s+(?P<what>.+?)\s+(?:in|into|on)\s+(?P<of>.+?)\s+as\s+(?:its|the|their)\s+(?P<field>[a-z][a-z ]*)$",
    re.IGNORECASE,
)
_CHANGE = re.compile(rf"^(?:change|update|correct)\s+(?:{_IT})(?:\s+in\s+(?:my|the)\s+(?P<place>\w+))?$", re.IGNORECASE)
_GIVE = re.compile(rf"^give\s+(?P<of>(?:that|this|the)\s+\w+|it)\s+the\s+(?P<field>\w+)\s+(?P<what>{ANY}|.+)$", re.IGNORECASE)
_SAVE_TO = re.compile(
    r"^(?:save|copy|export|add|forward)\s+(?P<what>.+?)\s+to\s+(?:the|my)\s+(?P<where>notes|calendar|contacts|files)$",
    re.IGNORECASE,
)
_DEVICE = r"light|lights|lamp|thermostat|heating|heater|oven|blinds?|door|window|lock|alarm|fan|plug|speaker|television|tv|boiler"
_SWITCH = re.compile(
    rf"^(?:turn|switch)\s+(?P<way>on|off)\s+(?P<d>(?:the\s+)?(?:[\w ]+\s)?(?:{_DEVICE}))(?P<rest>\s.*)?$"
    rf"|^(?:turn|switch)\s+(?P<d2>(?:the\s+)?(?:[\w ]+\s)?(?:{_DEVICE}))\s+(?P<way2>on|off)$", re.IGNORECASE,
)  # fmt: skip
_OPERATE = re.compile(
    rf"^(?P<verb>unlock|lock|close|disable|enable)\s+(?P<d>(?:the\s+)?(?:[\w ]+\s)?(?:{_DEVICE}))$", re.IGNORECASE
)
_SET = re.compile(
    rf"^(?:set|dim|change)\s+(?P<d>(?:the\s+)?(?:[\w"
    rf" ]+\s)?(?:{_DEVICE}))\s+to\s+(?P<v>{ANY})\s*(?P<unit>°\s?[CF]|%|percent|degrees)?"
    rf"(?:\s+(?P<aspect>[a-z]+))?$", re.IGNORECASE,
)  # fmt: skip
_TURN_BOX = re.compile(
    r"^(?:turn|switch)\s+(?:the\s+)?(?P<box>[\w ]+?)\s+(?P<way>on|off)(?:\s+while you are (?:at it|there))?$", re.IGNORECASE
)
_LANGUAGE = re.compile(
    r"^(?:have|get|see)\s+everything\s+in\s+(?P<a>\S+)$|^(?:set|change)\s+the\s+language\s+to\s+(?P<b>\S+)$"
    r"|^(?:switch|change)\s+(?:my|the)\s+(?:account|settings|profile)\s+to\s+(?P<d>\S+)$", re.IGNORECASE,
)  # fmt: skip
_WATCH = re.compile(
    rf"^(?:listen to|watch|look at|observe|keep an eye on)\s+(?P<what>.+?)\s+for\s+(?:at least\s+"
    rf"|about\s+)?(?P<n>{ANY}|half an?|an?|one)\s+(?P<unit>seconds?|minutes?)$",
    re.IGNORECASE,
)
_ASKED = re.compile(
    r"^(?:find out|look up|see|check|note down|write down|tell me)\s+(?:from the (?P<noun>mail|note"
    r"|file)\s+)?(?P<what>(?:who|when|where|how much|what|which|on which)\b.+?)"
    r"(?:,?\s+in\s+(?P<into>an?\s+(?:new\s+)?note\b.+))?$",
    re.IGNORECASE,
)
_WHICH_ONE = re.compile(r"^which\s+(?:one|invoice|order|of them)\s+(?:it|that)\s+(?:is|was)$", re.IGNORECASE)


_AGAIN = re.compile(
    r"^(?:find|look for|look up|open)\s+(?:the|that|this)\s+(?P<noun>\w+)(?:\s+in\s+(?:my|the)\s+.+)?$", re.IGNORECASE
)


def again(words: str, ctx: Context) -> Found:
    """`find the order in my order history`, when it was said which order is meant."""
    match = _AGAIN.match(words)
    if not match or not ctx.entity.specific or NOUNS.get(match["noun"].casefold()) != ctx.entity.noun:
        return None
    return [c.OpenItem("", ctx.entity)]


def act_on(words: str, ctx: Context) -> Found:
    """`accept it`, `cancel the order 1004`, `archive the mail "Minutes" from Ada`."""
    match = _ACT.match(words)
    if not match:
        return None
    what, app = take_place(match["what"], ctx.masks, ctx.apps)
    entity = ctx.entity if re.fullmatch(_IT, what, re.IGNORECASE) else parse_entity(what, ctx.masks)
    return [c.Act(app, match["verb"].casefold(), entity)] if entity.specific else None


def post(words: str, ctx: Context) -> Found:
    """`tell Dana in chat "I am coming"`, `send it in chat`."""
    match = next((m for form in _CHATS if (m := form.match(words))), None)
    if match is None:
        return None
    to = ctx.masks.show(match.groupdict().get("to") or "") or ctx.person
    what = re.sub(r"^that\s+", "", match["what"])
    if not to:
        return None
    left, app = take_place(what, ctx.masks, ctx.apps)
    if re.fullmatch(r"the (?:figure|answer|number|amount)", left, re.IGNORECASE) and ctx.entity.specific:
        read = c.Read(app, ("total",), ctx.entity)
        return [read, c.Post(CHAT, to, c.Value(facts=read.fact_names()))]
    value, reads = value_of(what, ctx, is_fact=ctx.masks.only(what) is None)
    return [*reads, c.Post(CHAT, to, value)] if value else None


def at_end(words: str, ctx: Context) -> Found:
    """`put "Done." at its end`: into the text of what is meant, which is saved."""
    match = _AT_END.match(words)
    if not match:
        return None
    entity = parse_entity(match["of"], ctx.masks) if match["of"] else ctx.entity
    value, reads = value_of(match["what"], ctx, is_fact=False)
    return [*reads, c.Enter("", value, "body", entity, True), _saved(entity)] if entity.specific and value else None


def _saved(entity: c.Entity, app: str = "") -> c.Commit:
    return c.Commit(app, "save", entity.noun or "form")


def leave(words: str, ctx: Context) -> Found:
    """`leave the others alone`."""
    match = _LEAVE.match(words)
    return [c.Avoid(what=f"changing {ctx.masks.show(match['what'] or match['kept'])}".casefold())] if match else None


def put_as(words: str, ctx: Context) -> Found:
    """`put that room into the calendar entry as its place`, `change it in my contacts`, `give that note the title "X"`."""
    if match := _GIVE.match(words):
        value = c.Value(ctx.masks.show(match["what"]))
        return [c.Enter("", value, match["field"].casefold(), ctx.entity), _saved(ctx.entity)] if ctx.entity.specific else None
    if match := _CHANGE.match(words):
        if not ctx.last or not ctx.entity.specific:
            return None
        field = ctx.last[-1].removeprefix("conversation ")
        return [c.Enter("", c.Value(facts=ctx.last[-1:]), field, ctx.entity), _saved(ctx.entity)]
    match = _INTO.match(words)
    if (
        not match
        or not re.search(r"\b(?:entry|event|contact|note|record|it)$", match["of"], re.IGNORECASE)
        or not ctx.entity.specific
    ):
        return None
    pointed = re.match(r"(?:that|this|the)\s+", match["what"], re.IGNORECASE) and ctx.last
    value, reads = (c.Value(facts=ctx.last[-1:]), []) if pointed else value_of(match["what"], ctx, is_fact=False)
    return [*reads, c.Enter("", value, match["field"], ctx.entity), _saved(ctx.entity)]


def save_to(words: str, ctx: Context) -> Found:
    """`save the mail "Minutes" to the notes`: the mail's own way of doing so; the note is called as the mail is."""
    match = _SAVE_TO.match(words)
    if not match:
        return None
    entity = parse_entity(match["what"], ctx.masks)
    if not entity.noun or not entity.specific:
        return None
    where = match["where"].casefold()
    ctx.mean(c.Entity(NOUNS.get(where, where), name=entity.subject or entity.name))
    return [c.Act("", f"save to {where}", entity)]


def device(words: str, ctx: Context) -> Found:
    """`set the hall light to 40 % brightness`, `turn the lamp on`, `unlock the front door`."""
    if match := _SET.match(words):
        unit = (match["unit"] or "").replace(" ", "")
        aspect = match["aspect"] or ("brightness" if unit == "%" else "target")
        return [c.Adjust("", _device(match["d"], ctx), aspect, ctx.masks.show(match["v"]))]
    if match := _SWITCH.match(words):
        name, way = _device(match["d"] or match["d2"], ctx), (match["way"] or match["way2"]).casefold()
        rest = (match["rest"] or "").strip()
        asked = re.findall(rf"(at|for)\s+({ANY})\s*(°\s?[CF]|degrees|minutes?|seconds?|%)", rest)
        aspects = {"at": "temperature", "for": "minutes"}
        if rest and not asked:
            return None
        return [
            *(c.Adjust("", name, aspects[how], ctx.masks.show(v)) for how, v, _ in asked),
            c.Adjust("", name, "", way),
        ]
    match = _OPERATE.match(words)
    return [c.Adjust("", _device(match["d"], ctx), "", match["verb"].casefold())] if match else None


def _device(words: str, ctx: Context) -> str:
    return ctx.masks.show(re.sub(r"^the\s+", "", words.strip(), flags=re.IGNORECASE))


def settings(words: str, ctx: Context) -> Found:
    """`turn the notifications off`, `switch my account to Deutsch`: kept by saving."""
    if match := _LANGUAGE.match(words):
        language = ctx.masks.show(match["a"] or match["b"] or match["d"])
        return [c.Select("settings", c.Value(language), "language"), c.Commit("settings", "save", "settings")]
    match = _TURN_BOX.match(words)
    if not match:
        return None
    return [
        c.Check("settings", ctx.masks.show(match["box"]), match["way"].casefold() == "on"),
        c.Commit("settings", "save", "settings"),
    ]


def watch(words: str, ctx: Context) -> Found:
    """`listen to what the hall microphone hears for half a minute`."""
    match = _WATCH.match(words)
    if not match:
        return None
    said = ctx.masks.show(match["n"]).casefold()
    number = 0.5 if said.startswith("half") else 1.0 if not said[:1].isdigit() else float(said)
    ctx.person = ""
    place = ctx.masks.show(re.sub(r"^(?:what\s+)?the\s+|\s+(?:hears|sees|shows|says)$", "", match["what"]))
    ctx.mean(c.Entity("", name=place))
    return [c.Pause(seconds=number * (60 if match["unit"].startswith("minute") else 1))]


def asked(words: str, ctx: Context) -> Found:
    """`find out from the mail which one it is`, `note down who it was and on which day, in a note titled "X"`."""
    match = _ASKED.match(words)
    if not match:
        return None
    if _WHICH_ONE.match(match["what"]) and ctx.entity.specific:
        read = c.Read("", ("invoice number",), ctx.entity)
        ctx.mean(c.Entity("invoice", id="{" + read.fact_names()[0] + "}"))
        return [read]
    questions = asked_in(match["what"])
    if not questions:
        return None
    reads = reads_for(questions, ctx)
    if not match["into"]:
        return reads
    title = re.search(rf"(?:titled|called|named|with the title)\s+({ANY}|.+)$", match["into"])
    names = tuple(name for read in reads if isinstance(read, c.Read) for name in read.fact_names())
    return [
        *reads,
        c.Create("", "note", c.Value(ctx.masks.show(title.group(1)) if title else ""), c.Value(facts=names)),
        _saved(c.Entity("note")),
    ]


DEEDS = (again, post, at_end, leave, save_to, put_as, device, settings, watch, asked, act_on)
