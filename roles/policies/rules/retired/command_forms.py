"""Clauses that press, tick, submit, save, delete, rename, move, search, scroll and wait."""

from __future__ import annotations

import re

from roles.policies.rules.phrases import noun_phrase, parse_entity, take_place
from roles.policies.rules.reference import Context, value_of
from roles.screen.language import clauses as c
from roles.screen.language.lexicon import (
    CLICK_VERBS,
    DELETE_VERBS,
    FIELD_WORDS,
    KEY_NAMES,
    PRONOUNS,
    SAVE_VERBS,
    SEARCH_VERBS,
    SEND_VERBS,
    SUBMIT_VERBS,
    TELL_VERBS,
)
from roles.screen.language.masks import ANY

Found = list[c.Clause] | None
_AVOID = re.compile(r"^(?:do not|don[’']t|never|without)\s+(?P<what>.+)$", re.IGNORECASE)
_TELL = re.compile(rf"^(?:{TELL_VERBS})(?:\s+(?:the user|me|us))?(?:\s+(?:about|back|with))?\s*(?P<rest>.*)$", re.IGNORECASE)
_ASK = re.compile(
    r"^(?:what(?:[’']s| is| are| was)|how much(?: is| was| does| do)?|when is|when was|who is|which is"
    r"|where is)\s+(?P<rest>.+?)\??$",
    re.IGNORECASE,
)
_NEEDED = re.compile(
    r"^(?P<what>.+?)\s+(?:should|must|needs? to|has to|have to|is to|are to)\s+(?:go|be\s+(?:copied|entered|put"
    r"|written|transferred|filled|typed|noted))\s+"
    r"(?P<where>(?:in|into|on|to|onto|as)\s+.+)$", re.IGNORECASE,
)  # fmt: skip
_ANSWERED = re.compile(r"^answer\s+(?:to\s+)?(?:(?:the|that|this|his|her|my)\s+)?(?:e-?mail|mail|message)\b", re.IGNORECASE)
_WANTED = re.compile(r"^i\s+(?:need|want|would like)\s+(?P<what>the\s.+?)\s+(?P<where>(?:in|into|on|to)\s+.+)$", re.IGNORECASE)


def avoid(words: str, ctx: Context) -> Found:
    """`do not submit it`, `without sending`."""
    match = _AVOID.match(words)
    return [c.Avoid(what=ctx.masks.show(match["what"]).casefold())] if match else None


def question(words: str, ctx: Context) -> Found:
    """`what is the total of invoice INV-7`: read it, then say it."""
    match = _ASK.match(words)
    if not match:
        return None
    rest = re.sub(r"^(?:it that|there in)\s+", "", match["rest"])
    if due := re.match(r"^(?P<what>.+?)\s+(?:due|payable)$", rest, re.IGNORECASE):
        rest = f"the due date of {due['what']}"
    phrase = noun_phrase(rest, ctx.masks, ctx.apps)
    facts = phrase.facts
    if not facts and words.casefold().startswith("how much") and phrase.entity:
        facts = ("total",)
    if not facts:
        return None
    entity = ctx.entity if not phrase.entity.specific and ctx.entity else phrase.entity
    read = c.Read(phrase.app, facts, entity)
    return [read, c.Tell(value=c.Value(facts=read.fact_names()))]


def tell(words: str, ctx: Context) -> Found:
    """`tell me the total`, `let me know what it is`, `report it`."""
    match = _TELL.match(words)
    if not match or _ANSWERED.match(words):
        return None
    rest = re.sub(
        r"^(?:what|how much)\s+(?:is\s+|are\s+)?|\s+(?:is|are|was|to me)$", "", match["rest"].strip(), flags=re.IGNORECASE
    )
    if not rest or rest.casefold() in PRONOUNS:
        return [c.Tell(value=c.Value(facts=ctx.last))] if ctx.last else None
    value, reads = value_of(rest, ctx, is_fact=True)
    return [*reads, c.Tell(value=value)] if value else None


def needed(words: str, ctx: Context) -> Found:
    """`the total of INV-7 should go into the expense form`."""
    from roles.policies.rules.retired.entry_forms import write

    match = _NEEDED.match(words) or _WANTED.match(words)
    return write(f"copy {match['what']} {match['where']}", ctx) if match else None


QUESTIONS = (avoid, needed, question, tell)


