"""The same sole on a mesh of half the size, to see how much a result depends on the mesh.

`mesh_shape` notes in every mesh the shape and the sizes that it was made from
(`SoleMesh.recipe`), so the shape is meshed anew: curved outlines and treads get nearer to the
shape, which a division of every tetrahedron into eight would not do.
"""

from __future__ import annotations

from dataclasses import replace

from sole.base.config import structure
from sole.base.errors import MeshError
from sole.mesh.meshing import mesh_shape
from sole.mesh.sole_mesh import SoleMesh
from sole.shape import Shape

BY_HAND = "mesh it with half the sizes yourself and study that mesh, too"


def halved(mesh: SoleMesh) -> SoleMesh:
    """Return the sole meshed anew with half the sizes at tread and bond, same layers and materials.

    Raises
    ------
    MeshError
        The mesh has no recipe or was changed after it was made, or Gmsh fails.
    """
    recipe = mesh.recipe
    if recipe is None:
        raise MeshError(
            f"the mesh '{mesh.name}' does not contain the shape that it was made from (it is of "
            f"another program, of a solid, or of an older version): {BY_HAND}"
        )
    if recipe["digest"] != mesh.digest:
        raise MeshError(
            f"the mesh '{mesh.name}' was changed after it was made from its shape: {BY_HAND}"
        )
    shape = structure(recipe["shape"], Shape, f"the recipe of the mesh '{mesh.name}'")
    made = mesh_shape(shape, recipe["size_tread"] / 2, recipe["size_bond"] / 2)
    if recipe["mirrored"]:
        made = made.mirrored()
    return replace(
        made,
        materials=mesh.materials,
        name=mesh.name,
        link=mesh.link,
        link_to_sole=mesh.link_to_sole,
    )
