"""Faults strike any environment: the same ones for the same seed and key, and each leaves what it says it leaves."""

from pathlib import Path

import pytest

from environments.check import check_environment
from environments.contract import ActionRecord, AppCatalog, DigestMismatch, EnvironmentFault, KnownKeys, Peek, WorldState
from environments.effects import Preview
from environments.faults.faults import Fault, FaultKind, FaultyEnvironment
from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.world.worldfile import parse_world
from protocol import ActionResult, ActionTarget, Click, ExecStatus, Fill, Type, Wait

WORLD = "name: w\napps: {reimbursement: {}, mail: {}}\nopen: [reimbursement]\n"


def faulty(*faults: Fault, seed: int = 0) -> FaultyEnvironment:
    return FaultyEnvironment(SimulatedDesktop(parse_world(WORLD)), faults, seed)


def press(env: FaultyEnvironment, name: str, key: str = "k") -> ActionResult:
    return env.perform(Click(target=ActionTarget(text=name)), key=key)


def shown(env: FaultyEnvironment) -> list[str]:
    return [element.name for element in env.observe().elements]


def fault(kind: FaultKind, **more: object) -> Fault:
    return Fault.model_validate({"kind": kind, **more})


def test_without_faults_it_is_the_inner_environment():
    env = faulty()
    assert all(isinstance(env, capability) for capability in (AppCatalog, WorldState, Peek, ActionRecord))


@pytest.mark.parametrize(
    ("kind", "said"),
    [(FaultKind.SWALLOW, ""), (FaultKind.NOT_SAVED, "the network is down"), (FaultKind.TIMEOUT, "did not answer in time"),
     (FaultKind.STALE, "no longer on the screen"), (FaultKind.EXPIRED, "sign in again")],
)  # fmt: skip
def test_a_dry_fault_says_so_and_leaves_the_world_as_it_was(kind: FaultKind, said: str):
    env = faulty(fault(kind, times=1))
    before = env.observe().state_id
    result = press(env, "My claims", "a")
    assert result.ok == (kind is FaultKind.SWALLOW)
    assert said in result.error
    assert env.observe().state_id == before
    assert [struck.kind for struck in env.struck] == [kind]
    assert press(env, "My claims", "b").ok


def test_an_error_may_leave_the_effect_a_press_be_taken_twice_and_a_broken_adapter_raises_until_a_new_key():
    env = faulty(fault(FaultKind.SAVED_ANYWAY))
    before = env.observe().state_id
    assert press(env, "My claims").exec_status is ExecStatus.ERROR
    assert env.observe().state_id != before
    env = faulty(fault(FaultKind.TWICE))
    assert (press(env, "My claims").ok, len(env.received())) == (True, 2)  # type: ignore[attr-defined]
    env = faulty(fault(FaultKind.BREAK, times=1))
    with pytest.raises(EnvironmentFault, match="session was lost"):
        press(env, "My claims", "a")
    assert press(env, "My claims", "b").ok


def test_the_same_seed_and_keys_meet_the_same_faults_in_a_new_process():
    def strikes(seed: int) -> list[str]:
        env = faulty(fault(FaultKind.SWALLOW, rate=0.4), seed=seed)
        for n in range(60):
            press(env, "My claims", f"k{n}")
        return [struck.key for struck in env.struck]

    assert strikes(1) == strikes(1)
    assert strikes(1) != strikes(2)
    assert 10 < len(strikes(1)) < 40


def test_faults_strike_only_what_they_name():
    env = faulty(fault(FaultKind.NOT_SAVED, verbs=("fill",), apps=("reimb*",), targets=("Amount*",)))
    assert press(env, "My claims", "a").ok
    press(env, "New claim", "b")
    fields = [e for e in env.observe().elements if e.role == "textbox"]
    results = {e.name: env.perform(Fill(target=ActionTarget.of(e), text="1"), key=e.name).ok for e in fields}
    assert not any(ok for name, ok in results.items() if name.startswith("Amount"))
    assert any(results.values())


def test_only_part_of_what_is_typed_arrives_or_the_focus_goes_on_before():
    env = faulty(fault(FaultKind.AUTOCOMPLETE, text="!"))
    assert env.perform(Fill(target=ActionTarget(text="Description"), text="abcdef"), key="a").ok
    assert next(e for e in env.observe().elements if e.name == "Description").value == "abc!"
    assert press(env, "My claims").ok
    assert [struck.key for struck in env.struck] == ["a"]
    env = faulty(fault(FaultKind.FOCUS))
    press(env, "Vendor", "a")
    assert env.perform(Type(text="Oak"), key="b").ok
    values = {e.name: e.value for e in env.observe().elements}
    assert (values["Vendor"], values["Invoice number"]) == ("", "Oak")
    assert [struck.key for struck in env.struck] == ["b"]


