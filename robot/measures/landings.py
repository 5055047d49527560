"""Stances, touchdowns and landings of a foot.

A stance lasts from the first touch after a flight to the last one before the next; it begins with a
touchdown. The criterion is whether there is any force, not how large a peak is: the bounce that
first exceeds a force threshold depends on dt, the first touch does not.

- A foot touches if its force exceeds 1e-5 of the weight, more than solvers leave on open contacts.
- Less than 0.1 s in the air is a rebound of the same touchdown. Stiff soles on a stair bounce for
  up to 0.04 s; the shortest swing of a walk takes about 0.5 s.
- A brush in mid-swing is no stance: a stance has an impulse of at least 5 % of the weight for 0.1
  s. An impulse converges as dt goes to 0; the force of a touch on rigid feet does not.

The impact lasts 20 ms from the first touch: after that a walk shifts its weight onto the foot.

A landing is the touchdown of a foot that carries after a swing (`after_swings`): since it carried
last, it was 10 mm away from there. A foot that is thrown up by its impact for longer than 0.1 s
touches down again, but does not land again; nor does one that sinks into its first contact.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sole.base.arrays import BoolArray, FloatArray, spans

TOUCH = 1e-5  # of the weight; solvers leave up to 2e-7 on an open contact
REBOUND = 0.1  # s
CARRIED = 0.05  # of the weight for REBOUND: the least impulse of a stance
IMPACT = 0.02  # s from the first touch: duration of the impact
SWUNG = 0.01  # m: a swing gets farther from where it began; a foot thrown up by 5 mm does not


class StanceRows(NamedTuple):
    """Rows [first, end) from the first touch to the last, rebounds between them included."""

    first: int
    end: int


class Touchdown(NamedTuple):
    """The first touch of a stance, measured in the 20 ms from it.

    Parameters
    ----------
    foot : index of the foot. time : end of the first touching step [s]. row : its row.
    speed : downward speed of the foot's origin in the row before [m/s].
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


def stances(load: FloatArray, dt: float, weight: float) -> list[StanceRows]:
    """Return the stances of a foot from its vertical force `load` (T,) [N]; rows `dt` [s] apart."""
    on = load > TOUCH * weight
    joined: list[StanceRows] = []
    for first, end in spans(on):
        if joined and (first - joined[-1].end) * dt < REBOUND:
            joined[-1] = StanceRows(joined[-1].first, end)
        else:
            joined.append(StanceRows(first, end))
    least = CARRIED * weight * REBOUND
    return [s for s in joined if dt * float(load[s.first : s.end].sum()) > least]


def touchdowns(
    foot: int,
    stances: list[StanceRows],
    time: FloatArray,
    load: FloatArray,
    height_rate: FloatArray,
    loss: FloatArray,
    dt: float,
    window: float = IMPACT,
) -> list[Touchdown]:
    """Return the touchdowns of a foot; a stance from the first two rows on has none.

    Parameters
    ----------
    time, load : (T,) [s], [N]. height_rate : (T,) vertical velocity of the foot [m/s].
    loss : (T,) energy lost so far [J]. window : duration of the impact [s].
    """
    rows = max(1, round(window / dt))
    found = []
    for stance in stances:
        i = stance.first
        if i <= 1:  # it stood before; a penalty law shows this one row late
            continue
        end = min(i + rows, len(load))
        found.append(
            Touchdown(
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


def after_swings(
    stances: list[StanceRows], carries: BoolArray, places: FloatArray
) -> list[StanceRows]:
    """Return the stances in which a foot carries after a swing: those that begin with a landing.

    Parameters
    ----------
    carries : (T,) whether the foot carries, not only touches. places : (T, 3) of the foot [m].
    """
    found = []
    left = 0  # row in which the foot was last seen to carry: it has swung since, or not
    for stance in stances:
        way = np.linalg.norm(places[left : stance.first + 1] - places[left], axis=1)
        if carries[stance.first : stance.end].any():
            if way.max() > SWUNG:
                found.append(stance)
            left = stance.end - 1
    return found


def flights(stances: list[StanceRows], rows: int) -> list[StanceRows]:
    """Return the gaps [first, end) after stances; the last one extends to the end of the run."""
    if not stances:
        return []
    ends = [s.end for s in stances]
    starts = [s.first for s in stances[1:]] + [rows]
    return [StanceRows(a, b) for a, b in zip(ends, starts, strict=True) if b > a]
