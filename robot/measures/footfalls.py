"""When a foot stands and when it lands, from its vertical force alone.

A stance goes from the first touch after a flight to the last one before the next. What decides is
whether there is any force, never how large a peak is: which bounce of a touch-down a level of force
catches depends on dt, its first touch does not.

- Touching is what a solver does not leave on an open contact: 1e-5 of the weight.
- Less than 0.1 s in the air is a rebound of the same landing. Stiff soles on a stair bounce for up
  to 0.04 s, the shortest swing of a walk is some 0.5 s.
- A brush in mid-swing is none: a stance has an impulse of at least 5 % of the weight for 0.1 s. An
  impulse has a limit as dt goes to 0, the force of a touch on rigid feet has not.

The impact is the 20 ms from the first touch: a walk shifts its weight onto the foot next, and that
is no impact.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sole.arrays import FloatArray

TOUCH = 1e-5  # of the weight; solvers leave up to 2e-7 on an open contact
REBOUND = 0.1  # s
CARRIED = 0.05  # of the weight for REBOUND: the least impulse of a stance
IMPACT = 0.02  # s from the first touch that count as the impact


class Stance(NamedTuple):
    """Rows [first, end) from the first touch to the last, rebounds between them included."""

    first: int
    end: int


class Landing(NamedTuple):
    """What a landing did in the 20 ms from its first touch.

    Parameters
    ----------
    foot : which. time : [s] end of the first step that touches. row : its row.
    speed : of the foot's origin downwards, in the row before it [m/s].
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
    on = load > TOUCH * weight
    edges = np.flatnonzero(np.diff(np.concatenate([[False], on, [False]]).astype(np.int8)))
    joined: list[Stance] = []
    for first, end in edges.reshape(-1, 2).tolist():
        if joined and (first - joined[-1].end) * dt < REBOUND:
            joined[-1] = Stance(joined[-1].first, end)
        else:
            joined.append(Stance(first, end))
    least = CARRIED * weight * REBOUND
    return [s for s in joined if dt * float(load[s.first : s.end].sum()) > least]


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
    """Return the landings of a foot; a stance from one of the first two rows on is none.

    Parameters
    ----------
    time, load : (T,) [s], [N]. height_rate : (T,) vertical velocity of the foot [m/s].
    loss : (T,) energy lost so far [J]. window : what counts as the impact [s].
    """
    rows = max(1, round(window / dt))
    found = []
    for stance in stances:
        i = stance.first
        if i <= 1:  # it stood before; a penalty law needs a row to feel that
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
