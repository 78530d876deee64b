"""Mail's own agent: finds and sums up messages, and drafts answers. It never sends anything."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from pydantic import JsonValue

from environments.simulated.app import FunctionDeclined, FunctionResult
from environments.simulated.apps.common.functions_base import Drive
from environments.simulated.apps.office.mail.functions import Letter, answering, draft, short
from environments.simulated.apps.office.mail.state import MailState, Message, bad_address

CAN = ('I can do: "which mail has the receipt?", "summarise unread", "find mails from Bob about the plan", '
       '"how many unread mails?", "draft a reply to Bob saying ..."; I never send')  # fmt: skip
MOST = 20
LONGEST = 4000
_POLITE = re.compile(r"^(?:please|can you|could you|show me|tell me)\s+", re.IGNORECASE)
_NOUN = r"(?:e?-?mails?|messages?|letters?)"
_FIND = re.compile(
    rf"^(?:(?:find|search for|search|look for|list|show)\s+(?:(?:all|the|my)\s+)*(?P<unread>unread\s+)?(?:{_NOUN}(?:\s+|$))?"
    rf"|(?:which|what)\s+(?P<new>unread\s+)?{_NOUN}(?:\s+|$))(?:(?:is|are|has|have|mentions?|with|contains?)\s+)?",
    re.IGNORECASE,
)
_SUM = re.compile(r"^(?:summari[sz]e|sum up|give me a summary of|summary of)\s+(?P<rest>.+)$", re.IGNORECASE | re.DOTALL)
_COUNT = re.compile(r"^how many\s+(?P<rest>.+)$", re.IGNORECASE | re.DOTALL)
_DRAFT = re.compile(
    r"^(?:draft|write|prepare)\s+(?:an?\s+)?(?P<what>reply|answer|response|e?-?mail|message)\s+to\s+", re.IGNORECASE
)
_SEND = re.compile(r"^(?:send|reply|answer|respond|forward|delete|remove|archive|mark)\b", re.IGNORECASE)
_SAYING = re.compile(r"\s(?:saying|that says|with the text)\b[:,]?\s*", re.IGNORECASE)
_FROM = re.compile(r"(?:^|\s)(?:from|by)\s", re.IGNORECASE)
_ABOUT = re.compile(r"(?:^|\s)(?:about|on|regarding|concerning)\s", re.IGNORECASE)
_IDLE = frozenset(  # words that say nothing of what a mail is about
    ("a", "all", "an", "any", "are", "do", "e-mail", "e-mails", "email", "emails", "got", "has", "have", "i", "in", "inbox", "is",
     "it", "letter", "letters", "mail", "mails", "message", "messages", "my", "of", "on", "that", "the", "there", "they", "to",
     "was", "with")
)  # fmt: skip


class MessageFilter(NamedTuple):
    """Which messages are meant."""

    sender: str = ""
    words: tuple[str, ...] = ()
    unread: bool = False

    @property
    def said(self) -> str:
        parts = [f"from {self.sender}" if self.sender else "", f"about {' '.join(self.words)}" if self.words else ""]
        return " ".join(part for part in ("unread" if self.unread else "", "mail", *parts) if part)


def agent_over(update: Drive[MailState]) -> Callable[[MailState, str], FunctionResult[MailState]]:
    """The agent over the app's own `update`. What it gives raises FunctionDeclined for what it does not understand."""

    def answer(state: MailState, request: str) -> FunctionResult[MailState]:
        words = _POLITE.sub("", request.strip())
        if not words or len(words) > LONGEST:
            raise FunctionDeclined(f"the request has {len(words)} characters; {CAN}")
        if found := _DRAFT.match(words):
            return _drafted(update, state, found["what"].casefold(), words[found.end() :])
        if _SEND.match(words):
            raise FunctionDeclined(
                f"I only read and draft, so I do not do {words.split()[0]!r}; use Mail's functions or its window. {CAN}"
            )
        return FunctionResult(state, _asked(state, words.rstrip("?.! ")))

    return answer


def _asked(state: MailState, words: str) -> JsonValue:
    if found := _SUM.match(words):
        return _summed(state, _wish(found["rest"]))
    if found := _COUNT.match(words):
        wish = _wish(found["rest"])
        fits = _fitting(state, wish)
        return {"answer": f"There are {len(fits)}: {wish.said}", "count": len(fits)}
    if found := _FIND.match(words):
        wish = _wish(f"{found['unread'] or found['new'] or ''}{words[found.end() :]}")
        if wish == MessageFilter():
            raise FunctionDeclined(f"say what the mail is about or whom it is from; {CAN}")
        return _listed(_fitting(state, wish), wish)
    raise FunctionDeclined(f"I do not understand {words[:80]!r}; {CAN}")


