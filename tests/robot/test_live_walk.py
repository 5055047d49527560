"""`sole live walk`: what happens is what a scenario repeats; the process, its socket, its page."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from browser import Browser, needs_browser
from live_client import Client, live, mouse
from live_loop import looped, shown

from robot.gait import Standing
from robot.live import hands_on_walk, real_time_clock, scene_snapshot, simulator_process
from robot.live.hands_on_walk import HandsOnWalk
from robot.live.ordered_end import OrderedEnd
from robot.live.running_walk import RunningWalk
from robot.live.scene_snapshot import SceneLayout
from robot.measures import Fall
from robot.pictures.browser import LivePage
from robot.run import load_run
from robot.walk import (
    RecordingOptions,
    Scenario,
    SceneChange,
    SoleChoice,
    assemble_walk,
    execute,
    execution,
    load_scenario,
    save_scenario,
)
from sole.base.blas_threads import one_blas_thread
from sole.base.errors import SoleError
from sole.base.stopping import SIGNALS
from sole.condense import STRAIN_LIMIT

STAND = Scenario(
    robot="rengifo14",
    sole=SoleChoice(size=0.06, element="p1"),
    gait=Standing(),
    settle=0.2,
)
NUMBERS = len(scene_snapshot.NUMBERS)  # of a frame, before grip


@pytest.fixture(scope="module")
def hands():
    return HandsOnWalk(STAND, every=1, nodes=20)


def grab(target, **more):
    return {"do": "grab", "joint": 0, "point": [0, 0, 0.1], "target": target, **more}


SCRIPT = {
    20: grab([0.1, 0.0, 0.9], stiffness=1000),
    25: {"do": "move", "target": [0.12, 0.01, 0.9]},
    60: {"do": "let go"},
    70: {"do": "push", "impulse": 2.0, "heading_deg": 100},
    80: {"do": "walk", "forward": 0.1, "sideways": 0, "turn_deg": 7.3},
    90: {"do": "set", "young": 1e6, "friction": 0.5},
    130: {"do": "set", "controller": "pd"},
    150: {"do": "set", "controller": "stabiliser"},
    160: {"do": "plate", "height": 0.005},
    170: {"do": "squat", "lower": 0.05},
    400: {"do": "set", "young": 5e6},
    430: grab([0.3, 0.2, 1.1], stiffness=500),
}


def test_what_happened_is_repeated_to_the_bit(hands, tmp_path, monkeypatch):
    monkeypatch.setattr(execution, "judge_end", lambda *_: Fall(False))  # up to ten seconds
    with one_blas_thread():  # as the process of a session
        hands.begin()
        for k in range(460):
            if k in SCRIPT:
                hands.obey(SCRIPT[k])
            hands.advance()
            assert not hands.over
        done, scenario = hands.finish()
    assert len(scenario.pull) == 2 and len(scenario.push) == 1 and len(scenario.change) == 5
    assert scenario.pull[1].end is None and scenario.duration == 460 * 1e-3
    save_scenario(tmp_path / "again.toml", scenario)
    walk = assemble_walk(load_scenario(tmp_path / "again.toml"))
    again = execute(walk, RecordingOptions(every=1, nodes=20)).run
    for name in done.run.series:
        np.testing.assert_array_equal(done.run[name], again[name], err_msg=name)
    for name in done.run.frames:
        np.testing.assert_array_equal(done.run.frames[name], again.frames[name], err_msg=name)
    assert done.run.header["scenario"] == again.header["scenario"]
    x = done.run["waist_position"][:, 0]
    assert x[60] > x[19] + 1e-4 and done.run["com"][399, 2] < done.run["com"][169, 2] - 0.003


def test_a_start_that_was_lifted_is_told():
    told = []
    RunningWalk(replace(STAND, ground="slope:angle_deg=3"), tell=told.append)
    (note,) = (text for text in told if "mm higher" in text)
    assert note.startswith("the robot starts ")


def test_it_begins_anew(hands):
    hands.begin()
    first = hands.walk.start.q.copy()
    hands.obey({"do": "set", "young": 1e6})
    for _ in range(3):
        hands.advance()
    one = hands.state.q
    hands.begin()
    assert hands.walk.scenario == hands.first and len(hands.recorder) == 0
    for _ in range(3):
        hands.advance()
    assert not np.array_equal(one, hands.state.q)  # the soles are those of the start again
    assert np.array_equal(first, hands.walk.start.q)


def test_pages_show_the_soles_and_the_controller_that_the_walk_has():
    """Also where a scenario changes them by itself, and after a restart or a refusal."""
    later = SceneChange(time=4e-3, friction=0.35)
    hands = HandsOnWalk(replace(STAND, change=(later,)))
    first = hands.settings()
    assert first["friction"] == STAND.sole.friction
    with looped(hands) as (do, said):
        do({"do": "let go"})
        assert shown(said, first) == first
        do({"do": "let go"}, 5)
        assert shown(said, first) == first | {"friction": 0.35}
    assert (first["young"], first["controller"]) == (STAND.sole.young, "stabiliser")
    with looped(hands) as (do, said):
        do({"do": "set", "young": 7e5, "controller": "pd"})
        now = shown(said, first)
        assert (now["young"], now["controller"], now["friction"]) == (7e5, "pd", 0.35)
        do({"do": "set", "controller": "magic"})
        assert shown(said, first | {"controller": "magic"})["controller"] == "pd"
        do({"do": "restart"})
        assert shown(said, first) == first == hands.settings()


def test_a_walk_tells_that_its_soles_are_beyond_linear_elasticity(hands):
    hands.begin()
    with looped(hands) as (do, said):
        do({"do": "let go"})
        assert hands.excess() == "" and not said.of("say")
        bodies = hands.walk.simulator.stepper.bodies
        moved = hands.state.soles.displacement.copy()
        moved[-1] = [0.0, 0.0, 2.43 * bodies.thickness[bodies.body[-1]]]
        hands.state = replace(hands.state, soles=replace(hands.state.soles, displacement=moved))
        do({"do": "let go"}, 0)
        (told,) = said.of("say")
        assert f"(deformation 2.4 of the thickness; limit {STRAIN_LIMIT:g})" in told
    hands.begin()


@pytest.mark.parametrize(
    "message, said",
    [
        ({}, "not known"),
        ({"do": "explode"}, "not known"),
        (grab([0, 0, float("nan")], stiffness=100), "finite"),
        (grab([0, 0, 1e300], stiffness=100), "-100 to 100"),
        (grab([0, 0], stiffness=100), "three numbers"),
        (grab([0, 0, 1], stiffness=1e5), "1 to 5000"),
        (grab([0, 0, 1], stiffness=True), "finite number"),
        ({**grab([0, 0, 1], stiffness=100), "joint": 99}, "joint must be"),
        ({"do": "push", "impulse": 1e6, "heading_deg": 0}, "0 to 200"),
        ({"do": "push", "impulse": "5", "heading_deg": 0}, "finite number"),
        ({"do": "set", "young": -1}, "young must be"),
        ({"do": "set", "poisson": 0.1}, "0.2 to 0.45"),
        ({"do": "set", "controller": "none"}, "controller"),
        ({"do": "walk", "forward": 0.9, "sideways": 0, "turn_deg": 0}, "reach|step"),
        ({"do": "plate", "height": 1.0}, "0.001 to 0.1"),
    ],
)
def test_a_message_that_cannot_be_obeyed_changes_nothing(hands, message, said):
    hands.begin()
    before = hands.walk.scenario
    with pytest.raises(SoleError, match=said):
        hands.obey(message)
    assert hands.walk.scenario == before
    hands.advance()
    assert not hands.over


def test_a_jump_of_the_target_is_told_and_the_force_limited(hands):
    hands.begin()
    hands.obey(grab([0.0, 0.0, 0.9], stiffness=5000))
    hands.advance()
    assert "jumped by" in hands.obey({"do": "move", "target": [50.0, 0.0, 0.9]})
    hands.advance()
    pull = hands.walk.scenario.pull[-1]
    f = pull.force(hands.state.time, np.zeros(3), np.zeros(3))
    assert np.linalg.norm(f) == pytest.approx(150.0)


def dragged(hands, places, monkeypatch):
    """The state after a drag of 30 steps whose pulls have at most `places`."""
    monkeypatch.setattr(hands_on_walk, "PLACES", places)
    hands.begin()
    hands.obey(grab([0.0, 0.0, 0.9], stiffness=1000))
    for k in range(30):
        hands.advance()
        hands.obey({"do": "move", "target": [0.002 * k, 0.0, 0.9]})
    hands.obey({"do": "let go"})
    hands.advance()
    return hands.state.v.copy(), len(hands.walk.scenario.pull)


def test_a_long_drag_is_several_pulls_and_the_same_motion(hands, monkeypatch):
    one, count = dragged(hands, 100, monkeypatch)
    several, more = dragged(hands, 7, monkeypatch)
    assert (count, more) == (1, 5)
    np.testing.assert_array_equal(one, several)


@pytest.mark.parametrize(
    "limit, message, said",
    [
        ("MOST_PULLS", grab([0.0, 0.0, 0.9], stiffness=100), "2 pulls from pages"),
        ("MOST_PUSHES", {"do": "push", "impulse": 0.01, "heading_deg": 0}, "2 pushes from"),
        ("MOST_CHANGES", {"do": "set", "controller": "pd"}, "2 changes"),
        ("MOST_PLATES", {"do": "plate", "height": 0.002}, "2 plates"),
        ("MOST_COMMANDS", {"do": "stand"}, "2 commands"),
    ],
)
def test_what_pages_add_to_a_run_is_bounded(hands, monkeypatch, limit, message, said):
    monkeypatch.setattr(hands_on_walk, limit, 2)
    hands.begin()
    for _ in range(2):
        hands.advance()
        hands.obey(message)
    with pytest.raises(SoleError, match=f"{said}.*restart"):
        hands.obey(message)
    hands.begin()
    hands.obey(message)


def test_soles_of_many_nodes_are_not_condensed_while_they_run(hands, monkeypatch):
    monkeypatch.setattr(hands_on_walk, "MOST_CONDENSED", 3)
    hands.begin()
    with pytest.raises(SoleError, match="at most 3 nodes a foot"):
        hands.obey({"do": "set", "poisson": 0.3})
    hands.obey({"do": "set", "friction": 0.3})


def test_a_fall_ends_the_run_and_is_recorded(hands):
    hands.begin()
    hands.walk.lowest_waist *= 2  # above the waist
    hands.advance()
    hands.walk.lowest_waist /= 2
    assert hands.over and hands.fall is not None and "waist" in hands.fall.reason
    done, _ = hands.finish()
    assert done.run.header["fall"]["fell"]
    assert done.run.header["fall"]["time"] == pytest.approx(hands.state.time)


def test_a_plate_is_shown_where_it_is_stepped_on(hands):
    hands.begin()
    hands.advance()
    hands.obey(message := {"do": "plate", "height": 0.02})
    (told,) = hands.consequences(message)
    hands.advance()
    plate = told["plate"]
    top = hands.walk.simulator.ground.height(np.array([plate["x"]]), np.array([plate["y"]]))[0]
    assert plate["z"] + plate["height"] == pytest.approx(top, abs=1e-12) and top == 0.02


class Slow:
    """A scene of which a step takes twice its time."""

    time, over, layout, bodies = 0.0, False, SceneLayout(7, 1, 1), None
    session_count, nap = 0, 0.0

    def __init__(self):
        self.output = None

    def open(self, tell):
        return self

    def advance(self):
        self.time += 5e-3
        time.sleep(1e-2)

    def row(self, **numbers):
        return np.zeros(self.layout.size)

    def page(self):
        return LivePage("text", "title")

    def advice(self):
        return "many nodes"

    def settings(self):
        return {}

    def excess(self):
        return ""

    def curves(self):
        return [0.0]

    def close(self):
        self.closed = True


class Pipe:
    """A pipe that ends after a while."""

    def __init__(self, end):
        self.end, self.said, self.messages = end, [], []

    def poll(self):
        return bool(self.messages) if self.end == 0.0 else time.monotonic() > self.end

    def recv(self):
        if self.messages:
            return self.messages.pop(0)
        raise EOFError

    def send(self, message):
        self.said.append(message)


def test_slow_motion_is_said_once_with_its_factor_and_what_helps(monkeypatch, hands):
    monkeypatch.setattr(real_time_clock, "WINDOW", 0.1)
    monkeypatch.setattr(real_time_clock, "PATIENCE", 0.1)
    slow, pipe = Slow(), Pipe(time.monotonic() + 0.6)
    before = {number: signal.getsignal(number) for number in SIGNALS}
    try:
        simulator_process.simulate(slow, pipe)
    finally:  # of a process of its own, elsewhere
        for number, handler in before.items():
            signal.signal(number, handler)
    (said,) = (text for kind, text, *_ in pipe.said if kind == "say")
    factor = float(said.split()[2])
    assert said.startswith("slow motion: ") and 0.05 < factor < 0.6 and said.endswith("many nodes")
    assert slow.closed and [kind for kind, *_ in pipe.said[-2:]] == ["done", "ended"]
    assert "fewer would hardly be faster" in hands.advice()
    fine = HandsOnWalk(replace(STAND, sole=SoleChoice(size=0.02, element="p1")))
    assert fine.advice().endswith("nodes a foot; a coarser sole is faster: --size-tread 0.03")


class Failing:
    """A session whose walk stops with an error after its first step."""

    output = None

    def open(self, tell):
        hands = HandsOnWalk(STAND)
        first, hands.steps = hands.steps, iter(())

        def steps():
            yield next(first)
            raise SoleError("no contact")

        hands.steps = steps()
        return hands


def test_messages_without_sense_and_a_step_beyond_the_end_do_not_end_the_process():
    pipe = Pipe(0.0)
    loop = simulator_process.SceneLoop(Failing(), pipe, OrderedEnd())
    try:
        for stamp in ("x", float("nan"), float("inf"), None, [1], True):
            pipe.messages = [{"do": "pause", "stamp": stamp}]
            assert loop._listen()
        loop.hands.advance()
        assert loop.hands.over
        pipe.messages = [{"do": "step", "stamp": 7}]
        assert loop._listen() and loop.stamp == 7
        assert pipe.said[-1] == ("say", "the run is over: restart")
        assert [kind for kind, *_ in pipe.said].count("taken") == 7
    finally:
        loop.shared.close()


def test_a_browser_that_dies_while_a_frame_is_sent_lets_go():
    import asyncio

    from websockets.exceptions import ConnectionClosedError

    from robot.live.scene_server import SceneServer

    class Dying:
        """A connection that grabs the waist and breaks in the first frame, or in a first text."""

        def __init__(self, first):
            self.first = first

        async def send(self, data):
            if self.first or isinstance(data, bytes):
                raise ConnectionClosedError(None, None)

        async def __aiter__(self):
            yield json.dumps({"do": "grab"})
            await asyncio.sleep(0.02)

    for first in (False, True):
        sent = []
        still = Many(1.0)
        still.count, still.peek = 1, lambda place: 0.0
        server = SceneServer(still, still, lambda message, sent=sent: sent.append(message) or "")
        server._broadcast = lambda data: None
        server.lasting = [{"plate": 1}]
        asyncio.run(server.serve(Dying(first)))
        assert not server.pages and server.owner is None
        assert first or sent[-1] == {"do": "let go"}


class Many:
    """Snapshots of a simulator that is late, or in time, at a chosen speed."""

    def __init__(self, factor, speed=1.0):
        self.count, self.factor, self.speed = 0, factor, speed

    def read(self):
        self.count += 1
        row = np.zeros(NUMBERS)
        row[1], row[-1] = self.factor, self.speed
        return self.count, row

    frame = staticmethod(lambda row: b"")


def test_a_late_simulator_is_asked_for_fewer_frames_and_late_pages_know_the_last_change():
    from robot.live.scene_server import SceneServer

    late = Many(0.5)
    server = SceneServer(late, late, lambda message: "")
    for _ in range(200):
        late.count += 1
        server._frame()
    assert server.rate == 8.0
    late.factor = late.speed = 0.25  # as slow as it was asked to be
    for _ in range(200):
        late.count += 1
        server._frame()
    assert server.rate == 30.0
    for told in ({"set": {"young": 1e6}}, {"plate": 1}, {"set": {"friction": 0.3}}, {"plate": 2}):
        server.tell(told)
    both = {"young": 1e6, "friction": 0.3}
    assert server.lasting == [{"set": both}, {"plate": 1}, {"plate": 2}]


def pulled(frame):
    return np.linalg.norm(frame[NUMBERS + 6 : NUMBERS + 9])


@pytest.mark.nightly
def test_the_process_shows_obeys_and_keeps_the_run(root, tmp_path):
    save_scenario(tmp_path / "stand.toml", STAND)
    out = tmp_path / "run.nc"
    with live(root, "walk", tmp_path / "stand.toml", "-o", out) as (process, told):
        one = Client(told["url"])
        first = one.frame()
        later = one.until(lambda f: f[0] > first[0] + 0.05)
        assert later[0] > first[0] and 0 < later[1] < 1.5  # time and factor
        weight = later[NUMBERS + 9 + 1 + 3 :][:6].reshape(2, 3)[:, 2].sum()
        assert 300 < weight < 600
        one.send(**grab([0.3, 0.0, 0.9], stiffness=500))
        held = one.until(lambda f: f[2] == one.stamp)
        assert held[5] == 1 and 0 < pulled(held) <= 150.001
        two = Client(told["url"])
        one.hears("'pages': 2")
        two.send(do="let go")  # not its own pull
        two.send(**grab([0.3, 0.0, 0.9], stiffness=500))
        two.hears("another page is pulling")
        one.send(do="move", target=[float("inf"), 0, 0])
        one.hears("must be a finite number")
        two.link.send("[1, 2")
        two.hears("not a JSON object")
        one.open_things.close()  # a browser that goes lets go
        two.until(lambda f: f[5] == 0 and pulled(f) == 0)
        two.send(do="pause")
        still = two.until(lambda f: f[3] == 1)
        two.send(do="step")
        assert two.until(lambda f: f[0] > still[0])[3] == 1
        two.send(do="restart")
        two.until(lambda f: f[6] == 1 and f[0] > 0.05)
        process.send_signal(signal.SIGINT)
        two.open_things.close()
        text, errors = process.communicate(timeout=60)
        assert (process.returncode, errors) == (0, "")
        runs = json.loads(text.splitlines()[-1])["runs"]
        assert [r["output"] for r in runs] == [str(out), str(tmp_path / "run-2.nc")]
    run = load_run(out)
    again = execute(
        assemble_walk(load_scenario(out.with_suffix(".toml"))), RecordingOptions(every=10)
    ).run
    np.testing.assert_array_equal(run["q"], again["q"])


@pytest.mark.nightly
@pytest.mark.skipif(sys.platform != "linux", reason="finds the simulator in /proc")
def test_a_simulator_that_dies_is_told(root, tmp_path):
    save_scenario(tmp_path / "stand.toml", STAND)
    with live(root, "walk", tmp_path / "stand.toml") as (process, told):
        page = Client(told["url"])
        page.frame()
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        (simulator,) = [
            int(c) for c in children if b"spawn_main" in Path(f"/proc/{c}/cmdline").read_bytes()
        ]
        os.kill(simulator, signal.SIGKILL)
        while not any("simulator has ended" in str(said) for said in page.said):
            page.said.append(page.link.recv(timeout=60))
        page.send(do="pause")  # to nobody
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
        page.open_things.close()
    assert process.returncode == 2
    assert "error: the process of the simulator ended by itself (code -9)" in errors.splitlines()
    assert "Traceback" not in errors, errors


@pytest.mark.nightly
def test_a_device_pulls_and_a_display_that_dies_leaves_the_run(root, tmp_path):
    save_scenario(tmp_path / "stand.toml", STAND)
    out = tmp_path / "run.nc"
    motion = tmp_path / "motion.csv"
    motion.write_text("x,y,z,button\n0,0,0,1\n0.02,0,0,1\n")  # a hand that holds on
    with live(root, "walk", tmp_path / "stand.toml", "-o", out, "--device", motion) as (
        process,
        told,
    ):
        one = Client(told["url"])
        ahead = slice(NUMBERS + 3, NUMBERS + 4), slice(NUMBERS, NUMBERS + 1)  # target and point
        one.until(lambda f: f[5] == 1 and pulled(f) > 1 and f[ahead[0]] - f[ahead[1]] > 0.015)
        one.send(**grab([0.3, 0.0, 0.9], stiffness=500))
        one.hears("the device is pulling")
        one.open_things.close()
        process.kill()
        process.wait()
        end = time.monotonic() + 60
        while not out.with_suffix(".toml").exists():
            assert time.monotonic() < end
            time.sleep(0.1)
    assert load_run(out).finished and load_scenario(out.with_suffix(".toml")).pull


@pytest.mark.nightly
@needs_browser
def test_the_page_shows_the_scene_and_the_pointer_pulls(root, tmp_path):
    save_scenario(tmp_path / "stand.toml", STAND)
    with (
        live(root, "walk", tmp_path / "stand.toml") as (_, told),
        Browser(900, 640) as browser,
    ):
        browser.open(told["url"], "!!(window.player && player.frames > 2)")
        time_0 = browser.run("player.state.time")
        browser.wait(f"player.state.time > {time_0}")
        x, y = browser.run(
            "(() => { const box = player.panels[0].view.getBoundingClientRect();"
            " const eye = player.camera;"
            " eye.aspect = box.width / box.height; eye.updateProjectionMatrix();"
            " eye.updateMatrixWorld();"
            " const p = player.runs[0].anchor.clone().add(new THREE.Vector3(0, 0, 0.2));"
            " p.project(eye);"
            " return [box.left + (p.x + 1) / 2 * box.width, box.top + (1 - p.y) / 2 * box.height];"
            "})()"
        )
        mouse(browser, "mousePressed", x, y)
        mouse(browser, "mouseMoved", x + 30, y)
        browser.wait("player.state.pulling == 1 && Math.hypot(...player.grip.subarray(6)) > 1")
        assert browser.run("player.rope.visible && player.hold.visible && player.handle.visible")
        mouse(browser, "mouseReleased", x + 30, y)
        browser.wait("player.state.pulling == 0")
        assert not browser.run("player.rope.visible || player.hold.visible")
        put = "[...document.querySelectorAll('button')].find((b) => b.textContent == 'put ahead')"
        browser.run(f"{put}.click()")
        browser.wait("(player.plates ?? []).length == 1")
        browser.run("player.pause.click()")
        browser.wait("player.state.paused == 1 && pace.textContent == 'paused'")
        assert browser.errors == []
        assert all(url.split("//")[1].startswith("127.0.0.1") for url in browser.requests)
