"""Tetrahedral meshes of soles: made by Gmsh from shapes and solids, or read from files."""

from typing import TYPE_CHECKING

from sole.base.lazy_door import load_later

if TYPE_CHECKING:
    from sole.mesh.half_size import halved
    from sole.mesh.mesh_archive import mesh_arrays, mesh_from_archive
    from sole.mesh.mesh_file import read_mesh, write_mesh
    from sole.mesh.meshing import mesh_shape, mesh_sizes
    from sole.mesh.quality import (
        mesh_quality,
        scaled_jacobians,
        warn_of_quality,
        warn_of_tread,
    )
    from sole.mesh.short_edges import mesh_foot
    from sole.mesh.sole_mesh import SoleMesh
    from sole.mesh.solid import Options
    from sole.mesh.source import Source, mesh_and_surface, mesh_from
    from sole.mesh.surface import boundary_faces, normals_and_areas, total_area
    from sole.mesh.surface_solid import MeshedSurface, mesh_stl, mesh_surface
else:
    # Later: at once, `sole info MESH` would import 7 modules more.
    __getattr__ = load_later(globals())

__all__ = [
    "MeshedSurface",
    "Options",
    "SoleMesh",
    "Source",
    "boundary_faces",
    "halved",
    "mesh_and_surface",
    "mesh_arrays",
    "mesh_foot",
    "mesh_from",
    "mesh_from_archive",
    "mesh_quality",
    "mesh_shape",
    "mesh_sizes",
    "mesh_stl",
    "mesh_surface",
    "normals_and_areas",
    "read_mesh",
    "scaled_jacobians",
    "total_area",
    "warn_of_quality",
    "warn_of_tread",
    "write_mesh",
]