_ARTICLE = re.compile(r"^(?:the|my|our|a|an|this|that|its)\s+", re.IGNORECASE)
_KEYS = re.compile(
    r"^(?:press|hit|use|push)\s+(?:the\s+)?(?:keys?\s+|shortcut\s+|keyboard shortcut\s+)?(?P<keys>.+?)(?:\s+keys?)?$",
    re.IGNORECASE,
)
_CLICK = re.compile(rf"^(?:{CLICK_VERBS})\s+(?P<what>.+)$", re.IGNORECASE)
_CONTROL = re.compile(r"\s+(?:button|link|tab|icon|control|menu item|menu|option)$", re.IGNORECASE)
_BOX = re.compile(
    r"^(?P<verb>turn on|turn off|switch on|switch off|check off|tick off|check|tick|mark|enable|uncheck|untick|unmark"
    r"|disable|clear)\s+(?P<what>.+)$",
    re.IGNORECASE,
)
_BOX_NOUN = re.compile(r"\s*(?:check\s?box|tick\s?box|box|option)\s*", re.IGNORECASE)
_COMMIT = re.compile(rf"^(?P<verb>{SUBMIT_VERBS}|{SAVE_VERBS}|{SEND_VERBS}|confirm|post)\b\s*(?P<what>.*)$", re.IGNORECASE)
_MANNER = re.compile(r"\s*\b(?:as|under the name|with the name|named)\s+(?P<manner>.+)$", re.IGNORECASE)
_DELETE = re.compile(rf"^(?:{DELETE_VERBS})\s+(?P<what>.+)$", re.IGNORECASE)
_RENAME = re.compile(r"^(?:rename|retitle)\s+(?P<what>.+?)\s+(?:to|as|into)\s+(?P<to>.+)$", re.IGNORECASE)
_MOVE = re.compile(r"^(?:move|put|archive|file)\s+(?P<what>.+?)\s+(?:to|into|in|under)\s+(?P<to>.+)$", re.IGNORECASE)
_SEARCH = re.compile(rf"^(?:{SEARCH_VERBS})\s+(?P<what>.+)$", re.IGNORECASE)
_MOVABLE = {"file", "folder", "mail", "note", "task", "event"}


def press_key(words: str, ctx: Context) -> Found:
    """`press Ctrl+S`, `hit Enter`."""
    match = _KEYS.match(words)
    if not match:
        return None
    text = ctx.masks.show(match["keys"]).strip()
    parts = [text] if text.casefold() in KEY_NAMES else re.split(r"\s*\+\s*|\s+(?:and\s+)?", text)
    keys = [KEY_NAMES.get(part.casefold(), part if len(part) == 1 else "") for part in parts]
    known = all(keys) and (len(keys) > 1 or parts[0].casefold() in KEY_NAMES)
    return (
        [c.Press(keys=tuple(k.casefold() if len(k) == 1 else k for k in keys))]
        if known and "submit" not in text.casefold()
        else None
    )


def tick(words: str, ctx: Context) -> Found:
    """`tick the Billable box`, `uncheck "Urgent"`."""
    match = _BOX.match(words)
    if not match or re.match(r"(?:what|how|whether|if|that|for)\b", match["what"], re.IGNORECASE):
        return None
    verb = match["verb"].casefold()
    rest, app = take_place(match["what"], ctx.masks, ctx.apps)
    as_done = re.fullmatch(r"(?P<box>.+?)\s+as\s+(?P<state>.+)", rest, re.IGNORECASE)
    if verb in {"mark", "unmark"} and as_done:
        return None
    has_noun = bool(_BOX_NOUN.search(rest))
    label = ctx.masks.show(_ARTICLE.sub("", _BOX_NOUN.sub(" ", rest).strip())).strip()
    if verb == "check" and not has_noun and not _boxlike(rest, ctx):
        return None
    if verb in {"clear", "mark"} and not has_noun:
        return None
    return [c.Check(app or ctx.form, label, not verb.startswith(("un", "dis", "clear")) and not verb.endswith(" off"))]


def _boxlike(rest: str, ctx: Context) -> bool:
    words = _ARTICLE.sub("", rest).casefold().split()
    return ctx.masks.only(rest) is not None or bool(
        rest[:1].isupper() and words and words[-1] not in FIELD_WORDS and " of " not in rest
    )


