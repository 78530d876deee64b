"""Mail's own agent: what it finds, sums up and drafts, and what it leaves to others."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from environments.simulated.app import FunctionDeclined, ask
from environments.simulated.apps import APPS
from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.world.worldfile import parse_world
from protocol import AskInAppAgent

WORLD = """
today: 2026-03-31
user: Ada Abbott
apps:
  mail:
    messages:
      - {id: m1, from: bob.young@x.org, subject: Plan, body: "Hello Ada,\\nhere is the plan.\\nBob", date: 2026-03-05}
      - {id: m2, from: bob.young@x.org, subject: Train, body: The receipt is below., date: 2026-03-07, unread: false}
      - {id: m3, from: eve@x.org, subject: Lunch, body: "Shall we?", date: 2026-03-06}
      - {id: m4, from: bob.old@y.org, subject: Old plan, body: gone, folder: Trash}
      - {id: m5, from: zoe.a@x.org, subject: Budget, body: numbers, date: 2026-01-02, unread: false}
      - {id: m6, from: zoe.b@x.org, subject: Budget, body: more, date: 2026-01-03, unread: false}
open: [mail]
"""


@pytest.fixture
def h(hand):
    return hand(WORLD)


def said(h, request):
    result = h.do(AskInAppAgent(app="mail", request=request))
    assert result.exec_status == "executed", result.error
    return json.loads(result.output)


def found(h, request):
    return [message["id"] for message in said(h, request)["messages"]]


def refusal(h, request):
    before = h.app("mail")
    result = h.do(AskInAppAgent(app="mail", request=request))
    assert result.exec_status == "error"
    assert h.app("mail") == before
    return result.error


@pytest.mark.parametrize(
    ("request_", "ids"),
    [
        ("Which mail has the receipt?", ["m2"]),
        ("which mails mention receipts", ["m2"]),
        ("Find mails from Bob about the plan", ["m1"]),
        ("find all messages about the plan from bob young", ["m1"]),
        ("Please find mail from eve@x.org.", ["m3"]),
        ("search for budget", ["m6", "m5"]),
        ("list unread mails", ["m3", "m1"]),
        ("which mail is about lunch", ["m3"]),
        ("find mails about nothing-like-it", []),
        ("summarise unread", ["m3", "m1"]),
        ("Summarize the mails from Bob", ["m2", "m1"]),
    ],
)
def test_messages_are_found_newest_first(h, request_, ids):
    before = h.app("mail")
    assert found(h, request_) == ids
    assert h.app("mail") == before


def test_a_summary_says_who_what_and_the_gist(h):
    answer = said(h, "summarise unread mail")
    assert answer["answer"] == ("2 unread mail. eve@x.org on Lunch: Shall we?; bob.young@x.org on Plan: here is the plan.")
    assert said(h, "how many unread mails?")["count"] == 2
    assert said(h, "how many mails from zoe")["count"] == 2


def test_a_reply_is_drafted_to_the_newest_message_and_never_sent(h):
    answer = said(h, "Draft a reply to Bob saying: Thanks,\nI will look at it.")
    assert answer["replies_to"] == {"id": "m2", "subject": "Train"}
    letter = h.app("mail")["messages"][answer["draft"]["id"]]
    assert (letter["folder"], letter["to"], letter["subject"]) == ("Drafts", "bob.young@x.org", "Re: Train")
    assert letter["body"] == "Thanks,\nI will look at it."
    assert not [m for m in h.app("mail")["messages"].values() if m["folder"] == "Sent"]
    assert said(h, "draft an answer to bob about the plan saying 'yes'")["draft"]["subject"] == "Re: Plan"
    h.click("Drafts")
    h.click("Re: Plan")
    assert h.element("Message").value == "yes"


def test_a_new_mail_is_drafted(h):
    answer = said(h, "write a mail to ann@x.org about the trip saying see you")
    assert (answer["draft"]["to"], answer["draft"]["subject"], answer["replies_to"]) == ("ann@x.org", "the trip", None)


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        ("send a mail to bob@x.org saying hi", "I only read and draft"),
        ("delete all mails", "I only read and draft"),
        ("reply to Bob saying hi", "I only read and draft"),
        ("draft a reply to Bob", "say what to write"),
        ("draft a reply to Nobody saying hi", "there is no mail from Nobody in the inbox"),
        ("draft a reply to Zoe saying hi", "'Zoe' may be zoe.a@x.org, zoe.b@x.org; say which"),
        ("draft a reply to Zo saying hi", "there is no mail from Zo in the inbox"),
        ("draft a reply to young@x.org saying hi", "there is no mail from young@x.org in the inbox"),
        ("draft a mail to bob saying hi", "'bob' is not a mail address"),
        ("what is the weather like", "I do not understand"),
        ("frobnicate", "I do not understand 'frobnicate'; I can do:"),
        ("find mails", "say what the mail is about"),
        ("summarise the mails", "say which mail"),
        ("x" * 5000, "5000 characters"),
    ],
)
def test_what_it_does_not_do_is_refused_with_what_it_does(h, request_, words):
    assert words in refusal(h, request_)


WORDS = st.sampled_from(
    [
        "draft",
        "a",
        "reply",
        "to",
        "bob",
        "saying",
        "find",
        "mails",
        "from",
        "about",
        "plan",
        "unread",
        "summarise",
        "which",
        "\n",
        "?",
    ]
)


@given(st.text(max_size=60) | st.lists(WORDS, max_size=12).map(" ".join))
@settings(max_examples=3 * settings.default.max_examples)
def test_any_words_give_an_answer_or_a_reason_and_send_nothing(words):
    state = parse_world(WORLD, "test.yaml").first_world(0).apps["mail"]
    try:
        done = ask(APPS["mail"], state, words)
    except FunctionDeclined:
        return
    assert json.dumps(done.result)
    assert {m.folder for n, m in done.state.messages.items() if n not in state.messages} <= {"Drafts"}
    assert ask(APPS["mail"], state, words) == done


def test_the_desktop_says_which_apps_have_an_agent():
    desktop = SimulatedDesktop(parse_world("apps: {mail: , spreadsheet: , notes: }", "test.yaml"))
    assert {"mail", "spreadsheet"} <= set(desktop.agents())
    assert "notes" not in desktop.agents()
