"""One small valid file of every kind that the commands read."""

from __future__ import annotations

import contextlib
import io
import sys
from pathlib import Path

import numpy as np

from sole.base.quiet import captured
from sole.mesh.meshing import signals_kept
from torture.valid_calls import BOX
from torture.valid_scenarios import BENCH, SCENARIOS

SHAPE = """schema = "sole.shape/1"
name = "shape"
[foot]
length = 0.2
width = 0.1
heel_radius = 0.02
toe_radius = 0.03
[[layers]]
name = "tread"
thickness = 0.008
young_modulus = 2e6
poisson_ratio = 0.4
[[layers]]
name = "foam"
thickness = 0.012
young_modulus = 8e5
poisson_ratio = 0.3
density = 300.0
"""
AXES = """mesh = "box.msh"
axis = [
    {quantity = "young", range = [1e5, 1e6]%s},
    {quantity = "poisson", values = [0.3]},
]
"""
SCENARIO = """schema = "robot.scenario/1"
robot = "rengifo14"
ground = "plane"
dt = 1e-3
duration = 0.02
settle = 0.05
seed = 1
theta = 1.0
tolerance = 1e-6
[sole]
%s
eta = 0.005
friction = 0.7
[gait]
kind = "stand"
initial = 0.5
final = 0.5
[control]
kind = "stabiliser"
period = 1e-3
kp = 1e4
kd = 200.0
[sensing]
kind = "noisy"
[[push]]
force = [0, 10, 0]
start = 0.005
duration = 0.01
"""
TEXTS = {
    "shape.toml": SHAPE,
    "study.toml": 'schema = "sole.study/2"\n' + AXES % ", number = 2",
    "walks.toml": """schema = "sole.study/2"
rows = ["walk"]
[[axis]]
quantity = "young"
range = [1e6, 1e8]
number = 2
[[axis]]
quantity = "friction"
values = [0.5, 0.7]
[options.walk]
scenario = "bare.toml"
gait.steps = 2
""",
    "design.toml": 'schema = "sole.design/1"\n'
    + AXES % ""
    + '[design]\nminimise = "k_z_z"\nsubject_to = ["k_x_x >= 0"]\nevaluations = 10\n'
    + "population = 5\n",
    "path.toml": """schema = "contact.path/1"
[[step]]
force = 300.0
cop = [0.01, 0.0]
increments = 2
[[step]]
force = 300.0
shear = [20.0, 0.0]
yaw = 0.5
""",
    "ground.toml": """schema = "contact.ground/1"
[[solid]]
kind = "step"
rise = 0.003
x = 0.02
[[solid]]
kind = "heightfield"
scale = 0.05
heights = [[0.0, 0.001, 0.0], [0.0, 0.002, 0.001]]
""",
    "scenario.toml": SCENARIO % 'file = "box.npz"',
    "bare.toml": SCENARIO % "size = 0.08",
    "rigid.toml": """schema = "robot.scenario/1"
robot = "robot.urdf"
ground = "ground.toml"
duration = 0.01
settle = 0.0
[start]
x = -0.5
[urdf]
left_foot = "left_foot"
right_foot = "right_foot"
srdf = "robot.srdf"
[sole]
young = 3e6
poisson = 0.3
thickness = 0.02
size = 0.08
rigid = true
[gait]
kind = "walk"
steps = 2
forward = 0.1
[control]
kind = "pd"
""",
    **SCENARIOS,
    "bench.csv": BENCH,
    "polygon.txt": "0.1 0.05\n-0.1 0.05\n-0.1 -0.05\n0.1 -0.05\n",
    "heights.csv": "0,0.5,1\n1,0.2,0\n0,0,0.3\n",
}


def run_here(words: list[str]) -> None:
    """Run a command in this process, silently."""
    from sole.base import cli

    sys.argv = ["sole", *words, "--quiet"]
    with contextlib.redirect_stdout(io.StringIO()):
        try:
            cli.main()
        except SystemExit as end:
            if end.code:
                raise RuntimeError(f"a valid call failed: {words}") from end


