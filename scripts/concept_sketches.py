"""The pictures of docs/concepts.md that no graph of the code draws by itself; the names in them are the code's."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import get_args

from drawing import Box, Drawing

from environments.contract import Environment, EnvironmentType
from orchestrator.settings.policies import ROLES
from protocol import VERBS
from protocol.dialects import NAMES as DIALECTS
from protocol.exports import NAMES as FORMATS
from roles.contracts import Worker
from roles.contracts.facts import FactSource
from roles.knowledge.pages.documents import DocumentKind
from roles.safety.policy import STRICTEST

W = 720


def crew() -> Drawing:
    """Who is in the crew, and who speaks with whom."""
    d = Drawing(W, 484, "The crew", "You speak with the controller; it asks one role at a time; workers act on the environment.")
    you = d.box(250, 20, 220, 52, ("You", "goal, answers, steering"), "user")
    hub = d.box(24, 116, 672, 52, ("Controller", "one table says what comes next; budgets, gates, approvals"), "controller")
    _both(d, you, Box(250, 116, 220, 52), "user")
    does = {
        "operator": "works windows, step by step",
        "technician": "writes scripts, in a sandbox",
        "analyst": "works out figures from facts",
        "manager": "plans, looks things up",
        "evaluator": "checks, with evidence",
    }
    d.group(236, 220, 248, 192, "workers, a subtask each")
    workers = get_args(Worker)
    for number, name in enumerate(workers):
        d.box(248, 246 + 54 * number, 224, 48, (name.capitalize(), does[name]), name)
    for x, name in zip((24, 516), sorted(set(ROLES) - set(workers), reverse=True), strict=True):
        box = d.box(x, 256, 180, 54, (name.capitalize(), does[name]), name)
        _both(d, Box(x, hub.y, 180, hub.h), box, name)
    _both(d, Box(248, hub.y, 224, hub.h), Box(248, 220, 224, 20), "operator")
    world = d.box(250, 436, 220, 34, ("Environment",), "way")
    _both(d, Box(250, 392, 220, 20), world, "way")
    d.box(24, 424, 180, 46, ("Journal", "everything, written first"))
    d.box(516, 424, 180, 46, ("Judge", "seen by no role"))
    return d


def _both(d: Drawing, one: Box, other: Box, role: str) -> None:
    d.arrow(one, other, role=role, aside=8)
    d.arrow(other, one, role=role, aside=8)


def approval() -> Drawing:
    """From a decision to an effect."""
    d = Drawing(W, 360, "What happens before an action", "Reviewed; denied, asked about or allowed; then noted and done once.")
    decided = d.box(20, 122, 120, 54, ("decided", "by a policy"), "operator")
    review = d.box(180, 122, 166, 54, ("reviewed", "by the safety policy"), "bad")
    told = {"deny": ("not done, planned anew", "bad"), "ask": ("the run waits for you", "user")}
    told["allow"] = ("goes on", "evaluator")
    boxes = {
        word: d.box(392, 24 + 98 * number, 186, 54, (word, told[word][0]), told[word][1]) for number, word in enumerate(STRICTEST)
    }
    d.arrow(decided, review)
    for verdict, box in boxes.items():
        d.arrow(review, box, role=told[verdict][1])
    for number, word in enumerate(("approve", "edit", "reject", "respond")):
        d.words(614, 116 + number * 24, word, "head", "start")
    d.arrow(boxes["ask"], Box(608, 122, 80, 54), role="user")
    d.path([(650, 206), (650, 247), (584, 247)], "user", dashed=True)
    d.words(24, 250, "an answer holds for this very action, and only once", anchor="start")
    steps = ("same control still?", "intent noted", "done once", "outcome noted")
    x, notes = 20.0, []
    for word in steps:
        wide = len(word) * 8.6 + 22
        notes.append(d.box(x, 304, wide, 36, (word,), "way"))
        x += wide + 24
    d.path([(485, 278), (485, 288), (100, 288), (100, 298)], "way")
    for before, after in pairwise(notes):
        d.arrow(before, after, role="way")
    return d


def blackboard() -> Drawing:
    """What is known in a run, and what is looked up."""
    d = Drawing(W, 372, "Blackboard and knowledge", "Facts come with their source; pages give plans, never permissions.")
    sources = [source for source in get_args(FactSource) if source]
    seen = d.box(20, 24, 214, 110, ("who said it", *_wrapped(sources, 27)), "operator")
    board = d.box(286, 40, 186, 78, ("Blackboard", "value, kind, source,", "screen, step"), "analyst")
    roles = d.box(530, 40, 170, 78, ("every role", "what matters first,", "within a cap"), "manager")
    vault = d.box(286, 172, 186, 52, ("Vault", "what is private"), "user")
    kinds = d.box(20, 266, 214, 78, ("knowledge", *_wrapped(get_args(DocumentKind), 27)), "technician")
    found = d.box(286, 278, 186, 54, ("found", "with score and source"), "technician")
    manager = d.box(530, 278, 170, 54, ("Manager", "makes a plan of it"), "manager")
    d.arrow(seen, board)
    d.arrow(board, roles)
    d.arrow(board, vault, role="user", dashed=True)
    d.words(392, 150, "by reference", anchor="start")
    d.arrow(kinds, found)
    d.arrow(found, manager)
    d.words(615, 352, "reviewed as any plan")
    return d


def _wrapped(words: Iterable[str], width: int) -> list[str]:
    lines = [""]
    for word in words:
        joined = f"{lines[-1]}, {word}" if lines[-1] else word
        if len(joined) > width:
            lines.append(word)
        else:
            lines[-1] = joined
    return lines


def once() -> Drawing:
    """Where a run may be killed, and what whoever takes it up does."""
    d = Drawing(W, 316, "Once, also when it is killed", "Four moments at which a process may die, and how the next one goes on.")
    noted = "in the journal"
    steps = (("decided", "nothing is noted"), ("intent", noted), ("effect", "with its key"), ("outcome", noted))
    boxes = [d.box(20 + n * 176, 32, 152, 54, words, "way") for n, words in enumerate(steps)]
    for before, after in pairwise(boxes):
        d.arrow(before, after, role="way")
    then = (
        ("decides anew",),
        ("does what is", "noted, no other"),
        ("asks by the key", "it is done already"),
        ("goes on", "with the next"),
    )
    for n, does in enumerate(then):
        below = d.box(20 + n * 176, 198, 152, 58, does, "evaluator")
        d.arrow(boxes[n], below, role="bad", dashed=True)
        d.words(96 + n * 176, 146, "killed here", "label")
    d.words(W / 2, 294, "No key in the world, as on a web page: the page is looked at; where it cannot tell, you are asked.")
    return d


def protocol() -> Drawing:
    """Others' ways to say an action, the one form in the middle, and whole runs for other tools."""
    columns = (_wrapped(DIALECTS, 26), _wrapped(FORMATS, 24))
    high = 56 + 20 * max(map(len, columns))
    d = Drawing(W, high + 40, "The protocol", "Dialects are read and written; whole runs are written for other tools.")
    titles = (f"{len(DIALECTS)} dialects of agents", f"{len(FORMATS)} formats of runs")
    middle = d.box(288, high / 2 - 44, 144, 124, ("typed actions", f"{len(VERBS)} verbs", "targets", "results", "logs"), "way")
    for x, rows, title in zip((16, 474), columns, titles, strict=True):
        d.group(x, 20, 230, high, title)
        for number, row in enumerate(rows):
            d.words(x + 14, 64 + number * 20, row, "code", "start")
        _both(d, Box(x, middle.y, 230, middle.h), middle, "way")
    d.words(360, high / 2 + 104, "what is lost is told")
    return d


def environments() -> Drawing:
    """One contract, and the surfaces behind it."""
    calls = [name for name, what in vars(Environment).items() if callable(what) and not name.startswith("_")]
    d = Drawing(W, 316, "Environments", "Roles know one contract; worlds, pages, pixels and your own stand behind it.")
    above = d.box(260, 20, 200, 38, ("roles",), "operator")
    contract = d.box(160, 98, 400, 54, (" · ".join(calls), "the contract, and a test of it"), "way", code=True)
    _both(d, above, contract, "way")
    below = (("simulated", "apps, made from a seed"), ("browser", "any page in Chromium"), ("your own", "the same four methods"))
    for number, words in enumerate(below):
        d.arrow(contract, d.box(24 + number * 233, 204, 206, 54, words, "technician" if number < 2 else "user"))
    d.words(W / 2, 282, "vision: any of them, from its picture alone")
    d.words(W / 2, 302, f"types: {', '.join(get_args(EnvironmentType))}")
    return d


SKETCHES = (crew, approval, blackboard, once, protocol, environments)
