"""Gmsh's way with a surface of many triangles, in a child process that may take so long only.

Gmsh gives every smooth part of a surface a map onto the plane; on fine scans that may not end, and
its compiled code answers no signal. The child ends with this process.
"""

from __future__ import annotations

import pickle
import tempfile
import warnings
from pathlib import Path

from sole.base.arrays import FloatArray, IntArray
from sole.base.bounded_child import bounded_child
from sole.base.errors import MeshError
from sole.mesh.sole_mesh import SoleMesh
from sole.mesh.solid import Options
from sole.mesh.surface_gmsh import remeshed

FEW = 500  # triangles that Gmsh meshes in this process
SECONDS = 60  # of processor time that the child may take
_CHILD = "from sole.mesh.gmsh_trial import answer; answer(sys.argv[1])"


def remesh_in_time(
    path: Path,
    points: FloatArray,
    faces: IntArray,
    parts: list[IntArray],
    volume: float,
    options: Options,
) -> SoleMesh | None:
    """Return what `remeshed` returns.

    Raises
    ------
    MeshError
        As `remeshed`, or Gmsh crashes or takes over `SECONDS` of processor time.
    """
    given = path, points, faces, parts, volume, options
    if len(faces) <= FEW:
        return remeshed(*given)
    with tempfile.TemporaryDirectory(prefix="sole-") as folder:
        Path(folder, "given").write_bytes(pickle.dumps(given))
        with bounded_child(_CHILD, [folder], seconds=SECONDS) as child:
            code = child.wait()
        made = Path(folder, "made")
        if code or not made.exists():
            raise MeshError(f"{path}: Gmsh crashes or takes over {SECONDS} s of processor time")
        mesh, error, texts = pickle.loads(made.read_bytes())
    for text in texts:
        warnings.warn(text, UserWarning, stacklevel=2)
    if error is not None:
        raise error
    found: SoleMesh | None = mesh
    return found


def answer(folder: str) -> None:
    """Mesh what the parent has written to `folder`, and write the result there."""
    given = pickle.loads(Path(folder, "given").read_bytes())
    mesh, error = None, None
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        try:
            mesh = remeshed(*given)
        except MeshError as wrong:
            error = wrong
    texts = [str(w.message) for w in caught if issubclass(w.category, UserWarning)]
    partial = Path(folder, "partial")
    partial.write_bytes(pickle.dumps((mesh, error, texts)))
    partial.rename(Path(folder, "made"))
