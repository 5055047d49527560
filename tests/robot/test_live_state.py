"""What pages of a live scene know: speed, curves of the past, settings, the end of a run."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace

import numpy as np
import pytest
from live_loop import looped, shown

from robot.gait import Standing
from robot.live.hands_on_press import HandsOnPress
from robot.live.hands_on_walk import HandsOnWalk
from robot.live.scene_frames import SceneFrames
from robot.live.scene_server import PAST, SceneServer
from robot.live.scene_snapshot import NUMBERS
from robot.measures import Fall
from robot.walk import Scenario, SoleChoice
from sole.base.errors import SoleError
from sole.condense import load_condensed

STAND = Scenario(
    robot="rengifo14",
    sole=SoleChoice(size=0.06, element="p1"),
    gait=Standing(),
    settle=0.2,
)
SPEED, FACTOR = NUMBERS.index("speed"), NUMBERS.index("factor")


@pytest.fixture(scope="module")
def hands():
    return HandsOnWalk(STAND, every=1, nodes=20)


@pytest.fixture
def press(pad_file):
    return HandsOnPress(load_condensed(pad_file), friction=0.6)


def test_the_speed_is_chosen_in_bounds_and_every_page_sees_it(press):
    with looped(press) as (do, said):
        do({"do": "speed", "speed": 0.25})
        assert said.loop.clock.speed == 0.25
        assert said.loop.shared.read()[1][[FACTOR, SPEED]].tolist() == [0.25, 0.25]
        do({"do": "speed", "speed": 9.0})
        assert any("not done: speed must be 0.02 to 4, got 9" in text for text in said.of("say"))
        do({"do": "restart"})  # the speed is the page's, not the run's
        assert said.loop.clock.speed == 0.25


def test_a_haptic_device_has_real_time(hands, monkeypatch):
    hands.begin()
    hands.check_speed(0.5)
    monkeypatch.setattr(hands, "device", object())
    hands.check_speed(1.0)
    with pytest.raises(SoleError, match="real time"):
        hands.check_speed(0.5)


def test_the_curves_of_a_walk_are_those_of_its_frames(hands):
    hands.begin()
    hands.obey({"do": "grab", "joint": 0, "point": [0, 0, 0.1], "target": [0.2, 0.05, 1.0],
                "stiffness": 300.0})  # fmt: skip
    for _ in range(40):
        hands.advance()
    row = hands.row(factor=1, stamp=0, paused=0, session=0, speed=1)
    frame = np.frombuffer(SceneFrames(hands.layout, hands.bodies).frame(row), "<f4")
    grip = frame[len(NUMBERS) :][:9].reshape(3, 3)
    tilt, *_ = rest = frame[len(NUMBERS) + 9 :]
    forces = rest[1 + 3 :][:6].reshape(2, 3)[:, 2]
    told, left, right, pull = hands.curves()
    assert told == pytest.approx(np.degrees(tilt), rel=1e-5) and told > 0
    assert [left, right] == pytest.approx(forces.tolist(), rel=1e-5) and min(left, right) > 50
    assert pull == pytest.approx(np.linalg.norm(grip[2]), rel=1e-5) and pull > 1
    hands.begin()


def test_the_curves_of_a_press_are_depth_force_and_shear(press):
    press.obey({"do": "move", "z": -3e-4, "x": 1e-4})
    for _ in range(60):
        press.advance()
    depth, force, shear = press.curves()
    assert depth == pytest.approx(0.3, abs=1e-9) and force == press.wrench[2] > 10
    assert shear == pytest.approx(np.hypot(*press.wrench[:2])) and shear > 1


def test_a_point_of_the_plots_is_told_every_tenth_of_a_second_and_anew_after_a_restart(press):
    with looped(press) as (do, said):
        for _ in range(13):  # 0.65 s
            do({"do": "let go"}, 3)
        times = [row[0] for row in said.of("curve")]
        assert len(times) == 7 and np.diff(times).min() >= 0.1 - 1e-9
        assert all(len(row) == 4 for row in said.of("curve"))
        said.sent.clear()
        do({"do": "restart"})
        kinds = [kind for kind, *_ in said.sent]
        assert said.of("curve")[0][0] == pytest.approx(2 / 60, abs=1e-4)  # `do` makes a step, too
        assert said.of("tell")[0] == {"session": 1} and kinds.index("tell") < kinds.index("curve")
        assert said.of("tell")[1] == {"set": press.settings()}


def test_the_gait_that_was_asked_for_last_is_a_setting(hands):
    hands.begin()
    with looped(hands) as (do, said):
        assert "forward" not in hands.settings()
        do({"do": "walk", "forward": 0.1, "sideways": 0, "turn_deg": 5.0})
        now = shown(said, {})
        assert (now["forward"], now["turn_deg"]) == (0.1, pytest.approx(5.0))
    hands.begin()


def test_a_fall_is_told_once_with_its_reason(hands):
    hands.begin()
    with looped(hands) as (do, said):
        hands.fall = Fall(True, 0.5, "the waist is too low")
        said.loop._say_over()
        said.loop._say_over()
        assert said.of("over") == [f"the robot fell at {hands.time:.2f} s: the waist is too low"]
        do({"do": "push", "impulse": 1.0, "heading_deg": 0.0}, 0)
        assert said.of("say")[-1] == "the run is over: restart"
        do({"do": "restart"})
        assert not hands.over and said.of("tell")[0] == {"session": 1}
    hands.begin()


class Page:
    """A connection that keeps what it is sent and goes when it has heard all that lasts."""

    def __init__(self):
        self.heard = []

    async def send(self, data):
        if isinstance(data, str):
            self.heard.append(json.loads(data))

    async def __aiter__(self):
        await asyncio.sleep(0.01)
        for none in ():
            yield none


class Still:
    """A simulator that shows nothing new."""

    count = -1


def opened_later(server):
    page = Page()
    server._broadcast = lambda data: None
    asyncio.run(server.serve(page))
    return page.heard


def test_a_page_that_opens_later_gets_the_settings_the_end_and_the_curves():
    server = SceneServer(Still(), None, lambda message: "")
    for k in range(2 * PAST):
        server.plot([0.1 * k, 1.0, 2.0])
    server.tell({"set": {"young": 1e6}})
    server.tell({"over": "the robot fell"})
    *told, past = opened_later(server)
    assert told == [{"set": {"young": 1e6}}, {"over": "the robot fell"}]
    assert len(past["past"]) == PAST and past["past"][-1][0] == pytest.approx(0.1 * (2 * PAST - 1))
    assert past["past"][-1][0] - past["past"][0][0] > 10.0  # what the plots show
    server.tell({"session": 1})
    server.plot([0.1, 0.0, 0.0])
    assert opened_later(server) == [{"past": [[0.1, 0.0, 0.0]]}]


def test_a_restart_that_was_only_asked_for_forgets_nothing():
    """A plate that waits before it is put first, and must not show on pages that open later."""
    server = SceneServer(Still(), None, lambda message: "")
    server.tell({"set": {"young": 1e6}})
    asyncio.run(server._take(None, json.dumps({"do": "restart"})))
    assert server.lasting == [{"set": {"young": 1e6}}]
    server.tell({"plate": {"x": 1.0}})
    server.tell({"session": 1})
    assert server.lasting == []


def test_settings_with_a_late_change_of_the_scenario_follow_the_restart(hands):
    hands.begin()
    first = hands.first
    with looped(hands) as (do, said):
        do({"do": "set", "friction": 0.3})
        said.sent.clear()
        do({"do": "restart"})
        (told,) = (data["set"] for data in said.of("tell") if "set" in data)
        assert told["friction"] == first.sole.friction
    assert hands.first == replace(first)
