"""`sole live walk` with its page open: pace, cost of the display, latency of a pull, memory.

A session of hrp2-like on soles of 104 nodes, at 1 kHz. Pace is simulated over real time: without a
page, with the page in headless Chromium, which draws by software on the same cores, and walking.
The display's share of a core is that of its process at 30 frames a second, for a client that takes
every frame. The latency of a drag goes from sending a place to a frame whose step knew it, at the
socket of that client. Memory is the heap of the page after collecting garbage, as growth in ten
minutes.

python benchmarks/live_page.py [--nodes 104] [--seconds 20] [--memory 120] [--quick]
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import psutil

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from box_mesh import box_mesh
from browser import PROGRAM, Browser
from live_client import Client, live

from sole.base.numba_settings import set_up_numba
from sole.condense import condense, save_condensed
from sole.material import Material

FOOT = (0.24, 0.14, 0.02)  # m, of hrp2-like
CELLS = {50: (9, 4, 2), 104: (12, 7, 2), 300: (24, 11, 2)}  # nodes of a foot
RATE = 30  # frames a second, at which the display's share is told
DRAWN = "!!(window.player && player.frames > 2)"
WALKING = {"do": "walk", "forward": 0.1, "sideways": 0, "turn_deg": 0}
SCENARIO = """schema = "robot.scenario/1"
robot = "hrp2-like"
gait = {kind = "stand"}
sole = {file = "pad.npz"}
"""
TIME, STAMP, POINT = 0, 2, slice(7, 10)  # places in a frame


def write_scenario(folder: Path, nodes: int) -> Path:
    """Write soles of this many nodes and a scenario that stands on them."""
    material = Material(young_modulus=3e6, poisson_ratio=0.4)
    save_condensed(folder / "pad.npz", condense(box_mesh(*FOOT, CELLS[nodes]), [material], "p2"))
    (folder / "stand.toml").write_text(SCENARIO)
    return folder / "stand.toml"


def spent(processes: Sequence[psutil.Process]) -> float:
    """Return the CPU time of processes [s]."""
    times = [p.cpu_times() for p in processes if p.is_running()]
    return sum(t.user + t.system for t in times)


class Measured:
    """Real time, simulated time and CPU time of display and simulator over a `with` block."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def __enter__(self) -> Measured:
        self._began = self._now()
        return self

    def __exit__(self, *_: object) -> None:
        self.passed, self.simulated, self.display, self.simulator = (
            b - a for a, b in zip(self._began, self._now(), strict=True)
        )

    def _now(self) -> tuple[float, float, float, float]:
        s = self.session
        s.client.frame()  # has waited since the last one was taken
        t = float(s.client.frame()[TIME])
        return time.perf_counter(), t, spent([s.display]), spent([s.simulator])

    @property
    def pace(self) -> float:
        """Times real time."""
        return self.simulated / self.passed


class Session:
    """A running session and a client that takes its frames."""

    def __init__(self, process: Any, url: str) -> None:
        self.url, self.display = url, psutil.Process(process.pid)
        (self.simulator,) = (
            child for child in self.display.children() if "spawn_main" in str(child.cmdline())
        )
        self.client = Client(url)

    def take(self, seconds: float) -> int:
        """Take frames for a while; return how many came."""
        end, count = time.perf_counter() + seconds, 0
        while time.perf_counter() < end:
            self.client.frame()
            count += 1
        return count


@contextmanager
def opened(folder: Path, file: Path) -> Iterator[Session]:
    """Start a session."""
    with live(folder, "walk", file) as (process, told):
        session = Session(process, told["url"])
        try:
            yield session
        finally:
            session.client.open_things.close()


def latencies(session: Session, count: int) -> np.ndarray:
    """Drag the waist by a few mm; return the times from place to frame (count,) [s]."""
    client, found = session.client, []
    client.send(do="grab", joint=0, point=[0, 0, 0], target=[0, 0, 0.8], stiffness=50)
    start = client.until(lambda f: f[STAMP] >= client.stamp)[POINT].astype(float)
    for k in range(count):
        began = time.perf_counter()
        client.send(do="move", target=np.add(start, [2e-3 * np.sin(0.3 * k), 0, 0]).tolist())
        client.until(lambda f: f[STAMP] >= client.stamp)
        found.append(time.perf_counter() - began)
    client.send(do="let go")
    return np.array(found)


