"""The page of a run in headless Chromium: its size, time to begin, cost of a frame, memory.

A frame's cost is wall time of its preparation in the browser's main thread, and of its drawing by
software, which a graphics card does many times faster. The heap is measured after collecting
garbage, before and after playing in a loop.

python benchmarks/page_in_browser.py [RUN.nc] [--seconds s] [--quick]
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from browser import PROGRAM, Browser

from robot.pictures.browser import run_page
from robot.run import Run, load_run
from sole.base.numba_settings import set_up_numba

PREPARE = """(() => { const {times} = player.runs[0], n = 50, start = performance.now();
for (let k = 0; k < n; k++) player.runs[0].show(Math.floor((k * times.length) / n));
return (performance.now() - start) / n; })()"""
DRAW = """(() => { const n = 5, gl = player.renderer.getContext(), pixel = new Uint8Array(4);
const start = performance.now();
for (let k = 0; k < n; k++) {
  player.draw();
  gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
}
return (performance.now() - start) / n; })()"""
LOOP = """(() => { document.getElementById("speed").value = "2"; player.speed = 2;
setInterval(() => player.playing || player.play(true), 50); })()"""


def small_run() -> Run:
    """Return a tenth of a second of a small robot that falls on its soles."""
    from small_robot import drop, simulator

    return drop(simulator(), 100, nodes=5).recorder.run()


def heap(browser: Browser) -> float:
    """Return the used heap [MB] without garbage."""
    browser.send("HeapProfiler.collectGarbage")
    return float(browser.send("Runtime.getHeapUsage")["usedSize"]) / 1e6


def measure(run: Run, seconds: float) -> list[tuple[str, str]]:
    """Return the rows of the table."""
    began = time.process_time()
    page = run_page([run], ["run"])
    made = time.process_time() - began
    nodes = " + ".join(str(len(t.points)) for t in run.treads)
    rows = [
        ("run", f"{run.time[-1]:.3g} s, {nodes} nodes, {page.frames[0]} frames"),
        ("size of the page [MB]", f"{len(page.text.encode()) / 1e6:.2f}"),
        ("frames a second", f"{page.rate:.1f}"),
        ("making it, CPU [s]", f"{made:.2f}"),
    ]
    if PROGRAM is None:
        return [*rows, ("browser", "no Chromium here: not measured")]
    with tempfile.TemporaryDirectory() as folder, Browser(1280, 800) as browser:
        file = Path(folder) / "run.html"
        page.write(file)
        began = time.perf_counter()
        browser.open(file.as_uri(), "!!(window.player && player.drawn)")
        rows.append(("from opening to the first picture [s]", f"{time.perf_counter() - began:.2f}"))
        rows.append(("preparing a frame [ms]", f"{browser.run(PREPARE):.2f}"))
        rows.append(("drawing a frame by software [ms]", f"{browser.run(DRAW):.0f}"))
        browser.run(LOOP)
        time.sleep(min(2.0, seconds))  # what grows in the first seconds is code, not data
        first, drawn = heap(browser), browser.run("player.drawn")
        time.sleep(seconds)
        last, count = heap(browser), browser.run("player.drawn") - drawn
        rows.append(("heap [MB]", f"{first:.2f}"))
        rows.append((f"its growth in {seconds:g} s, {count} frames [MB]", f"{last - first:+.2f}"))
        assert not browser.errors, browser.errors
    return rows


def main(words: Sequence[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("run", nargs="?", type=Path, help="a run .nc [a small robot's]")
    parser.add_argument("--seconds", type=float, default=600.0, help="of playing [600]")
    parser.add_argument("--quick", action="store_true", help="one second of playing")
    chosen = parser.parse_args(words)
    seconds = 1.0 if chosen.quick else chosen.seconds
    run = small_run() if chosen.run is None else load_run(chosen.run)
    print(f"load {os.getloadavg()[0]:.1f}\n\n| | |\n|---|---|")
    for name, value in measure(run, seconds):
        print(f"| {name} | {value} |", flush=True)


if __name__ == "__main__":
    set_up_numba()
    main()
