"""Walk rows of a study: a humanoid walks on every sole, one walk per case.

Each row starts from scratch, so an interrupted and continued study gives the same table bit for
bit. A fall is a result (`fell` = 1); a walk that cannot be planned or run is a failed row.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from robot.studies.files import Files
from robot.studies.scenarios import base_scenario, scenario_of
from sole.base.config import written
from sole.base.errors import ConfigError
from sole.base.units import is_number, read_quantity
from sole.studies import FIELD_COLUMNS, HERE, Case, Column, Setting, SharedSole

if TYPE_CHECKING:
    from robot.run import Run
    from robot.soles import FeetOnSoles
    from robot.walk import Scenario, Soles
    from sole.mesh import SoleMesh

SNAPSHOTS = 5e-3  # s between two snapshots of nodes
_OWN = ("scenario", "after", "strain", "converge")


class WalkRows:
    """One walk per case, on the sole of the study.

    Options: `scenario`, a file for `sole walk`, and any of its keys and tables, which override it;
    `after` [s], from when metrics count; `strain = false` leaves out strain and stress; `converge =
    true` walks at dt, dt/2 and dt/4 (seven times the work), keeps the finest walk, and counts in
    `unconverged` the highlighted metrics that still depend on dt.

    The study's mesh, axes, layers and element define the soles. Without a mesh the soles are pads
    with the outline of the robot's feet, and the scenario's [sole] thickness, size, young, poisson
    and density are their defaults.
    """

    needs_sole = True
    # The shock of a step versus the tilt of the robot.
    trades = (
        ("landing_acceleration_100_hz", "waist_tilt"),
        ("foot_acceleration_100_hz", "waist_tilt"),
        ("impact_force", "waist_tilt"),
    )

    def __init__(self, options: Mapping[str, Any], folder: Path = HERE) -> None:
        from robot.studies.columns import COLUMNS, UNCONVERGED
        from robot.studies.quantities import walk_quantities
        from robot.walk import KnownPlans, Scenario

        known = [*_OWN, *(f.name for f in fields(Scenario))]
        for name in options:
            if name not in known:
                raise ConfigError(f"walk rows have no option '{name}'; known: {', '.join(known)}")
        self.after = _seconds("after", options.get("after", 0.0))
        self.strain, self.converge = (
            _flag(name, options.get(name, usual))
            for name, usual in (("strain", True), ("converge", False))
        )
        given = {k: v for k, v in options.items() if k == "scenario" or k not in _OWN}
        self.base: Scenario = base_scenario(given, folder)
        self.files, self.plans = Files(folder), KnownPlans()
        self.files.robot(self.base)
        self.files.ground(self.base)
        self.quantities = walk_quantities(self.base, self.files)
        self.columns: dict[str, Column] = dict(COLUMNS)
        if self.strain:
            self.columns |= FIELD_COLUMNS
        if self.converge:
            self.columns["unconverged"] = UNCONVERGED

    @classmethod
    def declare(cls) -> dict[str, Column]:
        """Return all columns there may be."""
        from robot.studies.columns import COLUMNS, UNCONVERGED

        return COLUMNS | FIELD_COLUMNS | {"unconverged": UNCONVERGED}

    @property
    def fingerprint(self) -> dict[str, Any]:
        """The inputs of the rows: the scenario, and the robots and grounds read so far."""
        return {"scenario": written(self.base), "read": dict(sorted(self.files.read.items()))}

    @property
    def element(self) -> str:
        """Default element of the pads."""
        return self.base.sole.element

    def check(self, settings: Mapping[str, Setting]) -> None:
        """Refuse axes that do not go together.

        Raises
        ------
        SoleError
            One axis determines the other.
        """
        scenario_of(self.base, settings)

    def pad(self, settings: Mapping[str, Setting]) -> str:
        """Return the name of the robot for whose feet the pads of a case are made."""
        return str(settings.get("robot", self.base.robot))

    def mesh(self, label: str) -> SoleMesh:
        """Return the mesh of the pad of a robot's left foot."""
        from robot.walk import material_of, pad_of

        s = replace(self.base, robot=label)
        pad = pad_of(s.sole, self.files.robot(s))
        return replace(pad, materials=(material_of(s.sole),) * len(pad.layers))

    def row(self, shared: SharedSole, case: Case) -> dict[str, float]:
        """Return the numbers of one walk.

        Raises
        ------
        SoleError
            The walk cannot be planned, or the simulation stopped.
        """
        from robot.studies.columns import measure_run, number_columns
        from robot.studies.strains import largest_strains
        from sole.base.stopping import interruptible

        scenario = scenario_of(self.base, case.settings)
        sole = shared.sole if case.scale == 1.0 else shared.sole.scaled(case.scale)
        run, feet, row = self._walked(scenario, (sole, None))
        with interruptible():
            row |= number_columns(measure_run(run, self.after))
            if self.strain and not feet.rigid:
                row |= largest_strains(run, feet, shared.recovery, case.scale, self.after)
        return row

    def _walked(
        self, scenario: Scenario, soles: Soles
    ) -> tuple[Run, FeetOnSoles, dict[str, float]]:
        """Return the walk (at the finest dt if there are several) and its convergence."""
        from robot.studies.columns import METRICS, measure_run
        from robot.walk import RecordingOptions, assemble_walk, execute, refine
        from sole.base.stopping import interruptible

        kept = RecordingOptions(nodes=max(1, round(SNAPSHOTS / scenario.dt)) if self.strain else 0)
        if not self.converge:
            with interruptible():
                walk = assemble_walk(scenario, self.files.folder, soles, self.plans)
            done, feet, row = execute(walk, kept), walk.feet, dict[str, float]()
        else:
            measure = partial(measure_run, after=self.after)
            refined = refine(scenario, self.files.folder, kept, soles=soles, measure=measure)
            done, feet = refined.finest, refined.feet
            judged = [found for name, found in refined.found.items() if METRICS[name].highlight]
            row = {"unconverged": float(sum(not found.converged for found in judged))}
        if done.error is not None:
            raise done.error
        return done.run, feet, row


def _seconds(name: str, value: object) -> float:
    if isinstance(value, str) and not is_number(value):
        value = read_quantity(value, "s")
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e6:
        raise ConfigError(f"walk rows: {name} must be a time >= 0 [s], got {value!r}")
    return float(value)


def _flag(name: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise ConfigError(f"walk rows: {name} must be true or false, got {value!r}")
    return value