def heap(browser: Browser) -> float:
    """Return the used heap [MB] without garbage."""
    browser.send("HeapProfiler.collectGarbage")
    return float(browser.send("Runtime.getHeapUsage")["usedSize"]) / 1e6


def in_browser(session: Session, seconds: float, memory: float, say: Callable[..., None]) -> None:
    """Measure with the page open."""
    with Browser(1280, 720) as browser:
        browser.open(session.url, DRAWN)
        browser.send("Network.disable")  # it would tell every frame
        pages = [psutil.Process(browser.process.pid)]
        pages += pages[0].children(recursive=True)
        time.sleep(min(3.0, seconds))  # what the page does first is not what it does
        drawn, drawing = browser.run("player.frames"), spent(pages)
        with Measured(session) as open_page:
            time.sleep(seconds)
        frames = (browser.run("player.frames") - drawn) / open_page.passed
        say("pace with the page open", ">= 0.98", f"{open_page.pace:.2f}")
        drawing = (spent(pages) - drawing) / open_page.passed
        say("the browser, by software", "", f"{frames:.1f} frames/s, {drawing:.2f} cores")
        first, began, drawn = heap(browser), time.perf_counter(), browser.run("player.frames")
        while time.perf_counter() < began + memory:
            time.sleep(min(1.0, memory))
            browser.run("0")  # what the page says is taken, or the connection ends
        growth, passed = heap(browser) - first, time.perf_counter() - began
        count = browser.run("player.frames") - drawn
        told = f"{600 / passed * growth:.1f} (in {passed:.0f} s, {count} frames: {growth:+.2f})"
        say("the page's heap, growth in 600 s [MB]", "< 5", told)
        session.client.send(**WALKING)
        time.sleep(min(2.0, seconds))
        with Measured(session) as walking:
            time.sleep(seconds)
        say("pace walking with the page open", ">= 0.98", f"{walking.pace:.2f}")
        assert not browser.errors, browser.errors


def main(words: Sequence[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--nodes", type=int, default=104, choices=CELLS)
    parser.add_argument("--seconds", type=float, default=20.0, help="of each measurement [20]")
    parser.add_argument("--memory", type=float, default=120.0, help="of the heap's growth [s; 120]")
    parser.add_argument("--quick", action="store_true", help="50 nodes, half a second of each")
    chosen = parser.parse_args(words)
    count = 200
    if chosen.quick:
        chosen.nodes, chosen.seconds, chosen.memory, count = 50, 0.5, 0.5, 5

    def say(what: str, goal: str, value: str) -> None:
        print(f"| {what} | {goal} | {value} | {os.getloadavg()[0]:.1f} |", flush=True)

    print(f"{chosen.nodes} nodes a foot, {os.cpu_count()} cores\n")
    print("| | goal | measured | load |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        with opened(folder, write_scenario(folder, chosen.nodes)) as session:
            session.take(min(2.0, chosen.seconds))
            with Measured(session) as alone:
                frames = session.take(chosen.seconds)
            say("pace without a page", "", f"{alone.pace:.2f}")
            cost = f"{1e3 * alone.simulator / max(alone.simulated, 1e-3):.0f}"
            say("simulator, CPU of a simulated second [ms]", "", cost)
            share = f"{RATE * alone.display / frames:.3f} ({frames / alone.passed:.0f} frames/s)"
            say(f"display at {RATE} frames/s [cores]", "<= 0.1", share)
            late = 1e3 * np.percentile(latencies(session, count), [50, 95, 100])
            told = "{:.0f}, {:.0f}, {:.0f}".format(*late)
            say("drag to force at the socket: median, p95, most [ms]", "p95 <= 40", told)
            if PROGRAM is None:
                say("the browser", "", "no Chromium here: not measured")
            else:
                in_browser(session, chosen.seconds, chosen.memory, say)
            session.client.send(**WALKING)
            session.take(min(2.0, chosen.seconds))
            with Measured(session) as walking:
                session.take(chosen.seconds)
            say("pace walking, without a page", "", f"{walking.pace:.2f}")
            cost = f"{1e3 * walking.simulator / max(walking.simulated, 1e-3):.0f}"
            say("simulator walking, CPU of a simulated second [ms]", "", cost)


if __name__ == "__main__":
    set_up_numba()
    main()
