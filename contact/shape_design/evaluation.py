"""What a shape is worth: peaks of landings and tilts of standing on all grounds, with gradients.

An evaluation condenses one shape. A factor e of all E needs no condensation: C(e) = C(1)/e. The
parameters are the P heights of the fields and ln e. The gradient takes one pair of fields of the
whole sole for every outcome (`sole.condense.ShapeDerivatives.between`), whatever P is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from contact.ground import Ground
from contact.shape_design.design_file import ShapeDesign
from contact.shape_design.load_case import (
    RestState,
    ShapeOutcome,
    deepest,
    high_pressure,
    motions_of,
    squared_tilt,
    stand,
    stop,
    stopping_force,
)
from contact.shape_design.shape_field import ShapeFields
from sole.base.arrays import FloatArray
from sole.base.errors import ConfigError, SoleError
from sole.condense import Condenser, ShapeDerivatives, differentiate_shape
from sole.laws import linear_materials
from sole.material import Material
from sole.mesh import SoleMesh

REACHES = ((1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0))  # front, back, left, right


@dataclass(frozen=True, eq=False, kw_only=True)
class ShapeWorth:
    """The outcomes of one shape and one factor of E.

    Parameters
    ----------
    peaks : (S,) peak accelerations of landings [m/s^2], by ground, then attitude.
    tilts : (T,) angles of standing [rad], by ground, then centre of pressure.
    pressures : (T,) high pressures of the same [Pa].
    sinks : (S,) compressions of the node that a landing compresses most, over the thickness.
    outcomes : of peaks (forces [N]), sinks [m], squared tilts [rad^2] and, if they are limited,
        pressures [Pa], one after another.
    kinks : states of rest in which a node is about to touch or to open.
    """

    peaks: FloatArray
    tilts: FloatArray
    pressures: FloatArray
    sinks: FloatArray
    outcomes: tuple[ShapeOutcome, ...]
    kinks: int


class ShapeProblem:
    """The loads and grounds of a design on the shapes of one mesh; counts what it condenses.

    Parameters
    ----------
    design : loads and fields. mesh : with materials, at heights 0. grounds : in the sole's frame.

    Raises
    ------
    ConfigError
        A layer without material, fields that do not fit the mesh, a ground that is not below
        every node.
    """

    def __init__(self, design: ShapeDesign, mesh: SoleMesh, grounds: Sequence[Ground]) -> None:
        missing = [n for n, m in zip(mesh.layers, mesh.materials, strict=True) if m is None]
        if missing:
            raise ConfigError(
                f"layer '{missing[0]}' has no material in the mesh: give young_modulus and "
                "poisson_ratio in the shape, or sole mesh --material LAYER=E,nu"
            )
        self.design, self.fields = design, ShapeFields(mesh, design.field)
        self.materials: tuple[Material, ...] = linear_materials(mesh.layers, mesh.materials)
        points = mesh.points[mesh.tread_vertices]
        self.areas, self.D = mesh.tread_areas, motions_of(points)
        self.heights_below = []
        for ground, text in zip(grounds, design.grounds, strict=True):
            height = ground.height(points[:, 0], points[:, 1])
            if not np.isfinite(height).all():
                raise ConfigError(f"ground '{text}' does not reach under the whole sole")
            self.heights_below.append(height)
        half = np.ptp(points[:, :2], axis=0) / 2 * design.stand.reach
        middle = (points[:, :2].max(axis=0) + points[:, :2].min(axis=0)) / 2
        force = design.stand.force
        centres = middle + half * np.array(REACHES)
        self.wrenches = force * np.column_stack([np.ones(4), centres[:, 1], -centres[:, 0]])
        self.evaluations = 0
        self._sole: tuple[bytes, ShapeDerivatives] | None = None
        self._near: dict[int, RestState] = {}

    def derivatives(self, heights: FloatArray) -> ShapeDerivatives:
        """Return the condensed shape; counts one evaluation unless it is the last one again."""
        key = heights.tobytes()
        if self._sole is None or self._sole[0] != key:
            self.evaluations += 1
            condenser = Condenser(self.fields.moved(heights), self.design.element)
            self._sole = key, differentiate_shape(condenser, self.materials)
        return self._sole[1]

    def worth(self, heights: FloatArray, factor: float) -> ShapeWorth:
        """Return the outcomes of heights (P,) [m] and a factor e of all E.

        Raises
        ------
        SoleError
            A foot that does not come to rest, or fields that turn the mesh inside out.
        """
        sole = self.derivatives(heights).sole
        C = self._compliance(sole.compliance, factor)
        z = sole.points[:, 2]
        stops: list[ShapeOutcome] = []
        sinks: list[ShapeOutcome] = []
        tilts: list[ShapeOutcome] = []
        pressures: list[ShapeOutcome] = []
        kinks = 0
        for below in self.heights_below:
            for attitude in self.design.stop.attitudes:
                g = z - below + self.D[:, 1:] @ np.array(attitude)
                at = stop(C, g, self.design.stop.energy, self._near.get(len(stops)))
                self._near[len(stops)] = at
                stops.append(stopping_force(C, at))
                sinks.append(deepest(C, g, at))
                kinks += at.kinks > 0
            for w in self.wrenches:
                at = stand(C, z - below, self.D, w)
                tilts.append(squared_tilt(C, self.D, at))
                pressures.append(high_pressure(C, self.D, self.areas, at))
                kinks += at.kinks > 0
        return ShapeWorth(
            peaks=np.array([o.value for o in stops]) / self.design.stop.mass,
            tilts=np.sqrt([o.value for o in tilts]),
            pressures=np.array([o.value for o in pressures]),
            sinks=np.array([o.value for o in sinks]) / self.fields.mesh.thickness,
            outcomes=(*stops, *sinks, *tilts, *(pressures if self.design.search.pressure else ())),
            kinks=kinks,
        )

    def gradients(
        self, heights: FloatArray, factor: float, worth: ShapeWorth, *, strict: bool = False
    ) -> FloatArray:
        """Return the gradients (n, P + 1) of the outcomes by heights [1/m] and ln e.

        Raises
        ------
        SoleError
            `strict`, and a node is about to touch or to open: the outcomes have a kink there.
        """
        if strict and worth.kinks:
            raise SoleError(
                f"no gradient here: in {worth.kinks} states of rest a node is about to touch or to "
                "open, so the outcome has a kink; move the shape a little, or take the gradient of "
                "one side (strict=False)"
            )
        found = self.derivatives(heights)
        nodes, m = found.sole.mesh.tread_vertices, len(self.areas)
        C = self._compliance(found.sole.compliance, factor)
        outcomes = worth.outcomes
        left, forces = np.zeros((2, 3 * m, len(outcomes)))
        left[2::3] = np.array([o.left for o in outcomes]).T
        forces[2::3] = np.array([o.forces for o in outcomes]).T
        by_vertex = -found.between(left, forces)[:, :, 2] / factor
        by_vertex[:, nodes] -= np.array([o.adjoint for o in outcomes])
        by_stiffness = [o.by_log_stiffness(C) for o in outcomes]
        return np.column_stack([by_vertex @ self.fields.motions, by_stiffness])

    def _compliance(self, C: FloatArray, factor: float) -> FloatArray:
        return np.ascontiguousarray(C[2::3, 2::3]) / factor