def write_valid_files(folder: Path) -> None:
    """Write every file that `CALLS` name into `folder`, which is the working folder."""
    import meshio

    for name, text in TEXTS.items():
        (folder / name).write_text(text)
    for name in ("problems", "folder"):
        (folder / name).mkdir()
    (folder / "dangling").symlink_to("absent")
    (folder / "loop").symlink_to("loop")
    np.save(folder / "heights.npy", np.array([[0.0, 0.5, 1.0], [1.0, 0.2, 0.0], [0.0, 0.0, 0.3]]))
    _solids(folder)
    for words in (
        f"mesh --box 0.2 0.1 0.02 {BOX}",
        "condense out.msh --young 1e6 --poisson 0.4 --element p1 -o box.npz",
        "press box.npz --force 300 --ground step:0.001 -o press.npz",
        "sweep out.msh --young 1e5:1e6:3 --poisson 0.3:0.4:2 --element p1 --workers 0 -o sweep.nc",
        "robot export rengifo14 -o robot.urdf",
        "mesh --box 0.03 0.02 0.01 --size-tread 0.01 --size-bond 0.01 -o pad.msh",
        "mesh --box 0.2 0.1 0.02 --size-tread 0.03 --size-bond 0.03 -o fine.msh",
        "condense fine.msh --young 1e6 --poisson 0.4 --element p1 -o fine.npz",
    ):
        run_here(words.split())
    (folder / "out.msh").rename(folder / "box.msh")
    import robot.model

    (folder / "robot.toml").write_text(
        (Path(robot.model.__file__).parent / "humanoids" / "rengifo14.toml").read_text()
    )
    box = meshio.read(folder / "box.msh")
    for name in ("box.vtu", "box.inp", "box.vtk"):
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            meshio.write(
                folder / name, meshio.Mesh(box.points, [("tetra", box.get_cells_type("tetra"))])
            )
    _foreign(folder)
    _problems(folder)
    run_here("contact solve problems/two.hdf5 -o solution.npz".split())
    run_here("walk scenario.toml --duration 0.02 --forces-every 5 -o run.nc".split())


def _solids(folder: Path) -> None:
    """Write a box of 0.2 x 0.1 x 0.02 m as STEP, binary and text STL."""
    import gmsh

    with signals_kept():
        gmsh.initialize(interruptible=False)
    try:
        gmsh.option.setNumber("General.Terminal", 0)
        gmsh.option.setNumber("General.Verbosity", 0)
        gmsh.option.setString("Geometry.OCCTargetUnit", "M")  # else the file is in millimetres
        gmsh.model.occ.addBox(-0.1, -0.05, -0.02, 0.2, 0.1, 0.02)
        gmsh.model.occ.synchronize()
        with captured(1):  # the writer of STEP prints
            gmsh.write(str(folder / "solid.step"))
        gmsh.option.setNumber("Mesh.MeshSizeMin", 0.1)
        gmsh.model.mesh.generate(2)
        for name, binary in (("solid.stl", 1), ("ascii.stl", 0)):
            gmsh.option.setNumber("Mesh.Binary", binary)
            gmsh.write(str(folder / name))
    finally:
        gmsh.finalize()


def _foreign(folder: Path) -> None:
    """`box.msh` as Gmsh itself writes it, in formats 4.1 (binary) and 2.2 (text)."""
    import gmsh

    with signals_kept():
        gmsh.initialize(interruptible=False)
    try:
        gmsh.option.setNumber("General.Terminal", 0)
        gmsh.merge(str(folder / "box.msh"))
        for name, version, binary in (("foreign.msh", 4.1, 1), ("old.msh", 2.2, 0)):
            gmsh.option.setNumber("Mesh.MshFileVersion", version)
            gmsh.option.setNumber("Mesh.Binary", binary)
            gmsh.write(str(folder / name))
    finally:
        gmsh.finalize()


def _problems(folder: Path) -> None:
    """Write a local problem of two contacts, and a global one by h5py alone."""
    import h5py
    from scipy import sparse

    from contact.fclib import save_problem
    from contact.problem import Problem

    rng = np.random.default_rng(1)
    A = rng.normal(size=(6, 6))
    problem = Problem.dense(A @ A.T + np.eye(6), rng.normal(size=6) - [0, 0, 2] * 2, 0.5)
    save_problem(folder / "problems" / "two.hdf5", problem, title="two contacts")
    with h5py.File(folder / "problems" / "global.hdf5", "w") as f:
        group = f.create_group("fclib_global")
        group["spacedim"] = np.array([3], dtype=np.int32)
        for name, full in (("M", np.diag(rng.uniform(1, 2, 6))), ("H", rng.normal(size=(6, 6)))):
            m = sparse.csr_array(full)
            counts = {"nzmax": m.nnz, "m": 6, "n": 6, "nz": -2}
            for key, value in counts.items():
                group[f"{name}/{key}"] = np.array([value], dtype=np.int32)
            group[f"{name}/p"], group[f"{name}/i"] = m.indptr, m.indices
            group[f"{name}/x"] = m.data
        for name, size in (("f", 6), ("w", 6)):
            group[f"vectors/{name}"] = rng.normal(size=size)
        group["vectors/mu"] = np.array([0.5, 0.3])
