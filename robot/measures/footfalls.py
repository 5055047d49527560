"""When a foot stands and when it lands, from its vertical force alone.

A stance lasts while the force is above 1 % of the weight, flights shorter than 30 ms (rebounds)
included, if it comes above 5 % at all. So a landing begins with the first touch, however soft, and
does not depend on which bounce of it a threshold catches. Its impact is over after 20 ms: a walk
shifts its weight onto the foot next, and that is no impact.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sole.arrays import FloatArray

ON, OFF = 0.05, 0.01  # of the weight
REBOUND = 0.03  # s
IMPACT = 0.02  # s after a landing that count as its impact


class Stance(NamedTuple):
    """Rows [first, end) in which a foot carries load."""

    first: int
    end: int


class Landing(NamedTuple):
    """What a landing did in the 20 ms from its first touch.

    Parameters
    ----------
    foot : which. time : [s] end of the first loaded step. row : its row.
    speed : of the foot's origin downwards, in the row before [m/s].
    force : largest vertical force [N]. impulse : of the vertical force [N s].
    lost : energy lost in all contacts and by the time step [J].
    """

    foot: int
    time: float
    row: int
    speed: float
    force: float
    impulse: float
    lost: float


def stances(load: FloatArray, dt: float, weight: float) -> list[Stance]:
    """Return the stances of a foot for its vertical force `load` (T,) [N]; rows `dt` [s] apart."""
    on = load > OFF * weight
    edges = np.flatnonzero(np.diff(np.concatenate([[False], on, [False]]).astype(np.int8)))
    joined: list[Stance] = []
    for first, end in edges.reshape(-1, 2).tolist():
        if joined and (first - joined[-1].end) * dt < REBOUND:
            joined[-1] = Stance(joined[-1].first, end)
        else:
            joined.append(Stance(first, end))
    return [s for s in joined if load[s.first : s.end].max() > ON * weight]


def landings(
    foot: int,
    stances: list[Stance],
    time: FloatArray,
    load: FloatArray,
    height_rate: FloatArray,
    loss: FloatArray,
    dt: float,
    window: float = IMPACT,
) -> list[Landing]:
    """Return the landings of a foot; a stance from the first row on is none.

    Parameters
    ----------
    time, load : (T,) [s], [N]. height_rate : (T,) vertical velocity of the foot [m/s].
    loss : (T,) energy lost so far [J]. window : what counts as the impact [s].
    """
    rows = max(1, round(window / dt))
    found = []
    for stance in stances:
        i = stance.first
        if i == 0:
            continue
        end = min(i + rows, len(load))
        found.append(
            Landing(
                foot=foot,
                time=float(time[i]),
                row=i,
                speed=-float(height_rate[i - 1]),
                force=float(load[i:end].max()),
                impulse=dt * float(load[i:end].sum()),
                lost=float(loss[end - 1] - loss[i - 1]),
            )
        )
    return found


def flights(stances: list[Stance], rows: int) -> list[Stance]:
    """Return the gaps after a stance [first, end), the last one open to the end of the run."""
    if not stances:
        return []
    ends = [s.end for s in stances]
    starts = [s.first for s in stances[1:]] + [rows]
    return [Stance(a, b) for a, b in zip(ends, starts, strict=True) if b > a]
