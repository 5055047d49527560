"""The report of `sole info` on a run."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from robot.measures import Convergence, metrics, verdict
from robot.run import Run, load_run
from robot.summaries.met_obstacle import met_before_fall
from sole.base.readable import in_words
from sole.base.report import Quantity, Report
from sole.condense import STRAIN_LIMIT, describe_error

if TYPE_CHECKING:
    from robot.walk import Refinement


ODD = {
    "gave up": "the foot found no ground within the depth and time that it may reach; the walk "
    "continued as if it stood",
    "out of reach": "feet and centre of mass were out of reach of the legs, which came as near as "
    "they could",
}


ENDS = {  # of a swing
    "landed": "as planned",
    "early": "before its time",
    "late": "after its time",
    "gave up": "without ground",
}
ELSE = {
    "met": "went over something",
    "again": "stepped again, off an edge",
    "out of reach": "with feet and centre of mass out of reach",
}
ON_DT = (
    "peaks, impact forces and losses depend on dt: `sole walk --converge` compares runs at dt, "
    "dt/2 and dt/4"
)
MARGINS = {
    "wrench margin": "share of the load that a foot could lose before it slips, tilts or turns, as "
    "a rigid rectangle; landings count",
    "stance margin": "the same while the foot stands: its landing does not count",
    "sole margin": "the same with the pressure that the compliant sole really has",
}


def run(path: Path) -> Report:
    """Return the report of a run's file, for `sole info`."""
    return describe_run(load_run(path))


def describe_run(run: Run) -> Report:
    """Return the report of a run: its contents and metrics."""
    rows = {
        "verdict": Quantity(verdict(run)),
        "robot": Quantity(str(run.header["robot"])),
        "mass": Quantity(float(run.header["mass"]), "kg", "with its soles"),
        "joints": Quantity(len(run.joints)),
        "ground": Quantity(str(run.header["ground"])),
        "bodies": Quantity(
            ", ".join(t.name for t in run.treads),
            "",
            f"{sum(len(t.points) for t in run.treads)} contact nodes",
        ),
        "rows": Quantity(len(run), "", f"1 per {run.every} steps of {1e3 * run.dt:g} ms"),
        "snapshots": Quantity(len(run.frames.get("frame_time", ())), "", "of nodal forces"),
    }
    found = metrics(run)
    if "strain_p99" in run.header:
        strain = float(run.header["strain_p99"])
        limit = f"99th percentile by volume; limit {STRAIN_LIMIT:g}"
        told = "; ".join(filter(None, (limit, describe_error(strain))))
        corners = "depends on the mesh at bonded corners"
        found |= {
            "strain": Quantity(strain, "", told),
            "largest strain": Quantity(float(run.header["strain_max"]), "", corners),
        }
    notes = []
    if (events := run.header.get("events")) is not None:
        rows["plan"] = Quantity("online", "", _swings(Counter(event["kind"] for event in events)))
        for event in events:
            if event["kind"] in ODD:
                notes.append(
                    f"step {event['step'] + 1} at {event['time']:.3g} s: {ODD[event['kind']]}"
                )
    if met := met_before_fall(run):
        notes.append(met)
    if (repeated := run.header.get("repeated_commands")) is not None:
        told = "ticks whose quadratic program had no solution; the last command was repeated"
        found["repeated commands"] = Quantity(repeated, "", told)
        if repeated:
            notes.append(f"repeated commands: {repeated} {told}")
    if not run.finished:
        notes.append(f"the run did not reach its end: {run.header['ended']}")
    if found["missed"].value:
        worst = found["contact residual"].value
        notes.append(
            f"contact missed its tolerance in {found['missed'].value} rows, with residuals up to "
            f"{worst:.2g}"
        )
    if run.complete:
        notes.append(ON_DT)
    for name, meaning in MARGINS.items():
        q = found[name]
        found[name] = Quantity(q.value, q.unit, f"{meaning}; {q.remark}")
    return Report(f"run of {run.header['robot']}", rows | found, tuple(notes))


def _swings(counts: Counter[str]) -> str:
    """Return for instance "9 swings ended: 8 as planned, 1 before its time; 1 went over ..."."""
    ended = [f"{counts[kind]} {told}" for kind, told in ENDS.items() if counts[kind]]
    other = [
        f"{n} {ELSE.get(kind, kind)}" for kind, n in sorted(counts.items()) if kind not in ENDS
    ]
    number = sum(counts[kind] for kind in ENDS)
    first = f"{number} swing{'' if number == 1 else 's'} ended" + ": " * bool(ended)
    return "; ".join([first + ", ".join(ended), *other])


def describe_refinement(refined: Refinement, *, as_data: bool = False) -> Report:
    """Return the convergence of every metric; `fell` and verdict are those of the finest step.

    The report has a row per metric; with `as_data` one mapping name -> values, unit, estimate,
    order, error, verdict.
    """
    told = metrics(refined.finest.run)
    rows = {
        "verdict": Quantity(f"{verdict(refined.finest.run)} (at the finest time step)"),
        "fell": told["fell"],
        "fell at": told["fell at"],
        "dt": Quantity([1e3 * dt for dt in refined.dts], "ms"),
    }
    if as_data:
        data = {n: {**c._asdict(), "unit": refined.units[n]} for n, c in refined.found.items()}
        rows["convergence"] = Quantity(data)
    else:
        rows |= {
            name: Quantity(
                list(found.values), refined.units[name], _judgement(found, refined.units[name])
            )
            for name, found in refined.found.items()
            if name not in rows
        }
    unsettled = [name for name, found in refined.found.items() if not found.converged]
    notes = [f"not converged: {', '.join(unsettled)}"] if unsettled else []
    if told["missed"].value:
        missed = told["missed"].value
        notes.append(f"contact missed its tolerance in {missed} rows of the finest run")
    return Report(f"{refined.finest.run.header['robot']} at three time steps", rows, tuple(notes))


def _judgement(found: Convergence, unit: str) -> str:
    """Return for instance "converged: 5.95 at dt = 0 (4 % off), order 0.7"."""
    if not found.error:  # flags, and metrics that do not change
        return found.verdict
    off = f"{100 * found.error:.2g} %"
    if found.estimate is None or found.order is None:
        return f"{found.verdict}: no power of dt, {off} apart"
    limit = in_words([found.estimate], unit)
    return f"{found.verdict}: {limit} at dt = 0 ({off} off), order {found.order:.2g}"
