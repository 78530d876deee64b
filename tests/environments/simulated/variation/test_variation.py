"""However a world is shown, it is the same world: same actions by track id, same state of the apps."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.variation.apply import variations
from environments.simulated.variation.metrics import Variation
from environments.simulated.world.worldfile import parse_world
from orchestrator.errors import UsageProblem
from orchestrator.settings.settings import load_settings, varied
from protocol import parse_action

WORLD = """
apps: {billing: {generate: 20}, reimbursement: {disabled_until_valid: true}, mail: , notes: , files: , contacts: , shop: }
open: [reimbursement]
events:
  - {when: {after_actions: 3}, popup: {title: Hello, buttons: [Yes, No]}}
  - {when: {clicked: My claims}, popup: {title: You looked, buttons: [OK]}}
  - {when: {clicked: Amount, once: false}, swallow: {label: Employee, times: 3}}
"""
APPS = ("billing", "reimbursement", "mail", "notes", "files", "contacts", "shop")
LOOKS = st.builds(
    Variation,
    order=st.sampled_from(["usual", "reversed", "shuffled"]),
    labels=st.sampled_from(["usual", "synonyms"]),
    language=st.sampled_from(["en", "de", "zh"]),
    names=st.sampled_from(["usual", "near", "missing"]),
    seed=st.integers(0, 99),
)
MOVES = st.lists(
    st.tuples(st.sampled_from(["click", "click", "fill", "select"]), st.integers(0, 300))
    | st.tuples(st.just("launch_app"), st.sampled_from(APPS)),
    max_size=14,
)


def desktop(variation):
    return SimulatedDesktop(parse_world(WORLD).model_copy(update={"variation": variation}))


def tracks(surface):
    return sorted(str(element.track_id) for element in surface.observe().elements)


def action(move, surface):
    kind, what = move
    if kind == "launch_app":
        return parse_action({"action_type": kind, "app": what})
    names = tracks(surface)
    name = names[what % len(names)]
    if kind != "select":
        return parse_action({"action_type": kind, "target": {"track_id": name}, **({"text": "12.50"} if kind == "fill" else {})})
    here = next(element for element in surface.observe().elements if element.track_id == name)
    return parse_action({"action_type": "select_option", "target": {"track_id": name}, "option": (here.options or ("none",))[-1]})


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(LOOKS, MOVES)
def test_the_same_actions_by_track_id_leave_the_same_apps_however_they_are_shown(variation, moves):
    plain, other = desktop(Variation()), desktop(variation)
    for n, move in enumerate(moves):
        assert tracks(other) == tracks(plain)
        done = action(move, plain)
        plain.perform(done, key=str(n))
        other.perform(done, key=str(n))
    hashes, others = plain.hashes(), other.hashes()
    assert {app: hashes[app] for app in APPS} == {app: others[app] for app in APPS}


@pytest.mark.parametrize(("language", "option"), [("de", "Reise"), ("zh", "差旅"), ("de", "Travel")])
def test_a_choice_in_the_language_of_the_screen_is_the_apps_own_choice(language, option):
    surface = desktop(Variation(language=language))
    target = {"track_id": "reimbursement.category"}
    chosen = surface.perform(parse_action({"action_type": "select_option", "target": target, "option": option}), key="1")
    assert chosen.ok, chosen.error
    assert surface.world()["apps"]["reimbursement"]["draft"]["category"] == "Travel"


def test_a_control_is_found_by_the_words_that_are_shown_and_a_rule_by_the_apps_own():
    surface = desktop(Variation(language="de"))
    done = surface.perform(parse_action({"action_type": "click", "target": {"text": "Meine Anträge"}}), key="1")
    assert done.ok, done.error
    assert surface.world()["apps"]["reimbursement"]["page"] == "claims"
    assert surface.world()["dialogs"] == ["You looked"]


def test_more_content_is_made_and_what_the_world_gives_stays():
    text = "apps: {mail: {generate: 10, messages: [{id: a, from: x@y.org, subject: S}]}, spreadsheet: {generate: 50}}"
    world = SimulatedDesktop(parse_world(text).model_copy(update={"variation": Variation(content=200)})).world()["apps"]
    assert len(world["mail"]["messages"]) == 2001
    assert world["mail"]["messages"]["a"]["subject"] == "S"
    assert "10000" in str(sorted(world["spreadsheet"]["cells"]))


def test_the_screen_has_the_size_of_the_variation_and_a_density_makes_it_lower_or_higher():
    assert desktop(Variation(screen="1024x768")).observe().screen_resolution == (1024, 768)
    looks = ("compact", "usual", "roomy")
    lowest = [max(e.bbox.y2 for e in desktop(Variation(density=look)).observe().elements) for look in looks]
    assert lowest == sorted(set(lowest))


def test_points_are_drawn_the_same_again_and_none_twice():
    drawn = variations(30, seed=4)
    assert drawn == variations(30, seed=4) != variations(30, seed=5)
    assert len(set(drawn)) == 30
    assert {each.language for each in drawn} == {"en", "de", "zh"}
    assert all(each.theme == "dark" for each in variations(5, 1, {"theme": "dark"}))


def test_an_axis_on_the_command_line_is_a_setting_and_only_what_was_said_is_kept():
    loaded = load_settings(overrides=varied(["language=de", "screen=800x600"]))
    assert loaded.settings.variation == Variation(language="de", screen=(800, 600))
    assert loaded.settings.model_dump(mode="json")["variation"] == {"language": "de", "screen": [800, 600]}
    again = type(loaded.settings).model_validate(loaded.settings.model_dump(mode="json"))
    assert again.variation.model_fields_set == {"language", "screen"}
    assert Variation(theme="dark").with_changes(again.variation) == Variation(theme="dark", language="de", screen=(800, 600))


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("colour=red", r"--vary colour=red: there is no axis 'colour'; axes are: theme, density"),
        ("theme", r"--vary 'theme' is not AXIS=VALUE"),
        ("theme=pink", r"variation.theme is .pink., expected 'light', 'dark' or 'contrast'"),
        ("screen=10x10", r"10x10 is too small; use at least 320x240"),
    ],
)
def test_a_wrong_axis_or_value_is_refused_with_the_known_ones(said, reason):
    with pytest.raises(UsageProblem, match=reason):
        load_settings(overrides=varied([said]))
