"""`sole live`: who is let in, how it begins and ends; the page itself, in a headless browser."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import psutil
import pytest
from browser import Browser, hit, needs_browser
from command_line import in_this_process
from small_robot import drop, simulator

from robot.live import Served
from robot.pictures.browser import run_page
from robot.run import LinkShape, Run, save_run
from sole.pictures import display_unit

READY = "!!(window.player && player.drawn)"


@pytest.fixture(scope="module")
def run() -> Run:
    """A robot with a box and a capsule, in a posture of its own in every row."""
    bare = drop(simulator(), 120, nodes=5).recorder.run()
    q, random = bare["q"].copy(), np.random.default_rng(1)
    q[:, 3:] = random.uniform(-1.0, 1.0, q[:, 3:].shape)
    q[:, 3:7] /= np.linalg.norm(q[:, 3:7], axis=1, keepdims=True)
    bare = replace(bare, series={**bare.series, "q": q})
    shapes = tuple(
        LinkShape(kind=kind, link=link, joint=joint, placement=np.eye(4), size=np.array(size))
        for kind, link, joint, size in (
            ("box", "trunk", 0, (0.2, 0.3, 0.3)),
            ("capsule", "left_leg", 2, (0.03, 0.15, 0.0)),
        )
    )
    return replace(bare, skeleton=replace(bare.skeleton, shapes=shapes))


@pytest.fixture(scope="module")
def run_file(run, tmp_path_factory):
    path = tmp_path_factory.mktemp("live") / "run.nc"
    save_run(path, run)
    return path


@contextmanager
def server(root, *arguments):
    """`sole live ARGUMENTS` on any free port, and what it said of itself; ended by Ctrl-C."""
    program = [sys.executable, "-c", "from sole.base.cli import main; main()", "live", "--json"]
    process = subprocess.Popen(
        [*program, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=root,
    )
    try:
        yield process, json.loads(process.stdout.readline())
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
        process.stderr.close()


def status(url, **headers):
    """Return the HTTP status and the body of a request."""
    request = urllib.request.Request(url, headers=headers)
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, answer.read().decode(), answer.headers
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode(), error.headers


@pytest.mark.parametrize(
    "path, host, origin, refused",
    [
        ("/?token=good", "127.0.0.1:8800", None, ""),
        ("/socket?token=good", "localhost:8800", "http://localhost:8800", ""),
        ("/?token=good", "[::1]:8800", None, ""),
        ("/", "127.0.0.1:8800", None, "token"),
        ("/?token=", "127.0.0.1:8800", None, "token"),
        ("/?token=wrong", "127.0.0.1:8800", None, "token"),
        ("/?token=bad&token=good", "127.0.0.1:8800", None, "token"),
        ("/?token=g%C3%BCt", "127.0.0.1:8800", None, "token"),
        ("/?token=good", "evil.example:8800", None, "host"),
        ("/?token=good", "127.0.0.1:8801", None, "host"),
        ("/?token=good", "", None, "host"),
        ("/socket?token=good", "127.0.0.1:8800", "http://evil.example", "origin"),
        ("/socket?token=good", "127.0.0.1:8800", "http://127.0.0.1:8801", "origin"),
        ("/socket?token=good", "127.0.0.1:8800", "https://127.0.0.1:8800", "origin"),
        ("/socket?token=good", "127.0.0.1:8800", "null", "origin"),
    ],
)
def test_who_is_let_in(path, host, origin, refused):
    said = Served(host="127.0.0.1", port=8800, token="good").refusal(path, host, origin)
    assert said.startswith(f"wrong {refused}") if refused else said == ""


def test_an_address_for_others_is_named_and_needs_the_token_too():
    served = Served(host="0.0.0.0", port=80, token="good")
    assert served.open_to_others and socket.gethostname() in served.url
    assert served.refusal("/?token=good", "robot.lab", "http://robot.lab") == ""
    assert "origin" in served.refusal("/?token=good", "robot.lab", "http://evil.example")
    assert "token" in served.refusal("/", "robot.lab", None)
    assert not Served(host="127.0.0.1", port=80).open_to_others
    tokens = {Served(host="127.0.0.1", port=80).token for _ in range(50)}
    assert len(tokens) == 50 and min(map(len, tokens)) >= 22  # 128 bits


@pytest.mark.nightly
def test_it_serves_on_the_loopback_address_alone_until_interrupted(root, run, run_file):
    from websockets.exceptions import InvalidStatus
    from websockets.sync.client import connect

    with server(root, run_file, "--port", 0) as (process, told):
        url, port = told["url"], told["port"]
        listening = psutil.Process(process.pid).net_connections(kind="inet")
        assert {c.laddr.ip for c in listening if c.status == "LISTEN"} == {"127.0.0.1"}
        code, body, headers = status(url)
        assert code == 200 and body == run_page([run], ["run"]).text
        assert headers["Cache-Control"] == "no-store" and headers["X-Frame-Options"] == "DENY"
        assert status(url, Origin="http://evil.example")[0] == 403
        assert status(url, Host="evil.example")[0] == 403
        code, body, _ = status(f"http://127.0.0.1:{port}/")
        assert code == 403 and "token" in body and "<html" not in body
        assert status(url.replace("/?", "/secret?"))[0] == 404
        for address, refused in ((url, 404), (f"http://127.0.0.1:{port}/", 403)):
            with pytest.raises(InvalidStatus) as caught:
                connect(address.replace("http", "ws").replace("/?", "/socket?"))
            assert caught.value.response.status_code == refused
        os.kill(process.pid, signal.SIGINT)
        _, errors = process.communicate(timeout=60)
        assert (process.returncode, errors) == (0, "")


@pytest.mark.nightly
@needs_browser
def test_the_page_plays_from_disk_without_a_network(run, run_file, tmp_path):
    file = tmp_path / "run.html"
    run_page([run], ["run"]).write(file)
    with Browser(900, 640) as browser:
        browser.offline()
        browser.open(file.as_uri(), READY)
        assert browser.run("player.time") == pytest.approx(run.frames["frame_time"][0], abs=1e-6)
        for time in (0.05, 0.1, float(run.time[-1])):
            row = int(np.abs(run.time - time).argmin())
            browser.run(f"scrub.value = {time}; scrub.dispatchEvent(new Event('input'))")
            shows(browser, run, row)
        frames = browser.run("player.runs[0].times.length")
        browser.run("player.seek(0); on.click()")
        assert browser.run("player.runs[0].frame") == 1
        browser.run("back.click()")
        assert browser.run("player.runs[0].frame") == 0
        browser.run("speed.value = '2'; speed.dispatchEvent(new Event('change')); play.click()")
        browser.wait("player.runs[0].frame > 3 || player.time >= player.range[1]")
        browser.wait(f"!player.playing && player.runs[0].frame == {frames - 1}")  # and ends
        assert browser.errors == []
        assert {url.partition(":")[0] for url in browser.requests} <= {"file", "blob"}


def shows(browser, run, row):
    """Assert that the page shows a recorded row: poses, forces, tilt, CoP, time."""
    found = browser.run(
        "(() => { const run = player.runs[0]; return {"
        " numbers: run.numbers(),"
        " joints: run.tree.joints.map((T) => T.elements),"
        " bodies: run.tree.bodies.map((T) => T.elements),"
        " pressure: run.soles.map((s) => Array.from(s.pressure)),"
        " moved: run.soles.map((s) => Array.from(s.surface.attributes.position.array)) }; })()"
    )
    numbers, q = found["numbers"], run["q"][row]
    assert numbers["time"] == pytest.approx(run.time[row], abs=1e-6)
    assert numbers["tilt"] == pytest.approx(run["waist_tilt"][row], abs=1e-6)
    np.testing.assert_allclose(numbers["forces"], run["wrench_world"][row, :, 2], atol=0.006)
    cops = np.array([[np.nan if x is None else x for x in c] for c in numbers["cops"]])
    np.testing.assert_allclose(cops, run["cop"][row], atol=1e-5)
    for name, expected in (
        ("joints", run.skeleton.poses(q)),
        ("bodies", run.skeleton.frame_poses(q)),
    ):
        poses = np.array(found[name]).reshape(-1, 4, 4).swapaxes(1, 2)  # columns first
        np.testing.assert_allclose(poses, expected, atol=1e-5)
    snapshot = int(np.abs(run.frames["frame_time"] - run.time[row]).argmin())
    first = 0
    for b, tread in enumerate(run.treads):
        nodes = slice(first, first := first + len(tread.points))
        U = run.frames["node_displacement"][snapshot, nodes]
        moved = np.array(found["moved"][b]).reshape(-1, 3)
        np.testing.assert_allclose(moved, tread.points + U, atol=1e-6)
        force = run.frames["node_force"][snapshot, nodes, 2]
        areas = np.where(tread.areas > 0, tread.areas, np.inf)
        np.testing.assert_allclose(
            found["pressure"][b], force / areas, atol=0.006 / areas.min(), rtol=1e-4
        )
    assert browser.run("document.querySelector('#time').textContent").startswith("t = ")
    said = browser.run("document.querySelector('.numbers').textContent")
    assert f"tilt {np.degrees(run['waist_tilt'][row]):.2f}°" in said
    assert f"left foot {run['wrench_world'][row, 0, 2]:.0f} N" in said


@pytest.mark.nightly
@needs_browser
def test_two_runs_on_one_clock_served_with_their_legend(root, run, tmp_path):
    files = []
    for name, kept in (("long", len(run)), ("short", 60)):
        half = run.frames["frame_time"] <= run.time[kept - 1] + 1e-9
        part = replace(
            run,
            series={n: a[:kept].copy() for n, a in run.series.items()},
            frames={n: a[half].copy() for n, a in run.frames.items()},
        )
        save_run(tmp_path / f"{name}.nc", part)
        files.append(tmp_path / f"{name}.nc")
    with server(root, *files, "--port", 0) as (_, told), Browser(900, 640) as browser:
        browser.open(told["url"], READY)
        browser.run("player.seek(0.1)")
        times = browser.run("player.runs.map((run) => run.times[run.frame])")
        assert times == pytest.approx([0.1, run.time[59]], abs=2e-6)
        states = browser.run("[...document.querySelectorAll('.state')].map((e) => e.textContent)")
        assert states == ["", "ended at 0.06 s"]
        assert browser.run("document.title") == told["title"] == "small: long | short"
        legend = browser.run("legend.textContent")
        assert display_unit(1e4, "Pa")[1] in legend and "support polygon" in legend
        browser.run("document.querySelector('#layer-robot').click()")
        assert browser.run("player.runs.map((run) => run.layers.robot.visible)") == [False, False]
        assert browser.errors == []
        server_name = told["url"].partition("/?")[0]
        assert all(url.startswith(server_name) for url in browser.requests)


@needs_browser
def test_the_player_obeys_keys_whatever_has_the_focus_and_lists_them(run, tmp_path):
    file = tmp_path / "run.html"
    run_page([run], ["run"]).write(file)
    with Browser(1280, 800) as browser:
        browser.open(file.as_uri(), READY)
        browser.run("player.seek(player.range[1]); byId('back').focus(); player.step(-1)")
        frame = browser.run("player.runs[0].frame")
        hit(browser, " ")  # plays to the end; the button would go one frame back
        browser.wait(f"player.runs[0].frame == {frame + 1} && !player.playing")
        hit(browser, ",")
        hit(browser, ",")
        assert browser.run("[byId('speed').value, player.speed]") == ["0.25", 0.25]
        hit(browser, "h")
        assert "one frame back or on" in browser.run("help.textContent") and browser.run(
            "help.open"
        )
        hit(browser, "Escape")
        away = browser.run("player.camera.position.distanceTo(player.controls.target)")
        hit(browser, "+")
        near = browser.run("player.camera.position.distanceTo(player.controls.target)")
        assert near == pytest.approx(away / 1.1, rel=1e-3)
        browser.run("turnCamera(player, 0.3, 0.1)")
        turned = browser.run("player.camera.position.distanceTo(player.controls.target)")
        assert turned == pytest.approx(near, rel=1e-3)
        browser.run("window.links = []; HTMLAnchorElement.prototype.click = function () {"
                    " links.push(this.download); }")  # fmt: skip
        hit(browser, "s")
        browser.wait("links.length == 1 && links[0].endsWith('s.png')")
        assert browser.errors == []


@pytest.mark.nightly
def test_sigterm_ends_the_server_with_its_own_code(root, run_file):
    with server(root, run_file, "--port", 0) as (process, _):
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=60)
        assert (process.returncode, errors) == (143, "")


def test_a_taken_port_and_foreign_files_are_said(monkeypatch, capsys, run_file, pad_file):
    live = in_this_process(monkeypatch, capsys, "live")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        code, out, said = live(run_file, "--port", port)
        assert (code, out) == (2, "") and f"port {port} is taken" in said and "--port" in said
        code, out, said = live("walk", "--port", port)  # before anything is assembled
        assert (code, out) == (2, "") and f"port {port} is taken" in said
        assert "putting the scene" in said
        code, out, said = live("press", pad_file, "--port", port)
        assert (code, out) == (2, "") and f"port {port} is taken" in said
    for device, why in (("mouse", "known are 3d-systems"), ("none.csv", "no such file")):
        code, out, said = live("walk", "--device", device)
        assert (code, out) == (2, "") and why in said and "putting the scene" not in said
    code, out, said = live("press", pad_file, "--friction", "-1")
    assert (code, out) == (2, "") and "got -1" in said and "putting the scene" not in said
    code, _, said = live(run_file, "--host", "192.0.2.1")
    assert code == 2 and "cannot listen on 192.0.2.1" in said
    code, _, said = live(pad_file)
    assert code == 2 and "condensed sole" in said and str(pad_file) in said
    code, _, said = live("none.nc")
    assert code == 2 and "no such file" in said
    assert live(*[run_file] * 5)[0] == 2


def test_without_a_port_the_next_free_one_is_taken(monkeypatch):
    from robot.live import page_server

    with socket.create_server(("127.0.0.1", 0)) as taken:
        monkeypatch.setattr(page_server, "PORT", taken.getsockname()[1])
        made = page_server._listen("127.0.0.1", None)
        with made:
            first = taken.getsockname()[1]
            assert first < made.getsockname()[1] < first + page_server.TRIED
