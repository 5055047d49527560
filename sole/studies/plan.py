"""A study resolved on its mesh: which cases there are and what they share.

Cases whose thickness, ratios of E between layers and Poisson's ratios agree are the same
condensed sole up to a factor (`SharedKey`). Shared soles that differ in a common nu only form
a family, along which the compliance is interpolated (`sole.studies.interpolation`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property

import numpy as np

from sole import __version__
from sole.config import digest
from sole.elements import LOCKING_LIMIT, POISSON_LIMIT, check_element
from sole.errors import ConfigError, MaterialError
from sole.material import Material
from sole.mesh import SoleMesh
from sole.studies.rows import Case
from sole.studies.study import LayerMaterial, Study

REFERENCE_YOUNG = 1e6  # [Pa] E of the reference layer in every shared sole


@dataclass(frozen=True, slots=True, order=True)
class FamilyKey:
    """Thickness [m] and E of every layer over that of the reference layer."""

    thickness: float
    ratios: tuple[float, ...]


@dataclass(frozen=True, slots=True, order=True)
class SharedKey:
    """What decides a condensed sole up to a factor: family and nu of every layer."""

    family: FamilyKey
    nus: tuple[float, ...]


class Plan:
    """A study on a mesh.

    Parameters
    ----------
    study, mesh : what to vary, on what.

    Raises
    ------
    ConfigError
        The study names a layer that the mesh does not have.
    MaterialError
        A layer without E or nu, a value out of range, nu too close to 0.5 for the element.
    """

    def __init__(self, study: Study, mesh: SoleMesh) -> None:
        self.study, self.mesh = study, mesh
        self.element = check_element(study.element)
        for name in [*study.layers, *(a.layer for a in study.axis if a.layer)]:
            if name not in mesh.layers:
                raise ConfigError(
                    f"there is no layer '{name}'; the layers are {', '.join(mesh.layers)}"
                )
        self.reference = tread_layer(mesh)
        self.base = self._base_materials()
        self._check_poisson()

    def _base_materials(self) -> tuple[Material, ...]:
        """Materials before any axis acts; where nothing else says, an axis fills in."""
        first = {a.name: a.values[0] for a in self.study.axis}
        given = [
            _merged(own, self.study.layers.get(name))
            for name, own in zip(self.mesh.layers, self.mesh.materials, strict=True)
        ]
        nobody = all(m.young_modulus is None for m in given)
        materials = []
        for name, m in zip(self.mesh.layers, given, strict=True):
            E, nu = m.young_modulus, m.poisson_ratio
            if E is None:
                E = first.get(f"young_{name}", first.get("young") if nobody else None)
            if nu is None:
                nu = first.get(f"poisson_{name}", first.get("poisson"))
            if E is None or nu is None:
                raise MaterialError(
                    f"layer '{name}' has no {'E' if E is None else 'nu'}: give "
                    f"--{'young' if E is None else 'poisson'} or --material {name}=E,nu"
                )
            rho = m.density if m.density is not None else self.study.density
            materials.append(
                Material(young_modulus=E, poisson_ratio=nu)
                if rho is None
                else Material(young_modulus=E, poisson_ratio=nu, density=rho)
            )
        return tuple(materials)

    def _poisson_ratios(self) -> list[tuple[str, float]]:
        """(layer, largest nu) of every layer."""
        largest = {a.name: a.values[-1] for a in self.study.axis}
        return [
            (n, largest.get(f"poisson_{n}", largest.get("poisson", m.poisson_ratio)))
            for n, m in zip(self.mesh.layers, self.base, strict=True)
        ]

    def _check_poisson(self) -> None:
        limit = POISSON_LIMIT[self.element]
        for layer, nu in self._poisson_ratios():
            if nu > limit:
                raise MaterialError(
                    f"layer '{layer}': Poisson's ratio {nu:g} is too close to 0.5 for element "
                    f"'{self.element}' (at most {limit:g})"
                    + ("; use element ccr" if self.element != "ccr" else "")
                )

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the user should know once, not once per material."""
        limit = LOCKING_LIMIT[self.element]
        layers = [f"'{n}' (up to {nu:g})" for n, nu in self._poisson_ratios() if nu > limit]
        if not layers:
            return ()
        return (
            f"element '{self.element}' locks beyond nu = {limit:g}: layer {', '.join(layers)} "
            "will come out too stiff there; use element ccr",
        )

    @cached_property
    def base_digest(self) -> str:
        """Hash of all that a row depends on but the values of the axes."""
        s = self.study
        return digest(
            {
                "version": __version__,
                "mesh": self.mesh.digest,
                "element": self.element,
                "materials": [asdict(m) for m in self.base],
                "rows": s.rows,
                "tolerance": s.tolerance,
                "options": {k: dict(v) for k, v in s.options.items()},
            }
        )

    @cached_property
    def digest(self) -> str:
        """Hash of the whole study: equal digests give equal tables."""
        return digest([self.base_digest, [(a.name, a.values) for a in self.study.axis]])

    def row_key(self, settings: Mapping[str, float]) -> str:
        """Hash of one case."""
        return digest([self.base_digest, settings])

    def materials(self, settings: Mapping[str, float]) -> tuple[Material, ...]:
        """Return the materials of one case, one per layer."""
        scale = settings.get("young", 0.0) / self.base[self.reference].young_modulus
        nu = settings.get("poisson")
        return tuple(
            Material(
                young_modulus=settings.get(
                    f"young_{name}", m.young_modulus * scale if scale else m.young_modulus
                ),
                poisson_ratio=settings.get(
                    f"poisson_{name}", m.poisson_ratio if nu is None else nu
                ),
                density=m.density,
            )
            for name, m in zip(self.mesh.layers, self.base, strict=True)
        )

    def key(self, settings: Mapping[str, float]) -> SharedKey:
        """Return what the case shares."""
        materials = self.materials(settings)
        E = materials[self.reference].young_modulus
        # Twelve digits: ratios of a logarithmic grid that should coincide do.
        ratios = tuple(float(f"{m.young_modulus / E:.12g}") for m in materials)
        thickness = settings.get("thickness", self.mesh.thickness)
        return SharedKey(FamilyKey(thickness, ratios), tuple(m.poisson_ratio for m in materials))

    def case(self, index: int) -> Case:
        """Return the case at place `index` of the table."""
        settings = self.study.settings(index)
        materials = self.materials(settings)
        E = materials[self.reference].young_modulus
        return Case(
            index=index,
            settings=settings,
            materials=materials,
            scale=E / REFERENCE_YOUNG,
            young=E,
            friction=settings.get("friction"),
        )

    def shared_materials(self, key: SharedKey) -> tuple[Material, ...]:
        """Return the materials of a shared sole: E = `REFERENCE_YOUNG` in the reference layer."""
        return tuple(
            Material(young_modulus=REFERENCE_YOUNG * q, poisson_ratio=nu, density=m.density)
            for q, nu, m in zip(key.family.ratios, key.nus, self.base, strict=True)
        )

    @cached_property
    def groups(self) -> dict[FamilyKey, dict[SharedKey, list[int]]]:
        """Places of the table by family and shared sole; everything in increasing order."""
        found: dict[FamilyKey, dict[SharedKey, list[int]]] = {}
        for index in range(self.study.size):
            key = self.key(self.study.settings(index))
            found.setdefault(key.family, {}).setdefault(key, []).append(index)
        return {f: dict(sorted(found[f].items())) for f in sorted(found)}

    def __iter__(self) -> Iterator[Case]:
        return (self.case(k) for k in range(self.study.size))


def tread_layer(mesh: SoleMesh) -> int:
    """Return the layer that most tread triangles belong to: the reference layer."""
    on_tread = np.isin(mesh.tets, mesh.tread_vertices).sum(axis=1) == 3
    return int(np.bincount(mesh.layer_of_tet[on_tread], minlength=len(mesh.layers)).argmax())


def _merged(own: Material | None, given: LayerMaterial | None) -> LayerMaterial:
    names = ("young_modulus", "poisson_ratio", "density")
    values = {n: getattr(own, n) for n in names} if own is not None else {}
    values |= {n: v for n in names if (v := getattr(given, n, None)) is not None}
    return LayerMaterial(**values)
