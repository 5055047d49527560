"""A study resolved on its soles: its cases and the soles they share.

Cases of one mesh with equal thickness, equal ratios of E between layers and equal Poisson's
ratios have the same condensed sole up to a factor (`SharedKey`). Shared soles that differ only in
a common nu form a family, in which the compliance is interpolated
(`sole.studies.poisson_interpolation`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

from sole import __version__
from sole.base.config import digest
from sole.base.errors import MaterialError
from sole.condense import doubtful_moduli
from sole.elasticity import DEFAULT_ELEMENT, LOCKING_LIMIT, POISSON_LIMIT, check_element
from sole.material import Material
from sole.mesh import SoleMesh
from sole.studies.axis import Setting
from sole.studies.places import PlaceArray, place_array
from sole.studies.rows import Case, Rows, find_quantities
from sole.studies.studied_soles import StudiedSole
from sole.studies.study import Study

REFERENCE_YOUNG = 1e6  # [Pa] E of the reference layer in every shared sole


@dataclass(frozen=True, slots=True, order=True)
class FamilyKey:
    """Sole, thickness [m] and ratio of every layer's E to the reference layer's.

    `thickness` : () as meshed, (t,) of the whole sole, (layers,) of each layer.
    """

    sole: str
    thickness: tuple[float, ...]
    ratios: tuple[float, ...]


@dataclass(frozen=True, slots=True, order=True)
class SharedKey:
    """The key of a condensed sole up to a factor: family and nu of every layer."""

    family: FamilyKey
    nus: tuple[float, ...]


class Plan:
    """A study resolved on its soles.

    Parameters
    ----------
    study : the axes and options.
    meshes : one mesh, or meshes by label if the axis `shape` or the rows choose them.
    kinds : the kinds of rows; axes may vary their quantities besides the sole's.
    interpolate : whether soles may be interpolated along nu; not if more nu will follow.

    Raises
    ------
    ConfigError
        The study names a layer that a mesh lacks, or an unknown quantity.
    MaterialError
        A layer without E or nu, a value out of range, or nu too close to 0.5 for the element.
    """

    def __init__(
        self,
        study: Study,
        meshes: SoleMesh | Mapping[str, SoleMesh],
        kinds: Mapping[str, Rows] | None = None,
        *,
        interpolate: bool = True,
    ) -> None:
        self.study, self.kinds, self.interpolate = study, kinds or {}, interpolate
        self.meshes = {"": meshes} if isinstance(meshes, SoleMesh) else dict(meshes)
        self.element = check_element(study.element or self._own_element())
        self.quantities = find_quantities(study.axis, self.kinds)
        self.soles = {label: StudiedSole(study, mesh) for label, mesh in self.meshes.items()}
        self._check_poisson()
        for kind in self.kinds.values():
            if hasattr(kind, "check"):
                kind.check(study.settings(0))

    @property
    def _own(self) -> Any:
        """The kind of rows that brings its own sole, None if there is none."""
        return next((kind for kind in self.kinds.values() if hasattr(kind, "pad")), None)

    def _own_element(self) -> str:
        """Return the element for a study that names none."""
        named = self.study.mesh or any(a.quantity == "shape" for a in self.study.axis)
        return DEFAULT_ELEMENT if named or self._own is None else str(self._own.element)

    def label(self, settings: Mapping[str, Setting]) -> str:
        """Return the label of a case's mesh."""
        shape = settings.get("shape")
        if shape is not None:
            return str(shape)
        if len(self.meshes) == 1:
            return next(iter(self.meshes))
        return str(self._own.pad(settings))

    def _poisson_ratios(self) -> dict[str, float]:
        """Largest nu of every layer."""
        found: dict[str, float] = {}
        for sole in self.soles.values():
            for layer, nu in sole.largest_poisson_ratios():
                found[layer] = max(nu, found.get(layer, nu))
        return found

    def _check_poisson(self) -> None:
        limit = POISSON_LIMIT[self.element]
        for layer, nu in self._poisson_ratios().items():
            if nu > limit:
                raise MaterialError(
                    f"layer '{layer}': Poisson's ratio {nu:g} is too close to 0.5 for element "
                    f"'{self.element}' (at most {limit:g})"
                    + ("; use element ccr" if self.element != "ccr" else "")
                )

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings to print once, not once per material."""
        limit = LOCKING_LIMIT[self.element]
        ratios = self._poisson_ratios().items()
        layers = [f"'{n}' (up to {nu:g})" for n, nu in ratios if nu > limit]
        soft = dict.fromkeys(
            note
            for sole in self.soles.values()
            for note in doubtful_moduli(sole.mesh.layers, sole.smallest_moduli())
        )
        if not layers:
            return tuple(soft)
        return (
            *soft,
            f"element '{self.element}' locks beyond nu = {limit:g}: layer {', '.join(layers)} "
            "is too stiff there; use element ccr",
        )

    @cached_property
    def base_digest(self) -> str:
        """Hash of everything that a row depends on except the values of the axes."""
        s = self.study
        return digest(
            {
                "version": __version__,
                "soles": {label: sole.fingerprint for label, sole in self.soles.items()},
                "element": self.element,
                "rows": s.rows,
                "tolerance": s.tolerance,
                "options": {k: dict(v) for k, v in s.options.items()},
                "fingerprints": {name: k.fingerprint for name, k in self.kinds.items()},
            }
        )

    @cached_property
    def digest(self) -> str:
        """Hash of the whole study with its samples: equal digests give equal numbers."""
        grid = bool(self.study.shape)
        axes = [
            (a.key, a.values, a.range, a.logarithmic, a.ensemble and not grid)
            for a in self.study.axis
        ]
        drawn = hashlib.sha256(self.study.points.tobytes()).hexdigest()
        return digest([self.base_digest, axes, asdict(self.study.sampling), drawn])

    def row_key(self, case: Case) -> str:
        """Hash of one case and its place, because a list may repeat the same settings."""
        return digest([self.base_digest, case.index, case.settings])

    def materials(self, settings: Mapping[str, Setting]) -> tuple[Material, ...]:
        """Return the materials of one case, one per layer."""
        return self.soles[self.label(settings)].materials(settings)

    def key(self, settings: Mapping[str, Setting]) -> SharedKey:
        """Return the key of the case's shared sole."""
        label = self.label(settings)
        sole = self.soles[label]
        moduli, nus = sole.constants(settings)
        E = moduli[sole.reference]
        # Twelve digits, so that equal ratios of a logarithmic grid coincide.
        ratios = tuple(1.0 if e == E else float(f"{e / E:.12g}") for e in moduli)
        return SharedKey(FamilyKey(label, sole.thickness(settings), ratios), nus)

    def mesh(self, key: FamilyKey) -> SoleMesh:
        """Return the mesh of a family at its thickness."""
        return self.soles[key.sole].stretched(key.thickness)

    def case(self, index: int) -> Case:
        """Return the case at place `index` of the table."""
        settings = self.study.settings(index)
        sole = self.soles[self.label(settings)]
        E = sole.constants(settings)[0][sole.reference]
        return Case(
            index=index,
            settings=settings,
            materials=sole.materials(settings),
            scale=E / REFERENCE_YOUNG,
            young=E,
        )

    def shared_materials(self, key: SharedKey) -> tuple[Material, ...]:
        """Return the materials of a shared sole: E = `REFERENCE_YOUNG` in the reference layer."""
        base = self.soles[key.family.sole].base
        return tuple(
            Material(young_modulus=REFERENCE_YOUNG * q, poisson_ratio=nu, density=m.density)
            for q, nu, m in zip(key.family.ratios, key.nus, base, strict=True)
        )

    @cached_property
    def groups(self) -> dict[FamilyKey, dict[SharedKey, PlaceArray[int]]]:
        """Places of the table by family and shared sole, all in increasing order."""
        found: dict[FamilyKey, dict[SharedKey, PlaceArray[int]]] = {}
        for index in range(self.study.size):
            key = self.key(self.study.settings(index))
            found.setdefault(key.family, {}).setdefault(key, place_array()).append(index)
        return {f: dict(sorted(found[f].items())) for f in sorted(found)}

    def __iter__(self) -> Iterator[Case]:
        return (self.case(k) for k in range(self.study.size))
