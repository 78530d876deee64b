"""The canonical English of a clause reads back to the same clause, whatever stands in it."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from roles.policies.rules.grammar import describe, parse
from roles.screen.language import clauses as c
from roles.screen.language.lexicon import FILTERS, PICKS

TEXT = st.text(max_size=30)
NAME = st.text(min_size=1, max_size=20)
NAMES = st.lists(NAME, min_size=1, max_size=3).map(tuple)
APP = st.one_of(st.just(""), NAME)
VALUES = st.builds(c.Value, TEXT, st.lists(NAME, max_size=3).map(tuple))
SAID = st.one_of(st.just(c.Value()), VALUES.filter(bool))
ENTITIES = st.builds(
    c.Entity,
    st.one_of(st.sampled_from(["", "invoice", "mail", "note", "file", "item"]).filter(lambda n: n != "item"), NAME),
    TEXT,
    TEXT,
    TEXT,
    TEXT,
    st.lists(st.sampled_from(sorted(FILTERS)), max_size=2, unique=True).map(tuple),
    st.sampled_from(["", *sorted(set(PICKS.values()))]),
).filter(bool)
MAYBE = st.one_of(st.just(c.NOTHING), ENTITIES)
CLAUSES = st.one_of(
    st.builds(c.Open, NAME),
    st.builds(c.OpenItem, APP, ENTITIES),
    st.builds(c.Read, APP, NAMES, MAYBE, st.one_of(st.just(()), NAMES)),
    st.builds(c.Enter, APP, VALUES, TEXT, MAYBE, st.booleans()),
    st.builds(c.Complete, APP),
    st.builds(c.Select, APP, VALUES, TEXT),
    st.builds(c.Check, APP, TEXT, st.booleans()),
    st.builds(c.ClickOn, APP, TEXT),
    st.builds(c.Press, APP, NAMES),
    st.builds(c.Commit, APP, st.sampled_from(["submit", "send", "save"]), TEXT, TEXT),
    st.builds(c.Search, APP, TEXT),
    st.builds(c.Compose, APP, NAMES, SAID, SAID, st.booleans()),
    st.builds(c.Reply, APP, ENTITIES, SAID, st.booleans()),
    st.builds(c.Forward, APP, ENTITIES, NAMES, SAID),
    st.builds(c.Create, APP, TEXT, SAID, SAID),
    st.builds(c.Rename, APP, ENTITIES, TEXT),
    st.builds(c.Move, APP, ENTITIES, TEXT),
    st.builds(c.Delete, APP, ENTITIES),
    st.builds(c.Scroll, APP, st.sampled_from(["up", "down", "left", "right"])),
    st.builds(c.Pause, APP, st.floats(0, 600, allow_nan=False)),
    st.builds(c.Tell, APP, VALUES),
    st.builds(c.Remember, APP, TEXT, TEXT),
    st.builds(c.Avoid, APP, TEXT),
    st.builds(c.Unknown, APP, TEXT),
)


@settings(max_examples=400, deadline=None)
@given(CLAUSES)
def test_what_is_described_is_understood_as_the_same(clause: c.Clause) -> None:
    assert parse(describe(clause)) == [clause]


@settings(max_examples=100, deadline=None)
@given(st.lists(CLAUSES, min_size=1, max_size=5))
def test_an_instruction_of_several_sentences_keeps_every_clause(clauses: list[c.Clause]) -> None:
    assert parse(" ".join(f"{describe(clause)}." for clause in clauses)) == clauses


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=200))
def test_any_text_is_parsed_without_an_error(text: str) -> None:
    parse(text)
