"""Tables and picture of `contact_solvers.py`: time, ratio to the fastest peer, sweeps, success."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from contact_costs import Costs
from contact_problems import STATES

TARGETS = (1e-6, 1e-10)
ROWS = 4  # lines of a table before its rows
OURS = ("gauss-seidel", "newton", "auto")
GOALS = {50: 5.0, 104: 10.0, 300: 10.0}


@dataclass
class Run:
    """One solver on one problem: seconds are infinite where the target was missed."""

    seconds: float
    iterations: int
    natural_map: float
    settings: str = ""

    @property
    def solved(self) -> bool:
        """Return whether the target was met."""
        return bool(np.isfinite(self.seconds))


@dataclass
class Measured:
    """One recorded problem: runs[target][solver]."""

    nodes: int
    young: float
    state: str
    contacts: int
    dense: float  # s to form W
    operator: float  # s of pinocchio's constructor
    runs: dict[float, dict[str, Run]] = field(default_factory=dict)

    def fastest(self, target: float, names: tuple[str, ...], operator: bool = False) -> float:
        """Return the seconds of the fastest of `names`, infinite if all missed.

        With `operator`, Pinocchio is charged with the construction of its operator.
        """
        extra = {n: self.operator if operator and n.startswith("pinocchio") else 0.0 for n in names}
        return min((self.runs[target][n].seconds + extra[n] for n in names), default=np.inf)


def cases(rows: list[Measured]) -> Iterator[tuple[tuple[int, float, str], list[Measured]]]:
    for key in dict.fromkeys((r.nodes, r.young, r.state) for r in rows):
        yield key, [r for r in rows if (r.nodes, r.young, r.state) == key]


def ratio(
    rows: list[Measured], target: float, peers: tuple[str, ...], ours: str, operator: bool = False
) -> float:
    """Return the summed time of the fastest peer of every problem, over ours."""
    theirs = [r.fastest(target, peers, operator) for r in rows]
    return float(np.sum(theirs) / np.sum([r.runs[target][ours].seconds for r in rows]))


def cell(rows: list[Measured], target: float, name: str) -> str:
    runs = [r.runs[target][name] for r in rows]
    solved = [r.seconds for r in runs if r.solved]
    text = f"{1e3 * np.mean(solved):.3g}" if solved else "-"
    return text if len(solved) == len(runs) else f"{text} ({len(solved)}/{len(runs)})"


def time_head(target: float, peers: tuple[str, ...]) -> str:
    """Return the first lines of `time_table`: caption and head."""
    head = ["m", "E [MPa]", "state", "K", "sweeps", *OURS, *peers, "ratio", "ratio gs"]
    caption = (
        f"\nTime [ms] to a natural map of {target:g}, mean over the problems of a case; "
        "(solved/all) where not all were. m: nodes of a foot, K: contacts, ratio: fastest peer of "
        "every problem / auto, gs: / gauss-seidel."
    )
    return "\n".join([caption, "| " + " | ".join(head) + " |", "|" + "---|" * len(head)])


def time_table(rows: list[Measured], target: float, peers: tuple[str, ...]) -> str:
    names = (*OURS, *peers)
    lines = [time_head(target, peers)]
    for (m, E, state), group in cases(rows):
        sweeps = np.mean([r.runs[target]["gauss-seidel"].iterations for r in group])
        contacts = f"{min(r.contacts for r in group)}-{max(r.contacts for r in group)}"
        cells = [str(m), f"{E / 1e6:g}", state, contacts, f"{sweeps:.1f}"]
        cells += [cell(group, target, name) for name in names]
        cells += [f"{ratio(group, target, peers, o):.2g}" for o in ("auto", "gauss-seidel")]
        lines.append("| " + " | ".join(cells) + " |")
    for m in dict.fromkeys(r.nodes for r in rows):
        group = [r for r in rows if r.nodes == m]
        per = [ratio(g, target, peers, "auto") for key, g in cases(group)]
        lines.append(
            f"\nm = {m}: ratio over all its problems {ratio(group, target, peers, 'auto'):.2g} "
            f"({ratio(group, target, peers, 'auto', True):.2g} with Pinocchio's operator counted), "
            f"cases {min(per):.2g} to {max(per):.2g}, geometric mean "
            f"{np.exp(np.mean(np.log(per))):.2g}; goal {GOALS.get(m, np.nan):g}"
        )
    return "\n".join(lines)


def sweep_table(rows: list[Measured]) -> str:
    """How the sweeps of Gauss-Seidel depend on E and m."""
    lines = ["\nSweeps of Gauss-Seidel to 1e-6, warm: mean per case, and largest / smallest."]
    for state in STATES:
        counts = {key: np.mean([r.runs[1e-6]["gauss-seidel"].iterations for r in group])
                  for key, group in cases([r for r in rows if r.state == state])}  # fmt: skip
        if counts:
            text = ", ".join(f"{m}/{E / 1e6:g}: {c:.1f}" for (m, E, _), c in counts.items())
            spread = max(counts.values()) / max(min(counts.values()), 1e-9)
            lines.append(f"{state} (m/E): {text}; factor {spread:.2g} (goal 2)")
    return "\n".join(lines)


def success_table(rows: list[Measured], peers: tuple[str, ...]) -> str:
    lines = ["\nSolved of all, per target"]
    for target in TARGETS:
        counts = {n: sum(r.runs[target][n].solved for r in rows) for n in (*OURS, *peers)}
        text = ", ".join(f"{n} {c}" for n, c in counts.items())
        lines.append(f"{target:g}: of {len(rows)}: {text}")
    return "\n".join(lines)


def cost_table(costs: list[Costs]) -> str:
    lines = [
        "\nBreakdown of our time (call of `solve` to 1e-6, us) and bandwidth. read: bytes of"
        " the compliance read by the sweeps; share: time of a plain read of as many bytes of the"
        " same array over that of the sweeps. ends: set-up, first response and certificate.",
        "| m | E [MPa] | state | K | solve | sweeps | ends | Python "
        "| rows/sweep/K | us/sweep | read [MB] | GB/s | plain GB/s | share |",
        "|" + "---|" * 14,
    ]
    return "\n".join([*lines, *(cost.line() for cost in costs)])


def notes(rows: list[Measured]) -> str:
    lines = ["\nNot counted: forming W for the others, Pinocchio's operator of it [ms]"]
    for m in dict.fromkeys(r.nodes for r in rows):
        full = max((r for r in rows if r.nodes == m), key=lambda r: r.contacts)
        lines.append(f"K = {full.contacts}: {1e3 * full.dense:.2g}, {1e3 * full.operator:.2g}")
    names = [n for n in rows[0].runs[TARGETS[0]] if n not in OURS]
    for name in names:
        used = [r.runs[1e-6][name].settings for r in rows]
        count = {s: used.count(s) for s in dict.fromkeys(used)}
        lines.append(
            f"fastest settings of {name}: " + "; ".join(f"{s} {c}x" for s, c in count.items())
        )
    return "\n".join(lines)


def draw(rows: list[Measured], peers: tuple[str, ...], path: Path) -> None:
    """Ratio over m: a line per state, every E a dot."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(6, 4), layout="constrained")
    for state, colour in zip(STATES, ("C0", "C1", "C2"), strict=True):
        found = [
            (m, E, ratio(g, 1e-6, peers, "auto")) for (m, E, s), g in cases(rows) if s == state
        ]
        nodes = sorted({m for m, _, _ in found})
        axes.plot([m for m, _, _ in found], [x for _, _, x in found], ".", color=colour)
        means = [np.exp(np.mean([np.log(x) for m, _, x in found if m == n])) for n in nodes]
        axes.plot(nodes, means, color=colour, label=f"{state} (mean over E)")
    axes.plot(list(GOALS), list(GOALS.values()), "k_", ms=20, label="goal")
    axes.set(xscale="log", yscale="log", xlabel="nodes of a foot", xticks=list(GOALS),
             xticklabels=list(GOALS), ylabel="time of the fastest peer / ours")  # fmt: skip
    axes.minorticks_off()
    axes.grid(alpha=0.3)
    axes.legend()
    figure.savefig(path, dpi=150)
