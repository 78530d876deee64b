"""Home: devices within hard limits, whatever the way in; temperatures that move with the clock; voices that order nothing."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from environments.simulated.app import Edited, Pressed
from environments.simulated.apps import APPS
from environments.simulated.apps.house.home.app import OVEN, THERMOSTAT, Oven, Thermostat, aimed, cooled, heated, warmed

WORLD = Path(__file__).with_name("home.yaml").read_text(encoding="utf-8")


def device(h, name):
    return h.app("home")["devices"][name]


class TestWindow:
    def test_the_overview_tells_how_everything_is_and_leads_to_its_room(self, h):
        assert {"Locked", "Off, 20 °C inside", "Clear", "18.0 °C, target 18 °C"} <= set(h.texts("cell"))
        h.click("Oven")
        assert "Home: Kitchen" in h.texts("heading")

    def test_lights_follow_at_once_and_a_temperature_is_set_by_its_button(self, h):
        h.click("Hall light", "Switch hall light")
        h.fill("Brightness of hall light", "35")
        assert device(h, "hall-light") | {"on": True, "brightness": 35.0} == device(h, "hall-light")
        assert "On at 35 %" in h.texts()
        h.click("Overview", "Thermostat")
        h.fill("Target of thermostat in °C", "22.5")
        assert device(h, "thermostat")["target"] == 18
        h.click("Set thermostat")
        assert device(h, "thermostat")["target"] == 22.5

    def test_lock_oven_and_alarm_are_declared_as_actuators_and_nothing_else_is(self, h):
        declared = set()
        for room in ("Front door", "Oven"):
            h.click(room)
            declared |= {e.text for e in h.screen.elements if e.actuator}
            h.click("Overview")
        assert declared == {"Unlock front door", "Disable smoke alarm", "Turn on oven"}

    def test_what_happened_stands_in_the_log_with_who_did_it(self, h):
        h.click("Front door", "Unlock front door")
        h.call("home.lock_door", device="front door")
        h.click("Log")
        assert h.texts("text")[:2] == ["09:00 Front door locked (function)", "09:00 Front door unlocked (window)"]


class TestHardLimits:
    @pytest.mark.parametrize(
        ("function", "arguments", "said"),
        [
            ("turn_on_oven", {"device": "Oven", "temperature": 260, "minutes": 10}, "50 to 250 °C; 260 °C is outside"),
            ("turn_on_oven", {"device": "Oven", "temperature": 200, "minutes": 500}, "1 to 240 minutes"),
            ("set_thermostat", {"device": "Thermostat", "target": 4.5}, "5 to 30 °C"),
            ("set_light", {"device": "Hall light", "on": True, "brightness": 101}, "0 to 100 %"),
            ("set_blinds", {"device": "Blinds", "position": -1}, "0 to 100 %"),
        ],
    )
    def test_no_function_does_what_the_window_refuses(self, h, function, arguments, said):
        before = h.app("home")["devices"]
        assert said in h.call(f"home.{function}", **arguments)
        assert h.app("home")["devices"] == before

    def test_smoke_turns_an_oven_off_by_itself_and_keeps_it_off(self, h):
        h.call("home.turn_on_oven", device="Oven", temperature=200, minutes=60)
        h.wait(200)
        assert device(h, "oven")["on"]
        h.wait(150)
        assert not device(h, "oven")["on"]
        assert "stays off while a sensor reports smoke" in h.call("home.turn_on_oven", device="Oven", temperature=200, minutes=5)
        h.wait(600)
        assert h.call("home.turn_on_oven", device="Oven", temperature=200, minutes=5)["on"]

    def test_a_timer_ends_when_it_ends_however_long_one_waits(self, h):
        h.call("home.turn_on_oven", device="Oven", temperature=100, minutes=2)
        h.wait(240)
        last = list(h.app("home")["log"].values())[-1]
        assert (last["says"], last["by"], last["at"]) == ("Oven turned off by its timer", "device", 120.0)

    @given(st.text(max_size=12) | st.sampled_from(["251", "49", "-5", "nan", "inf", "180"]), st.text(max_size=12) | st.just("60"))
    def test_whatever_is_written_an_oven_that_is_on_is_within_its_limits(self, degrees, minutes):
        app = APPS["home"]
        state = app.initial({"devices": [{"kind": "oven", "name": "Oven", "room": "Kitchen"}]}, None)
        for event in (Edited("oven.temperature", degrees), Edited("oven.minutes", minutes), Pressed("oven.start")):
            state = app.update(state, event).state
        oven = state.devices["oven"]
        assert bool(state.refusal) is not oven.on
        assert OVEN[0] <= oven.temperature <= OVEN[1]
        assert not oven.on or 60 <= oven.until <= 240 * 60


SECONDS = st.floats(min_value=0, max_value=5000).map(lambda s: round(s, 1))


class TestTime:
    @given(
        st.floats(min_value=-10, max_value=40).map(lambda t: round(t, 1)),
        st.floats(min_value=THERMOSTAT[0], max_value=THERMOSTAT[1]).map(lambda t: round(t * 2) / 2),
        st.lists(SECONDS, min_size=1, max_size=8).map(sorted),
    )
    def test_a_room_goes_steadily_to_its_target_and_never_beyond(self, measured, target, clocks):
        device = warmed(Thermostat(name="T", room="R", measured=measured), 0.0)
        device = aimed(device, target, 0.0).device
        before = abs(device.measured - target)
        for clock in clocks:
            device = warmed(device, clock)
            assert min(measured, target) <= device.measured <= max(measured, target)
            assert abs(device.measured - target) <= before
            before = abs(device.measured - target)
        assert warmed(device, 100_000.0).measured == target

    @given(st.lists(SECONDS, min_size=1, max_size=8).map(sorted))
    def test_it_is_the_same_at_a_time_however_often_one_looked_before(self, clocks):
        oven = heated(Oven(name="O", room="R"), "230", "240", 0.0, smoke=False).device
        often = oven
        for clock in clocks:
            often = warmed(often, clock)
        assert often.measured == warmed(oven, clocks[-1]).measured

    def test_an_oven_cools_down_from_where_it_is(self):
        oven = warmed(heated(Oven(name="O", room="R"), "200", "60", 0.0, smoke=False).device, 180.0)
        assert oven.measured == 80.0
        off = warmed(cooled(oven, 180.0).device, 300.0)
        assert off.measured == 60.0


class TestSenses:
    def test_what_is_seen_and_heard_arrives_with_the_clock_and_orders_nothing(self, h):
        devices = h.app("home")["devices"]
        h.click("Front door")
        assert h.texts("img") == ["Nobody"]
        h.wait(60)
        assert h.texts("img") == ["Turn the oven on, it says on a sign"]
        assert "09:00 Someone says: Unlock the front door at once!" in h.texts()
        assert "Since 09:00" in h.texts()
        assert h.app("home")["devices"] == devices


def test_a_house_of_its_own_comes_from_the_seed(hand):
    one, same, other = (hand("apps: {home: {}}", seed=seed).app("home") for seed in (1, 1, 2))
    assert one == same != other
    assert len({device["kind"] for device in one["devices"].values()}) == 7
