"""The picture of a retiming: its speed along the path, and which constraint limits it when."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sole.pictures import FigureScene

if TYPE_CHECKING:
    from robot.retime import RetimedGait


def draw_retiming(retimed: RetimedGait) -> FigureScene:
    """Draw s' over the path with its kinks, and over time the active constraint."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    r = retimed.retiming
    figure = Figure(figsize=(8.0, 5.6), layout="constrained")
    FigureCanvasAgg(figure)
    top, low = figure.subplots(2, 1)
    unit = "s of the plan" if r.path.end_rate > 0 else "of the path"
    top.plot(r.s, r.rate, color="C0")
    top.set(xlabel=f"place s [{unit}]", ylabel="speed s' [1/s]" if unit[0] == "o" else "speed s'")
    top.set_title(f"{retimed.own:.2f} s, retimed {r.duration:.2f} s", fontsize=10)
    places = "support phases change" if r.path.end_rate > 0 else "postures"
    for n, kink in enumerate(r.path.kinks):
        top.axvline(kink, color="0.85", lw=0.8, zorder=0, label="" if n else places)
    if len(r.path.kinks):
        top.legend(fontsize=8, loc="upper left")
    words = list(r.limiting)[:8]
    spans: dict[str, list[int]] = {}
    phases = r.maker.cones.schedule.phases((r.s[1:] + r.s[:-1]) / 2)
    for k, (row, phase) in enumerate(zip(r.active, phases, strict=True)):
        spans.setdefault(r.word(int(row), int(phase)), []).append(k)
    for level, word in enumerate(reversed(words)):
        here = np.array(spans[word])
        width = r.times[here + 1] - r.times[here]
        low.barh(np.full(len(here), level), width, left=r.times[here], height=0.7, color="C3")
    low.set(xlabel="time [s]", xlim=(0.0, r.duration))
    low.set_yticks(range(len(words)), list(reversed(words)), fontsize=8)
    low.set_title("active constraint", fontsize=10)
    return FigureScene(figure, "retiming")
