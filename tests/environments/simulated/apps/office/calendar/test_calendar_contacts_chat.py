"""Calendar, contacts and chat in one world: whatever is done, no exception, and the store gives back what was there."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.world.worldfile import parse_world
from protocol import parse_action

WORLD = """
today: 2026-03-05
apps: {calendar: , contacts: {generate: 30}, chat: , mail: }
open: [chat, contacts, calendar]
events:
  - {when: {after_actions: 4, once: false}, edit: {app: chat, path: incoming.1, value: Psst}}
"""
APPS = ("calendar", "contacts", "chat")
TEXTS = st.text(max_size=8) | st.sampled_from(["12:30", "a@x.org", "2026-03-01", "2199-12-31", "1900-01-01", "hello?", "25:00"])
KEYS = (["Enter"], ["Escape"], ["Tab"], ["Control", "n"], ["Control", "s"], ["Alt", "ArrowLeft"], ["Alt", "ArrowRight"])
CALLS = (
    ("calendar", "delete_event", {"id": "1"}),
    ("calendar", "create_event", {"title": "x", "start": "2026-03-05 23:30", "end": "2026-03-06 00:30", "repeat": "Daily"}),
    ("calendar", "update_event", {"id": "2", "repeat": "Weekly", "until": "2026-04-01"}),
    ("contacts", "merge_contacts", {"ids": ["1", "2"]}),
    ("contacts", "delete_contact", {"id": "3"}),
    ("chat", "send_message", {"conversation": "1", "text": "why?"}),
    ("chat", "leave_conversation", {"conversation": "2"}),
)
REQUESTS = ("move team lunch to Thursday 23:30", "add x tomorrow 23:59 for 1 hour", "what do I have this month")
PICK = st.integers(0, 400)
MOVES = st.one_of(
    st.builds(lambda n, c: {"action_type": "click", "pick": n, "count": c}, PICK, st.sampled_from([1, 1, 1, 2])),
    st.builds(lambda n, t: {"action_type": "fill", "pick": n, "text": t}, PICK, TEXTS),
    st.builds(lambda n, t, s: {"action_type": "type", "pick": n, "text": t, "submit": s}, PICK, TEXTS, st.booleans()),
    st.builds(lambda k: {"action_type": "press_key", "keys": k}, st.sampled_from(KEYS)),
    st.builds(lambda a: {"action_type": "launch_app", "app": a}, st.sampled_from(APPS)),
    st.builds(lambda c: {"action_type": "call_api", "app": c[0], "function": c[1], "arguments": c[2]}, st.sampled_from(CALLS)),
    st.builds(lambda q: {"action_type": "ask_in_app_agent", "app": "calendar", "request": q}, st.sampled_from(REQUESTS)),
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(MOVES, max_size=30), st.integers(0, 5))
def test_nothing_raises_and_the_store_gives_back_the_world_as_it_was(moves, seed):
    spec = parse_world(WORLD, seed=seed)
    memory = SimulatedDesktop(spec)
    with tempfile.TemporaryDirectory() as folder:
        stored = SimulatedDesktop(spec, store=Path(folder))
        for n, move in enumerate(moves):
            elements = memory.observe().elements
            data = dict(move)
            if "pick" in data:
                data["target"] = {"element_id": elements[data.pop("pick") % len(elements)].element_id}
            action = parse_action(data)
            result = memory.perform(action, key=str(n))
            assert result.ok == (not result.error)
            assert stored.perform(action, key=str(n)) == result
            if n % 10 == 5:
                stored.close()
                stored = SimulatedDesktop(spec, store=Path(folder))
        assert stored.state_hash() == memory.state_hash()
        assert stored.observe().state_id == memory.observe().state_id
        stored.close()
