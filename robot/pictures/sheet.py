"""A sheet with the time series of a run, or a single one, with units; stances are shaded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from robot.measures import CUTOFF, low_pass, stances_of
from robot.pictures.caption import PUSH, pushes_of
from robot.run import CHANNELS, LABELS, Channel, Run
from sole.base.arrays import FloatArray
from sole.base.errors import SoleError
from sole.pictures import DPI, arrange, display_unit, powers_of_ten

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SHEET, LETTERS = (13.0, 15.0), 10.0  # size of a full sheet [inches], its font [points]
ALONE = 5.0, 3.5  # inches: a single series below this size has smaller letters
ROOM, SMALLEST = (290, 190), 4.2  # a panel needs so much [pixels]; least font [points]
LIMBS = {"left": "#3a6ea5", "right": "#c0483c"}  # colours mean limbs wherever there are two
COLORS = ("#202020", "#b8862d", "#2f8f88", "#8d6cab", "#4f9a5b", "#d28cc0", "#8a5a44", "#888888")
DASHES = ("-", "--", "-.", ":")
MOST_LINES = 8
SHADE = 0.10


def sheet(run: Run, size: tuple[int, int] | None = None) -> Figure:
    """Return the standard sheet of a run; `size` in pixels at 150 dpi.

    A sheet too small for all panels shows the first of them and says how many there are.
    """
    from matplotlib import rc_context

    inches = SHEET if size is None else (size[0] / DPI, size[1] / DPI)
    lines, columns = _shape(size, len(PANELS))
    # Letters suit the size of a panel; those of a full sheet have LETTERS.
    share = min(1.0, 2 * inches[0] / columns / SHEET[0], 5 * inches[1] / lines / SHEET[1])
    with rc_context({"font.size": max(SMALLEST, LETTERS * share)}):
        return _sheet(run, inches, lines, columns)


def _shape(size: tuple[int, int] | None, count: int) -> tuple[int, int]:
    """Return lines and columns of panels: two columns, or as many as it takes to show all."""
    if size is None:
        return -(-count // 2), 2
    most, lines = (max(1, pixels // room) for pixels, room in zip(size, ROOM, strict=True))
    columns = min(most, max(2, -(-count // lines)))
    return min(lines, -(-count // columns)), columns


def _sheet(run: Run, inches: tuple[float, float], lines: int, columns: int) -> Figure:
    from matplotlib.figure import Figure

    figure = Figure(figsize=inches)
    places = figure.subplots(lines, columns, sharex=True, squeeze=False)
    grid = places.ravel()
    shown = PANELS[: len(grid)]
    for axes, drawing in zip(grid, shown, strict=False):
        drawing(axes, run)
        _shade(axes, run)
        axes.margins(x=0)
        axes.grid(True, alpha=0.25)
    for axes in grid[len(shown) :]:
        axes.remove()
    for axes in grid[max(0, len(shown) - columns) : len(shown)]:  # the lowest of every column
        axes.set_xlabel("time [s]")
        axes.tick_params(labelbottom=True)
    ended = "" if run.finished else f" ({run.header['ended']})"
    shaded = ", ".join(f"{run.feet[f]} {'blue' if f == 0 else 'red'}" for f in range(len(run.feet)))
    pushed = "; violet: push" if pushes_of(run) else ""
    left = len(PANELS) - len(shown)
    more = f"\n{len(shown)} of {len(PANELS)} panels: a larger picture shows all" if left else ""
    told = f"{run.header['robot']}{ended}; shaded: stance, {shaded}{pushed}{more}"
    arrange(figure, places, head=figure.suptitle(told))
    return figure


def single(run: Run, name: str, size: tuple[int, int] | None = None) -> Figure:
    """Return a figure of the single series `name`.

    Raises
    ------
    SoleError
        There is no such series; the message lists the series.
    """
    if name == "time" or name not in run:
        known = ", ".join(n for n in run.series if n != "time")
        raise SoleError(f"the run has no series '{name}' to draw; it has {known}")
    from matplotlib import rc_context

    inches = (9.0, 5.0) if size is None else (size[0] / DPI, size[1] / DPI)
    share = min(1.0, inches[0] / ALONE[0], inches[1] / ALONE[1])
    with rc_context({"font.size": max(SMALLEST, LETTERS * share)}):
        return _single(run, name, inches)


def _single(run: Run, name: str, inches: tuple[float, float]) -> Figure:
    from matplotlib.figure import Figure

    figure = Figure(figsize=inches)
    places = figure.subplots(squeeze=False)
    axes = places[0, 0]
    channel = {**CHANNELS, **run.extras}[name]
    values = run[name].reshape(len(run), -1).astype(float)
    labels = _labels(run, channel, values.shape[1])
    if values.shape[1] > MOST_LINES:  # keep those that change most
        change = np.nan_to_num(np.nanmax(values, axis=0) - np.nanmin(values, axis=0))
        kept = np.sort(np.argsort(-change)[:MOST_LINES])
        values, labels = values[:, kept], [labels[k] for k in kept]
        axes.set_title(f"the {MOST_LINES} that change most", fontsize="medium")
    first = channel.unit.split(",")[0]
    factor, unit = display_unit(float(np.nanmax(np.abs(values), initial=0.0)), first)
    if "," in channel.unit or "^" in first:
        factor, unit = 1.0, channel.unit.replace(", ", " or ")  # forces and moments: both
    for k, (label, look) in enumerate(zip(labels, _looks(labels), strict=True)):
        axes.plot(run.time, factor * values[:, k], lw=1.0, label=label, **look)
    axes.set_xlabel("time [s]")
    axes.set_ylabel(f"{name.replace('_', ' ')} [{unit if unit != '1' else '-'}]")
    axes.grid(True, alpha=0.25)
    _shade(axes, run)
    axes.margins(x=0)
    head = figure.suptitle(f"{run.header['robot']}: {channel.meaning}", fontsize="medium")
    if values.shape[1] > 1:
        axes.legend(fontsize="small")
    arrange(figure, places, head=head)
    return figure


def _labels(run: Run, channel: Channel, count: int) -> list[str]:
    names: list[str] = [""]
    known = {"foot": list(run.feet), "body": [t.name for t in run.treads], **LABELS}
    known["joint"] = list(run.joints)
    place = ["x", "y", "z"]
    known["position"] = [*place, "qx", "qy", "qz", "qw", *run.joints]
    known["velocity"] = [*place, "rx", "ry", "rz", *run.joints]
    for dim in channel.dims:
        names = [f"{a} {b}".strip() for a in names for b in known.get(dim, [])]
    return names if len(names) == count else [str(k) for k in range(count)]


def _looks(labels: list[str]) -> list[dict[str, Any]]:
    """Return colour and dashes by label: limbs have their colours, the rest others.

    Of limbs, the right one is dashed after the left one; further pairs have further dashes.
    """
    looks: list[dict[str, Any]] = []
    others, parts = 0, dict.fromkeys(LIMBS, 0)
    for label in labels:
        limb = next((limb for limb in LIMBS if label.startswith(limb)), "")
        if limb:
            place = 2 * parts[limb] + (limb == "right")
            parts[limb] += 1
            looks.append({"color": LIMBS[limb], "linestyle": DASHES[place % len(DASHES)]})
        else:
            looks.append({"color": COLORS[others % len(COLORS)], "linestyle": "-"})
            others += 1
    return looks


def _limb_color(run: Run, foot: int) -> str:
    """Return the colour of a foot: that of its limb, by its name or its place."""
    names = list(LIMBS)
    name = next((n for n in names if run.feet[foot].startswith(n)), names[foot % 2])
    return LIMBS[name]


def _shade(axes: Axes, run: Run) -> None:
    """Shade stances, left in the upper and right in the lower half, and pushes over both."""
    shade_pushes(axes, run)
    for f in range(min(2, len(run.feet))):
        for first, end in stances_of(run, f):
            left, right = run.time[first], run.time[end - 1]
            low, high = (0.5, 1.0) if f == 0 else (0.0, 0.5)
            axes.axvspan(left, right, low, high, color=_limb_color(run, f), alpha=SHADE, lw=0)


def shade_pushes(axes: Axes, run: Run) -> None:
    """Shade the time of pushes, with an edge that makes even the shortest visible."""
    for push in pushes_of(run):
        start, end = push["start"], push["start"] + push["duration"]
        axes.axvspan(start, end, color=PUSH, alpha=0.45, lw=1.5)


def _lines(axes: Axes, run: Run, values: FloatArray, labels: list[str], title: str) -> None:
    for k, (label, look) in enumerate(zip(labels, _looks(labels), strict=True)):
        axes.plot(run.time, values[:, k], lw=1.0, label=label.replace("_", " "), **look)
    axes.set_ylabel(title)
    if any(labels):
        axes.legend(fontsize="small", loc="best")


def _forces(axes: Axes, run: Run) -> None:
    _lines(axes, run, run["wrench_world"][:, :, 2], list(run.feet), "vertical force [N]")
    axes.axhline(run.weight, color="#888888", lw=0.8, ls="--", label="weight")
    axes.legend(fontsize="small")


def _pressure(axes: Axes, run: Run) -> None:
    bodies = [run.bodies_of(f) for f in range(len(run.feet))]
    values = np.stack([run["pressure"][:, b].max(axis=1) for b in bodies], axis=1)
    _lines(
        axes,
        run,
        1e-3 * values,
        list(run.feet),
        "largest pressure at a node\n(depends on the mesh) [kPa]",
    )


def _along(axes: Axes, run: Run, k: int, title: str) -> None:
    values = [run["com"][:, k], run["dcm"][:, k], run["zmp"][:, k]]
    labels = ["CoM", "DCM", "ZMP"]
    if "zmp_reference" in run:
        values.append(run["zmp_reference"][:, k])
        labels.append("ZMP reference")
    _lines(axes, run, np.stack(values, axis=1), labels, title)
    for f, name in enumerate(run.feet):
        place = np.where(run.loaded[:, f], run["foot_position"][:, f, k], np.nan)
        axes.plot(run.time, place, color=_limb_color(run, f), lw=1.0, ls=":", label=f"{name} foot")
    axes.legend(fontsize="small")


def _forward(axes: Axes, run: Run) -> None:
    _along(axes, run, 0, "forward x [m]")


def _sideways(axes: Axes, run: Run) -> None:
    _along(axes, run, 1, "to the left y [m]")


def _waist(axes: Axes, run: Run) -> None:
    values = np.degrees(run["waist_rpy"][:, :2])
    _lines(axes, run, values, ["roll", "pitch"], "waist [deg]")


def _accelerations(axes: Axes, run: Run) -> None:
    filtered = run.complete and CUTOFF * run.dt < 0.5
    columns, labels = [], []
    for name, a in (
        *((f"{n} foot", run["foot_acceleration"][:, f]) for f, n in enumerate(run.feet)),
        ("waist", run["waist_acceleration"]),
    ):
        size = np.linalg.norm(low_pass(a, run.dt) if filtered else a, axis=1)
        columns.append(size)
        labels.append(name)
    kind = f"below {CUTOFF:g} Hz" if filtered else "raw"
    _lines(axes, run, np.stack(columns, axis=1), labels, f"|acceleration| {kind} [m/s²]")


def _soles(axes: Axes, run: Run) -> None:
    bodies = [run.bodies_of(f) for f in range(len(run.feet))]
    values = np.stack([run["sole_displacement"][:, b].max(axis=1) for b in bodies], axis=1)
    _lines(axes, run, 1e3 * values, list(run.feet), "sole displacement, largest [mm]")


def _energy(axes: Axes, run: Run) -> None:
    lost = run["viscous_loss"] - run["friction_work"] - run["push_work"]
    values = np.stack([run["kinetic"], run["elastic"], lost, run["numerical_loss"]], axis=1)
    labels = ["kinetic", "elastic", "lost in contact and sole", "lost by the time step"]
    _lines(axes, run, values, labels, "energy [J]")


def _torques(axes: Axes, run: Run) -> None:
    tau = run["torque"]
    chosen = np.argsort(-np.abs(tau).max(axis=0))[:4]
    labels = [run.joints[j] for j in chosen]
    _lines(axes, run, tau[:, chosen], labels, "largest torques [N m]")


def _solver(axes: Axes, run: Run) -> None:
    axes.set_ylabel("contact residual [-]")
    if "residual" not in run:
        axes.set_title("not recorded: a penalty law has no contact solver", fontsize="small")
        return
    residual = np.where(run["residual"] > 0, run["residual"], np.nan)
    axes.semilogy(run.time, residual, ".", color=COLORS[0], ms=1.5, label="residual")
    axes.axhline(float(run.header["tolerance"]), color="#888888", lw=0.8, ls="--")
    missed = ~run["solved"]
    if missed.any():
        axes.semilogy(run.time[missed], residual[missed], "rx", ms=4, label="tolerance missed")
        axes.legend(fontsize="small")
    powers_of_ten(axes.yaxis)


# What matters most comes first: small sheets end early.
PANELS = (
    _forces, _pressure, _waist, _accelerations, _forward, _sideways, _soles, _energy, _torques,
    _solver,
)  # fmt: skip