def test_a_run_that_is_resumed_knows_what_struck_before(tmp_path: Path):
    record = tmp_path / "faults.jsonl"

    def start() -> FaultyEnvironment:
        inner = SimulatedDesktop(parse_world(WORLD), store=tmp_path)
        return FaultyEnvironment(inner, [fault(FaultKind.NOT_SAVED, times=2), fault(FaultKind.BREAK, times=1)], 0, record)

    first = start()
    failed = press(first, "My claims", "a")
    first.close()
    with record.open("a") as file:
        file.write('\n{"key": "cut sho')
    second = start()
    assert press(second, "My claims", "a") == failed
    with pytest.raises(DigestMismatch):
        second.perform(Wait(), key="a")
    assert not press(second, "My claims", "b").ok
    with pytest.raises(EnvironmentFault):
        press(second, "My claims", "c")
    second.close()
    third = start()
    assert press(third, "My claims", "c").ok
    assert [struck.kind for struck in third.struck] == ["not_saved", "not_saved", "break"]
    third.reset()
    assert third.struck == []
    third.close()


@pytest.mark.parametrize("kind", [kind for kind in FaultKind if kind is not FaultKind.BREAK])
def test_every_action_that_was_answered_is_known_and_nothing_besides(kind: FaultKind, tmp_path: Path):
    def start(record: str) -> FaultyEnvironment:
        inner = SimulatedDesktop(parse_world(WORLD), store=tmp_path)
        return FaultyEnvironment(inner, [fault(kind, text="Carry on", times=2)], 0, tmp_path / record)

    env = start("faults.jsonl")
    for key in "abcd":
        env.perform(Type(text="x"), key=key)
    assert isinstance(env, KnownKeys)
    assert sorted(env.latest_keys(9)) == list("abcd")
    assert env.latest_keys(1) == ["d"]
    env.close()
    again = start("faults.jsonl")
    assert sorted(again.latest_keys(9)) == list("abcd")  # type: ignore[attr-defined]
    again.inner.perform(Wait(), key="e")  # as a kill leaves it
    assert again.latest_keys(2)[0] == "e"  # type: ignore[attr-defined]
    again.close()


@pytest.mark.parametrize("kind", list(FaultKind))
def test_the_contract_holds_around_a_control_that_is_struck(kind: FaultKind):
    env = faulty(fault(kind, targets=("My claims",), text="Carry on"))
    assert check_environment(env)


def test_every_kind_can_be_said_in_a_word_and_words_that_mean_none_are_refused():
    assert {Fault.of(f"{kind}:0.25").rate for kind in FaultKind} == {0.25}
    for words in ("swalow", "swallow:2", "swallow:x"):
        with pytest.raises(ValueError, match=r"there is no fault|is not a rate"):
            Fault.of(words)


@pytest.mark.parametrize("kind", [FaultKind.TWICE, FaultKind.AUTOCOMPLETE, FaultKind.FOCUS])
def test_what_an_action_changes_is_unknown_while_a_fault_may_do_otherwise(kind):
    def preview(fault_: Fault, env: FaultyEnvironment | None = None):
        env = env or faulty(fault_)
        assert isinstance(env, Preview)
        return env.preview(Type(text="12.50"))

    assert preview(fault(kind)) is None
    assert preview(fault(kind, rate=0.01)) is None
    assert preview(fault(kind, rate=0.0)) == ()
    assert preview(fault(kind, verbs=("click",))) == ()
    spent = faulty(fault(kind, times=1))
    spent.perform(Type(text="1"), key="k")
    assert [struck.kind for struck in spent.struck] == [kind]
    assert preview(fault(kind), spent) is not None


def test_what_was_done_before_a_kill_and_not_written_down_is_known_by_its_key(tmp_path: Path):
    """The inner environment is asked for the same action again, whatever the screen shows in the target's place by then."""

    def start() -> FaultyEnvironment:
        inner = SimulatedDesktop(parse_world(WORLD), store=tmp_path)
        return FaultyEnvironment(inner, [fault(FaultKind.SWALLOW, times=1, targets=("Submit",))], 0, tmp_path / "faults.jsonl")

    first = start()
    assert press(first, "My claims", "a").ok
    seen = next(element for element in first.observe().elements if element.name == "New claim")
    at = ActionTarget(track_id=seen.track_id, element_id=seen.element_id, text=seen.text, bbox=seen.bbox)
    assert first.perform(Click(target=at), key="b").ok
    first.close()
    record = tmp_path / "faults.jsonl"
    record.write_text(record.read_text().rpartition("\n")[0])
    second = start()
    assert second.perform(Click(target=at), key="b").ok
    assert len(second.received()) == 2  # type: ignore[attr-defined]
    second.close()
