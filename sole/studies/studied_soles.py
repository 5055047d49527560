"""The soles of a study: their source, and their materials in a case.

They are one mesh, one for every value of the axis `shape`, or the rows bring their own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from sole.base.archive import schema_of
from sole.base.errors import ConfigError, MaterialError
from sole.laws import AnyMaterial, linear_materials
from sole.material import Material
from sole.mesh import SoleMesh
from sole.studies.axis import Setting
from sole.studies.rows import Rows
from sole.studies.study import LayerMaterial, Study


def find_soles(study: Study, kinds: Mapping[str, Rows], folder: Path) -> dict[str, SoleMesh]:
    """Return the meshes of a study by label; files of the axis `shape` lie in `folder`.

    Raises
    ------
    ConfigError
        Nothing names a sole, or a file is neither mesh nor shape.
    """
    shapes = next((a.values for a in study.axis if a.quantity == "shape"), ())
    if shapes:
        return {str(name): read_sole(folder / str(name), study.unit) for name in shapes}
    if study.mesh:
        return {"": read_sole(Path(study.mesh), study.unit)}
    own: Any = next((kind for kind in kinds.values() if hasattr(kind, "pad")), None)
    if own is None:
        raise ConfigError(
            f"mesh: rows {', '.join(kinds)} have no sole: name the mesh or shape to study"
        )
    words = [[(a.key, v) for v in a.values] for a in study.axis if not a.numeric]
    labels = dict.fromkeys(own.pad(dict(chosen)) for chosen in product(*words))
    return {label: own.mesh(label) for label in labels}


def read_sole(path: Path, unit: str | None = None) -> SoleMesh:
    """Return the mesh of a mesh file, or of a shape meshed with its default sizes.

    Raises
    ------
    ConfigError
        The file is neither of them.
    """
    schema = schema_of(path)
    if schema.startswith("sole.shape/"):
        from sole.mesh import mesh_shape
        from sole.shape import load_shape

        return mesh_shape(load_shape(path))
    if not schema.startswith("sole.mesh/"):
        raise ConfigError(f"{path}: a sweep starts from a mesh, a shape or a study, got '{schema}'")
    from sole.mesh import read_mesh

    return read_mesh(path, unit=unit)


class StudiedSole:
    """A mesh that a study varies.

    Parameters
    ----------
    study, mesh : the study and the mesh that it varies.

    Raises
    ------
    ConfigError
        The study names a layer that the mesh does not have.
    MaterialError
        A layer without E or nu.
    """

    def __init__(self, study: Study, mesh: SoleMesh) -> None:
        self.study, self.mesh = study, mesh
        for name in [*study.layers, *(a.layer for a in study.axis if a.layer)]:
            if name not in mesh.layers:
                raise ConfigError(
                    f"there is no layer '{name}'; the layers are {', '.join(mesh.layers)}"
                )
        self.reference = tread_layer(mesh)
        self.base = self._base_materials()
        moduli = {m.young_modulus for m in self.base}
        if study.former and len(moduli) > 1 and any(a.key == "young" for a in study.axis):
            raise ConfigError(
                'young: in a study of schema "sole.study/1" it scaled the layers of a sole; write '
                'schema = "sole.study/2" and quantity = "stiffness_factor" to scale them (1: as '
                "they are), or keep young to give all layers this E"
            )

    def _base_materials(self) -> tuple[Material, ...]:
        """Materials before any axis acts; an axis supplies values that nothing else gives."""
        first = {a.key: float(a.ends[0]) for a in self.study.axis if a.numeric}
        given = [
            _merged(name, own, self.study.layers.get(name))
            for name, own in zip(self.mesh.layers, self.mesh.materials, strict=True)
        ]
        materials = []
        for name, m in zip(self.mesh.layers, given, strict=True):
            E, nu = m.young_modulus, m.poisson_ratio
            if E is None:
                E = first.get(f"young_{name}", first.get("young"))
            if nu is None:
                nu = first.get(f"poisson_{name}", first.get("poisson"))
            if E is None or nu is None:
                what, option = ("E", "young") if E is None else ("nu", "poisson")
                raise MaterialError(
                    f"layer '{name}' has no {what}: give --{option} or --material {name}=E,nu, in "
                    f"a study an axis {option} or [layers.{name}]"
                )
            rho = m.density if m.density is not None else self.study.density
            materials.append(
                Material(young_modulus=E, poisson_ratio=nu)
                if rho is None
                else Material(young_modulus=E, poisson_ratio=nu, density=rho)
            )
        return tuple(materials)

    def largest_poisson_ratios(self) -> list[tuple[str, float]]:
        """Return (layer, largest nu) of every layer."""
        largest = {a.key: float(a.ends[1]) for a in self.study.axis if a.numeric}
        return [
            (n, largest.get(f"poisson_{n}", largest.get("poisson", m.poisson_ratio)))
            for n, m in zip(self.mesh.layers, self.base, strict=True)
        ]

    def smallest_moduli(self) -> tuple[Material, ...]:
        """Return the materials of the layers with the smallest E that the axes give."""
        least = {a.key: float(a.ends[0]) for a in self.study.axis if a.numeric}
        of_E = ("young", "stiffness_factor")
        return self.materials({k: v for k, v in least.items() if k.startswith(of_E)})

    @property
    def fingerprint(self) -> list[Any]:
        """Everything its condensed soles depend on except the values of the axes, as plain data."""
        base = [asdict(m) for m in self.base]
        rule = ["young of all layers"] if len(base) > 1 else []  # it scaled them once
        return [self.mesh.digest, self.mesh.layers, self.reference, base, *rule]

    def constants(
        self, settings: Mapping[str, Setting]
    ) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """Return E [Pa] and nu of every layer of a case."""
        E, nu = settings.get("young"), settings.get("poisson")
        factor = float(settings.get("stiffness_factor", 1.0))
        moduli = (
            settings.get(f"young_{name}", m.young_modulus * factor if E is None else E)
            for name, m in zip(self.mesh.layers, self.base, strict=True)
        )
        nus = (
            settings.get(f"poisson_{name}", m.poisson_ratio if nu is None else nu)
            for name, m in zip(self.mesh.layers, self.base, strict=True)
        )
        return tuple(map(float, moduli)), tuple(map(float, nus))

    def materials(self, settings: Mapping[str, Setting]) -> tuple[Material, ...]:
        """Return the materials of one case, one per layer."""
        return tuple(
            Material(young_modulus=E, poisson_ratio=nu, density=m.density)
            for E, nu, m in zip(*self.constants(settings), self.base, strict=True)
        )

    def thickness(self, settings: Mapping[str, Setting]) -> tuple[float, ...]:
        """Return the thickness of a case: () as meshed, (t,) of the sole, (layers,) of each."""
        if "thickness" in settings:
            return (float(settings["thickness"]),)
        if not any(name.startswith("thickness_") for name in settings):
            return ()
        own = self.mesh.layer_thicknesses.items()
        return tuple(float(settings.get(f"thickness_{name}", t)) for name, t in own)

    def stretched(self, thickness: tuple[float, ...]) -> SoleMesh:
        """Return the mesh at a thickness in the form of `thickness`."""
        mesh = self.mesh
        if not thickness or thickness == (mesh.thickness,):
            return mesh
        if len(thickness) == 1:
            return mesh.with_thickness(thickness[0])
        return mesh.with_layer_thicknesses(dict(zip(mesh.layers, thickness, strict=True)))


def tread_layer(mesh: SoleMesh) -> int:
    """Return the layer of most tread triangles: the reference layer."""
    on_tread = np.isin(mesh.tets, mesh.tread_vertices).sum(axis=1) == 3
    return int(np.bincount(mesh.layer_of_tet[on_tread], minlength=len(mesh.layers)).argmax())


def _merged(name: str, own: AnyMaterial | None, given: LayerMaterial | None) -> LayerMaterial:
    names = ("young_modulus", "poisson_ratio", "density")
    chosen = {n: v for n in names if (v := getattr(given, n, None)) is not None}
    if own is not None and not {"young_modulus", "poisson_ratio"} <= set(chosen):
        (own,) = linear_materials([name], [own])
    values = {n: getattr(own, n) for n in names} if own is not None else {}
    return LayerMaterial(**values | chosen)
