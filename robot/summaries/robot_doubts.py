"""What of a robot was guessed, and what in its file is doubtful, each with what corrects it.

A doubt is possible in physics, but no robot's habit: a body with under 1 % or over 60 % of the
mass, a left side unlike the right one, an inertia I1 <= I2 <= I3 that keeps I1 + I2 >= I3 within
round-off only or belongs to a body larger than the robot, sqrt(I3/m) > size, knees that hardly
bend or bend backwards, legs too stretched to step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from robot.model import RobotModel, first_link, knees_of, right_names, stands_straight
from sole.base.arrays import FloatArray

LIGHT, HEAVY = 0.01, 0.6  # of the mass
ALIKE = 0.01  # largest difference of left and right, over the larger one
SAME_RANGE = 0.02  # rad or m
POINT = 1e-3  # m: a smaller radius of gyration is a point's
BENT = np.radians(60.0)  # least range of a knee
STRETCHED = 0.015  # of a leg's full length, that is left; a step of 0.3 of it takes 0.011
NAMED = 4  # names in one line


def guesses_of(robot: RobotModel) -> tuple[str, ...]:
    """Return what was found or assumed because the file does not say it."""
    told = list(robot.warnings)
    for what, values, key in (
        ("torque", robot.torque, "effort"),
        ("velocity", robot.velocity, "velocity"),
    ):
        if names := [n for n, v in zip(robot.joints, values, strict=True) if not np.isfinite(v)]:
            told.append(
                f"no limit of {what} for {_listed(names)}: taken as unlimited; a URDF gives it as "
                f"<limit {key}=...>"
            )
    if names := [n for n, v in zip(robot.joints, robot.armature, strict=True) if v == 0.0]:
        told.append(
            f"no rotor inertia for {_listed(names)}: taken as 0; `rotor` under [urdf] of a "
            "scenario, or <rotor_params> of an SRDF, gives it"
        )
    return tuple(told)


def doubts_of(robot: RobotModel) -> tuple[str, ...]:
    """Return what is doubtful in the file of a robot."""
    checks: tuple[Callable[[RobotModel], Iterator[str]], ...] = (
        _masses,
        _inertias,
        _sides,
        _knees,
        _reach,
    )
    return (*robot.doubts, *(text for check in checks for text in check(robot)))


def _masses(robot: RobotModel) -> Iterator[str]:
    bodies = range(1, robot.model.njoints)
    shares = [
        (first_link(robot.model, b), robot.model.inertias[b].mass / robot.mass) for b in bodies
    ]
    if light := [name for name, share in shares if 0.0 < share < LIGHT]:
        yield f"under 1 % of the mass: {_listed(light)}; if not meant, correct <mass>"
    for name, share in shares:
        if share > HEAVY:
            yield f"'{name}' has {share:.0%} of the mass; if not meant, correct every <mass>"


def _inertias(robot: RobotModel) -> Iterator[str]:
    heights = _places(robot, robot.q0)[:, 2]
    size = float(np.ptp([0.0, *heights]))
    for b in range(1, robot.model.njoints):
        body = robot.model.inertias[b]
        if body.mass <= 0.0:
            continue
        i1, i2, i3 = np.linalg.eigvalsh(np.array(body.inertia))
        gyration = float(np.sqrt(max(i3, 0.0) / body.mass))
        what = f"the inertia of '{first_link(robot.model, b)}'"
        if i1 + i2 < i3:
            yield (
                f"{what} keeps the triangle rule within round-off only: {i1:.3g} + {i2:.3g} < "
                f"{i3:.3g} kg m2; write <inertia> with more digits"
            )
        if gyration > size or gyration < POINT:
            extent = "a body larger than the robot" if gyration > size else "a point"
            yield f"{what} is that of {extent}, sqrt(I/m) = {gyration:.3g} m; correct <inertia>"


def _sides(robot: RobotModel) -> Iterator[str]:
    places = {name: place for place, name in enumerate(robot.joints)}
    for left, place in places.items():
        right = next((name for name in right_names(left) if name in places), None)
        if right is None:
            continue
        other = places[right]
        ours, theirs = (robot.model.inertias[k + 2] for k in (place, other))
        numbers = {
            "masses [kg]": (ours.mass, theirs.mass),
            "torques [N m]": (robot.torque[place], robot.torque[other]),
            "velocities [rad/s]": (robot.velocity[place], robot.velocity[other]),
            "rotors [kg m2]": (robot.armature[place], robot.armature[other]),
            "traces of the inertia [kg m2]": (np.trace(ours.inertia), np.trace(theirs.inertia)),
        }
        unlike = [f"{key} {a:.4g}, {b:.4g}" for key, (a, b) in numbers.items() if _differ(a, b)]
        ranges = [(robot.lower[k], robot.upper[k]) for k in (place, other)]
        if not any(
            np.allclose(ranges[0], mirrored, rtol=0.0, atol=SAME_RANGE)
            for mirrored in (ranges[1], (-ranges[1][1], -ranges[1][0]))
        ):
            unlike.append("ranges {:.3g} to {:.3g}, {:.3g} to {:.3g}".format(*sum(ranges, ())))
        if unlike:
            yield f"'{left}' is unlike '{right}': {'; '.join(unlike)}; correct one of them"
    a, b = (foot.half_size for foot in robot.feet)
    if any(_differ(*pair) for pair in zip(a, b, strict=True)):
        yield (
            f"the left foot is {2e3 * a[0]:.0f} x {2e3 * a[1]:.0f} mm, the right one "
            f"{2e3 * b[0]:.0f} x {2e3 * b[1]:.0f} mm; --foot-size gives both one size"
        )


def _knees(robot: RobotModel) -> Iterator[str]:
    if stands_straight(robot):
        yield "legs are straight and cannot step: give a posture with bent knees (--srdf)"
    knees = knees_of(robot.model, robot.q0, robot.legs)
    for j, _ in knees:
        name, k = robot.model.names[j], j - 2
        if robot.upper[k] - robot.lower[k] < BENT:
            bend = np.degrees(robot.upper[k] - robot.lower[k])
            yield f"the knee '{name}' bends by {bend:.0f} degrees only; correct its <limit>"
    places = _places(robot, robot.q0)
    for (j, angle), leg in zip(knees, robot.legs, strict=False):
        hip, knee, ankle = places[leg[0]], places[j], places[leg[-1]]
        down = (hip[2] - knee[2]) / (hip[2] - ankle[2]) if hip[2] > ankle[2] else np.nan
        if abs(angle) > SAME_RANGE and knee[0] < (hip + down * (ankle - hip))[0] - POINT:
            yield (
                f"the knee '{robot.model.names[j]}' bends backwards; if not meant, give a posture "
                "with knees forward (--srdf)"
            )


def _reach(robot: RobotModel) -> Iterator[str]:
    for (j, _), leg in zip(knees_of(robot.model, robot.q0, robot.legs), robot.legs, strict=False):
        place = robot.model.joints[j].idx_q

        def length(angle: float, leg: tuple[int, ...] = leg, place: int = place) -> float:
            q = np.array(robot.q0)
            q[place] = angle
            ends = _places(robot, q)[[leg[0], leg[-1]]]
            return float(np.linalg.norm(ends[1] - ends[0]))

        low, high = (max(-np.pi, robot.lower[j - 2]), min(np.pi, robot.upper[j - 2]))
        now = length(robot.q0[place])
        full = max(now, *(length(angle) for angle in np.linspace(low, high, 181)))
        if full > 0.0 and not stands_straight(robot) and 1.0 - now / full < STRETCHED:
            yield (
                f"the leg of '{robot.model.names[j]}' is stretched to {now / full:.1%} of "
                f"{1e3 * full:.0f} mm: steps are soon out of reach; take a lower `sole walk "
                "--com-height`, or a posture with knees more bent (--srdf)"
            )


def _places(robot: RobotModel, q: FloatArray) -> FloatArray:
    """Return the positions (njoints, 3) of all joints at q (nq,) [m]."""
    import pinocchio as pin

    data = robot.model.createData()
    pin.forwardKinematics(robot.model, data, np.array(q))
    return np.array([place.translation for place in data.oMi])


def _differ(a: float, b: float) -> bool:
    if not (np.isfinite(a) and np.isfinite(b)):
        return bool(np.isfinite(a) != np.isfinite(b))
    return abs(a - b) > ALIKE * max(abs(a), abs(b))


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return ", ".join(names[:NAMED]) + more
