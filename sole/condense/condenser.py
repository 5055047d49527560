"""Static condensation: from mesh and material to the stiffness of the tread.

    K_c = K_cc - K_cn K_nn^-1 K_nc,    C = K_c^-1

for the tread vertices c and all other free nodes n of the stiffness with P1 trace
(`sole.elasticity`).
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING

from sole.base.arrays import FloatArray, sealed
from sole.base.errors import MaterialError
from sole.condense.condensed_sole import CondensedSole
from sole.elasticity import DEFAULT_ELEMENT, LOCKING_LIMIT, POISSON_LIMIT, check_element
from sole.laws import linear_materials
from sole.material import Material
from sole.mesh import SoleMesh

if TYPE_CHECKING:
    from sole.elimination import Factor

TOO_STIFF = {"p1": "13 to 27 %", "p2": "2 to 4 %"}  # at nu = 0.45: docs/theory.md, Locking


class Condenser:
    """Condenses one mesh for many materials; assembles and orders the elimination once.

    Parameters
    ----------
    mesh : the sole.
    element : "ccr" (default), which no Poisson's ratio locks, "p2" or "p1".
    """

    def __init__(self, mesh: SoleMesh, element: str = DEFAULT_ELEMENT) -> None:
        from sole.elasticity import assemble_stiffness
        from sole.elimination import nested_dissection

        self.mesh = mesh
        self.element = check_element(element)
        self.parts = assemble_stiffness(mesh, element)
        self.tree = nested_dissection(
            self.parts.indptr, self.parts.indices, self.parts.coordinates, self.parts.contact
        )

    def condense(self, materials: Sequence[Material]) -> CondensedSole:
        """Return the condensed sole for one material per layer.

        Raises
        ------
        MaterialError
            Wrong number of materials, or nu too close to 0.5 for the element.
        ResourceError
            The elimination needs more memory than is available; raised before it starts.
        """
        from sole.elimination import check_memory, schur_complement

        materials = tuple(materials)
        _check_materials(self.mesh, materials, self.element)
        check_memory(self.tree, extra_bytes=self._extra_bytes)
        K_c = schur_complement(self.parts.stiffness(materials), self.tree)
        return self._sole(materials, K_c)

    def factorise(self, materials: Sequence[Material]) -> tuple[CondensedSole, Factor]:
        """Return the condensed sole and the factor of the same elimination; raises likewise."""
        from sole.elimination import check_memory, factorise

        materials = tuple(materials)
        _check_materials(self.mesh, materials, self.element)
        check_memory(self.tree, extra_bytes=self._extra_bytes + self.tree.factor_bytes)
        factor = factorise(self.parts.stiffness(materials), self.tree)
        return self._sole(materials, factor.K_c), factor

    @property
    def _extra_bytes(self) -> float:
        """Besides the elimination: K; then K_c, its inverse and the copy that LAPACK inverts."""
        return 72.0 * len(self.parts.indices) + 24.0 * (3 * len(self.parts.contact)) ** 2

    def _sole(self, materials: tuple[Material, ...], K_c: FloatArray) -> CondensedSole:
        from sole.elimination import symmetric_inverse

        return CondensedSole(
            mesh=self.mesh,
            materials=materials,
            element=self.element,
            stiffness=sealed(K_c),
            compliance=sealed(symmetric_inverse(K_c)),
        )


def condense(
    mesh: SoleMesh,
    materials: Material | Sequence[Material] | None = None,
    element: str = DEFAULT_ELEMENT,
) -> CondensedSole:
    """Condense a sole once. `materials`: one for all layers, one per layer; None: the mesh's."""
    if materials is None:
        materials = linear_materials(mesh.layers, mesh.materials)
    elif isinstance(materials, Material):
        materials = [materials] * len(mesh.layers)
    return Condenser(mesh, element).condense(materials)


def _check_materials(mesh: SoleMesh, materials: tuple[Material, ...], element: str) -> None:
    if len(materials) != len(mesh.layers):
        raise MaterialError(
            f"got {len(materials)} materials for {len(mesh.layers)} layers "
            f"({', '.join(mesh.layers)}): give one for each"
        )
    for layer, material in zip(mesh.layers, linear_materials(mesh.layers, materials), strict=True):
        nu = material.poisson_ratio
        if nu > POISSON_LIMIT[element]:
            raise MaterialError(
                f"layer '{layer}': Poisson's ratio {nu!r} is too close to 0.5 for element "
                f"'{element}' (at most {POISSON_LIMIT[element]!r})"
                + ("; use element ccr" if element != "ccr" else "")
            )
    locking: dict[float, list[str]] = {}
    for layer, material in zip(mesh.layers, materials, strict=True):
        if material.poisson_ratio > LOCKING_LIMIT[element]:
            locking.setdefault(material.poisson_ratio, []).append(f"'{layer}'")
    for nu, layers in locking.items():
        warnings.warn(
            f"layer {', '.join(layers)}: element '{element}' locks at Poisson's ratio {nu:g}: the "
            f"stiffness is {TOO_STIFF[element]} too high at 0.45, more above; use element ccr",
            UserWarning,
            stacklevel=4,
        )