def _wish(text: str) -> MessageFilter:
    """`unread mails from Bob about the plan`, in any order of its parts."""
    head, topic = _cut(_ABOUT, text)
    before, sender = _cut(_FROM, head)
    if not sender:
        topic, sender = _cut(_FROM, topic)
    words = [word for word in re.findall(r"[^\s,;:?!\"“”]+", f"{before} {topic}") if word.casefold() not in _IDLE]
    kept = tuple(word for word in words if word.casefold() != "unread")
    return MessageFilter(" ".join(sender.split()), kept, len(kept) < len(words))


def _cut(mark: re.Pattern[str], text: str) -> tuple[str, str]:
    found = mark.search(text)
    return (text[: found.start()], text[found.end() :]) if found else (text, "")


def _fitting(state: MailState, wish: MessageFilter) -> list[Message]:
    """Newest first; drafts and what is in Trash do not count."""
    fits = [
        message
        for message in state.messages.values()
        if message.folder in ("Inbox", "Sent")
        and (message.unread or not wish.unread)
        and _is_from(message, wish.sender)
        and all(_says(message, word) for word in wish.words)
    ]
    return sorted(reversed(fits), key=lambda message: message.date, reverse=True)


def _is_from(message: Message, sender: str) -> bool:
    """By whole words of name and address: `ann` is not `joanne`."""
    if "@" in sender:
        return sender.strip("<>").casefold() in re.split(r"[\s<>,;]+", message.sender.casefold())
    names = re.split(r"[\W_]+", message.sender.casefold())
    return all(word in names for word in re.split(r"[\W_]+", sender.casefold()) if word)


def _says(message: Message, word: str) -> bool:
    """Whether a word occurs, in the singular or the plural."""
    whole = f"{message.subject}\n{message.body}\n{message.sender}".casefold()
    folded = word.casefold()
    return folded in whole or (len(folded) > 3 and folded.endswith("s") and folded[:-1] in whole)


def _gist(message: Message) -> str:
    """The first line of the body that is no greeting."""
    lines = [line.strip() for line in message.body.split("\n") if line.strip() and not line.strip().endswith(",")]
    return lines[0][:120] if lines else ""


def _shown(message: Message) -> JsonValue:
    facts = short(message)
    return {**facts, "gist": _gist(message)} if isinstance(facts, dict) else facts


def _line(message: Message) -> str:
    return f"{message.id}: {message.subject or '(no subject)'}, from {message.sender}, {message.date}"


def _listed(fits: list[Message], wish: MessageFilter) -> JsonValue:
    said = "; ".join(_line(message) for message in fits[:MOST]) or "nothing found in Inbox and Sent"
    return {"answer": f"{wish.said}: {said}", "count": len(fits), "messages": [_shown(message) for message in fits[:MOST]]}


def _summed(state: MailState, wish: MessageFilter) -> JsonValue:
    if wish == MessageFilter():
        raise FunctionDeclined(f"say which mail: unread, from someone, or about something; {CAN}")
    fits = _fitting(state, wish)
    said = "; ".join(f"{message.sender} on {message.subject or '(no subject)'}: {_gist(message)}" for message in fits[:MOST])
    count = f"{len(fits)} {wish.said}"
    return {"answer": f"{count}. {said}".strip(), "count": len(fits), "messages": [_shown(message) for message in fits[:MOST]]}


def _drafted(update: Drive[MailState], state: MailState, what: str, rest: str) -> FunctionResult[MailState]:
    found = _SAYING.search(rest)
    body = rest[found.end() :].strip() if found else ""
    if not found or not body:
        raise FunctionDeclined(f'say what to write: "draft a {what} to ... saying ..."')
    if len(body) > 1 and body[0] == body[-1] and body[0] in "\"'":
        body = body[1:-1]
    who, topic = _cut(_ABOUT, rest[: found.start()])
    if what in ("reply", "answer", "response"):
        message = _answered(state, " ".join(who.split()), topic)
        done = draft(update, state, Letter(body=body), answering(update, state, message))
        about: JsonValue = {"id": message.id, "subject": message.subject}
    else:
        address = who.strip()
        if bad_address(address) or not address:
            raise FunctionDeclined(f"{address!r} is not a mail address")
        done = draft(update, state, Letter(to=address, subject=topic.strip(), body=body))
        about = None
    result: JsonValue = {"answer": "The draft is in Drafts; it was not sent", "draft": done.result, "replies_to": about}
    return done._replace(result=result)


def _answered(state: MailState, who: str, topic: str) -> Message:
    """The newest message in the inbox from that person. Raises FunctionDeclined when there is none, or more than one person."""
    wish = MessageFilter(who.removeprefix("the mail from ").removeprefix("mail from "), _wish(topic).words)
    if not wish.sender:
        raise FunctionDeclined('say whom to answer: "draft a reply to Bob saying ..."')
    fits = [message for message in _fitting(state, wish) if message.folder == "Inbox"]
    senders = sorted({message.sender for message in fits})
    if not fits:
        raise FunctionDeclined(f"there is no {wish.said} in the inbox")
    if len(senders) > 1:
        raise FunctionDeclined(f"{who!r} may be {', '.join(senders[:8])}; say which")
    return fits[0]
