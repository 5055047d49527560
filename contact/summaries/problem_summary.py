"""Reports of contact problems and their solutions: for `sole contact` and `sole info`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from contact.fclib import FclibFile, SolutionRecord, load_solution, read_fclib
from contact.problem import ASYMMETRY, ContactStatus, Outcome, factor_is_cheap
from sole.base.report import Quantity, Report

WORDS = {
    Outcome.SOLVED: "solved",
    Outcome.STALLED: "not solved",
    Outcome.INFEASIBLE: "infeasible",
}


def problem(path: Path) -> Report:
    """Describe a file of FCLIB."""
    return describe_problem(read_fclib(path))


def solution(path: Path) -> Report:
    """Describe a file of `sole contact solve`."""
    return describe_solution(load_solution(path))


def describe_problem(file: FclibFile) -> Report:
    """Return the table of a contact problem."""
    operator: Any = file.problem.operator
    mu = file.problem.friction
    how = "" if factor_is_cheap(operator) else ", by Lanczos: its factor is too large"
    rows = {
        "kind": Quantity(file.kind),
        "title": Quantity(file.title),
        "description": Quantity(" ".join(file.description.split())),
        "math info": Quantity(file.math_info),
        "contacts": Quantity(file.contacts),
        "entries of W": Quantity(file.entries, "", f"{100 * file.fill:.2g} % of all"),
        "asymmetry": Quantity(operator.asymmetry, "", "max |W - W'| / max |W|"),
        "semidefinite": Quantity(file.semidefinite, "", f"symmetric part of W{how}"),
        "friction": Quantity(
            np.array([mu.min(initial=np.inf), mu.max(initial=0.0)]) if len(mu) else None,
            "",
            "lowest and highest",
        ),
        "guesses": Quantity(len(file.guesses)),
    }
    if file.source is not None:
        rows["unknowns"] = Quantity(len(file.source.force), "", "before the reduction")
    shown = {name: q for name, q in rows.items() if str(q.value)}  # texts may be empty
    return Report("contact problem", shown, _notes(operator.asymmetry, file.semidefinite))


def describe_solution(record: SolutionRecord) -> Report:
    """Return the table of a solution: method, cost, certificate, counts."""
    c = record.certificate
    counts = np.bincount(record.status, minlength=3)
    parts = [f"{count} {name}" for name, count in record.iterations.items() if count]
    asymmetry = float(record.problem["asymmetry"])
    rows = {
        "problem": Quantity(record.problem["file"], "", str(record.problem["title"])),
        "contacts": Quantity(int(record.problem["contacts"])),
        "method": Quantity(record.method, "", f"seed {record.seed}"),
        "iterations": Quantity(sum(record.iterations.values()), "", ", ".join(parts)),
        "time": Quantity(record.seconds, "s", "the solver alone"),
        "tolerance": Quantity(record.tolerance),
        "natural map": Quantity(_figure(c.natural_map), "", "recomputed, over rho |q|"),
        "signorini": Quantity(_figure(c.signorini), "", "|min(r_n, rho u_n)|"),
        "cone": Quantity(_figure(c.cone), "", "distance of forces to their cones"),
        "dual cone": Quantity(_figure(c.dual_cone), "", "of u + mu |u_t| n"),
        "complementarity": Quantity(_figure(c.complementarity)),
        "asymmetry": Quantity(asymmetry, "", "max |W - W'| / max |W|"),
        "open": Quantity(int(counts[ContactStatus.OPEN]), "", "contacts"),
        "stick": Quantity(int(counts[ContactStatus.STICK]), "", "contacts"),
        "slip": Quantity(int(counts[ContactStatus.SLIP]), "", "contacts"),
        "outcome": Quantity(WORDS[record.outcome]),
    }
    if record.proof is not None:
        rows["proof null space"] = Quantity(
            record.proof.null_space, "", "|W d|, worst of three scales"
        )
        rows["proof cone"] = Quantity(record.proof.cone, "", "distance of d to the cones")
        rows["proof descent"] = Quantity(record.proof.descent, "", "q'd / |q|")
        rows["proof tangential"] = Quantity(record.proof.normal, "", "0: with any friction")
    notes = list(_notes(asymmetry, bool(record.problem["semidefinite"])))
    if record.outcome is Outcome.INFEASIBLE:
        notes.append(f"{record.outcome.value}; the reactions are not a solution")
        if record.proof is not None and record.proof.normal > record.tolerance:
            notes.append(
                "the proof is oblique (proof tangential is not 0): it excludes the convex problem "
                "and forces that stick everywhere, not a Coulomb solution that slips"
            )
    return Report("contact solution", rows, tuple(notes))


def _figure(value: float) -> float | None:
    """Return a figure, None if it is not finite: JSON has no infinity."""
    return value if np.isfinite(value) else None


def _notes(asymmetry: float, semidefinite: bool) -> tuple[str, ...]:
    notes = []
    if asymmetry > ASYMMETRY:
        notes.append(
            f"W is asymmetric by {asymmetry:.1e} and used as stored: methods that need symmetry "
            "refuse it"
        )
    if not semidefinite:
        notes.append("the symmetric part of W has negative eigenvalues: a solution may not exist")
    return tuple(notes)