def commit(words: str, ctx: Context) -> Found:
    """`submit the form`, `send it in`, `save it as a draft`."""
    match = _COMMIT.match(words)
    if not match:
        return None
    verb = match["verb"].casefold()
    what, app = take_place(match["what"], ctx.masks, ctx.apps)
    manner = ""
    if said := _MANNER.search(what) or _MANNER.match(f" {what}"):
        manner = ctx.masks.show(_ARTICLE.sub("", said["manner"]))
        what = what[: max(0, what.find(said.group().strip()))]
    held = ctx.masks.only(what.strip())
    thing = re.sub(r"\b(?:in|off|over|away|on|up)$", "", what.strip(" ,.")).strip()
    if held is None and (re.search(rf"\b(?:to|into)\s+(?:{ANY}|[A-Z])", thing) or len(thing.split()) > 4):
        return None
    thing = ctx.masks.show(_ARTICLE.sub("", f"{thing} ").strip())
    if thing.casefold() in {"it", "this", "that", "them", "everything", "changes", ""}:
        thing = "form"
    word = (
        "submit" if verb in SUBMIT_VERBS.split("|") or verb == "confirm" else "save" if verb in SAVE_VERBS.split("|") else "send"
    )
    formal = bool(app) and not ctx.form
    return [c.Commit(app or ctx.form or (thing if formal else ""), word, thing, manner)]


def delete(words: str, ctx: Context) -> Found:
    """`delete the file budget.txt`."""
    match = _DELETE.match(words)
    if not match:
        return None
    rest, app = take_place(match["what"], ctx.masks, ctx.apps)
    return [c.Delete(app, _thing(rest, ctx))]


def _thing(words: str, ctx: Context) -> c.Entity:
    return ctx.entity if words.strip().casefold() in {"it", "this", "that"} and ctx.entity else parse_entity(words, ctx.masks)


def rename(words: str, ctx: Context) -> Found:
    """`rename notes.txt to plan.txt`."""
    match = _RENAME.match(words)
    if not match:
        return None
    rest, app = take_place(match["what"], ctx.masks, ctx.apps)
    to, later = take_place(match["to"], ctx.masks, ctx.apps)
    return [c.Rename(app or later, _thing(rest, ctx), ctx.masks.show(to))]


def move(words: str, ctx: Context) -> Found:
    """`move report.pdf to the Archive folder`; other things that move are values."""
    match = _MOVE.match(words)
    if not match:
        return None
    what, app = take_place(match["what"], ctx.masks, ctx.apps)
    thing = _thing(what, ctx)
    from roles.policies.rules.phrases import noun_phrase

    is_file = bool(ctx.masks.of_kind(what, "file"))
    if (noun_phrase(what, ctx.masks).facts and not is_file) or not (thing.noun in _MOVABLE or is_file):
        return None
    to = ctx.masks.show(re.sub(r"\s+(?:folder|directory|mailbox|list)$", "", _ARTICLE.sub("", match["to"]), flags=re.IGNORECASE))
    return [c.Move(app, thing, re.sub(r"^folder\s+", "", to))]


def click(words: str, ctx: Context) -> Found:
    """`click Save`, `press the "New claim" button`."""
    match = _CLICK.match(words)
    if not match:
        return None
    rest, app = take_place(match["what"], ctx.masks, ctx.apps)
    return [c.ClickOn(app, ctx.masks.show(_CONTROL.sub("", _ARTICLE.sub("", re.sub(r"^on\s+", "", rest)))))]


def search(words: str, ctx: Context) -> Found:
    """`search for Northwind in billing`."""
    match = _SEARCH.match(words)
    if not match or re.match(r"look for", words, re.IGNORECASE):
        return None
    rest, app = take_place(match["what"], ctx.masks, ctx.apps)
    inverted = re.match(r"^(?:the\s+)?(?P<app>.+?)\s+for\s+(?P<q>.+)$", rest)
    if inverted:
        return [c.Search(app or ctx.masks.show(inverted["app"]), ctx.masks.show(inverted["q"]))]
    return [c.Search(app, ctx.masks.show(rest))]


def scroll(words: str, ctx: Context) -> Found:
    """`scroll down`, `wait 3 seconds`."""
    if match := re.match(r"^scroll\s+(?:the\s+\w+\s+|to the\s+)?(?P<way>down|up|left|right|bottom|top)\b", words, re.IGNORECASE):
        way = match["way"].casefold()
        return [c.Scroll(way=c.WAYS[way])]
    if match := re.match(
        r"^(?:wait|pause)(?:\s+for)?(?:\s+(?P<n>\S+))?(?:\s+(?:s|sec|seconds?|moment|bit))?$", words, re.IGNORECASE
    ):
        shown = ctx.masks.show(match["n"] or "")
        return [c.Pause(seconds=min(600.0, float(shown)) if shown.replace(".", "", 1).isdigit() else 2.0)]
    return None


COMMANDS = (press_key, tick, delete, rename, move, search, scroll, commit, click)
