"""One small valid file of every kind that the commands read, and a valid call of every command."""

from __future__ import annotations

import contextlib
import io
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sole.base.quiet import captured
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
    "study.toml": 'schema = "sole.study/1"\n' + AXES % ", number = 2",
    "walks.toml": """schema = "sole.study/1"
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


@dataclass(frozen=True)
class Call:
    """A valid call; `kind` of file and `file` are what it reads ('' for options alone)."""

    words: str
    kind: str = ""
    file: str = ""
    weight: int = 4

    @property
    def command(self) -> str:
        """The command without its arguments: "press", "contact solve"."""
        first, *rest = self.words.split()
        return f"{first} {rest[0]}" if first in ("contact", "robot", "live") else first


BOX = "--size-tread 0.05 -o out.msh"
CALLS = (
    Call(f"mesh shape.toml {BOX}", "shape", "shape.toml"),
    Call("mesh foreign.msh --unit m -o out.msh", "msh", "foreign.msh"),
    Call("mesh old.msh --unit m -o out.msh", "msh", "old.msh"),
    Call("mesh box.vtu --bond-angle-deg 30 --tread-angle-deg 60 -o out.msh", "vtu", "box.vtu"),
    Call("mesh box.inp --bond-angle-deg 30 --tread-angle-deg 60 -o out.msh", "inp", "box.inp", 2),
    Call("mesh box.vtk --bond-angle-deg 30 --tread-angle-deg 60 -o out.msh", "vtk", "box.vtk", 2),
    Call(f"mesh --stl solid.stl --unit m {BOX}", "stl", "solid.stl"),
    Call(f"mesh --stl ascii.stl --unit m {BOX}", "stl", "ascii.stl"),
    Call(f"mesh --step solid.step {BOX}", "step", "solid.step"),
    Call(f"mesh --urdf robot.urdf --link left_foot --thickness 0.02 {BOX}", "urdf", "robot.urdf"),
    Call(f"mesh --box 0.2 0.1 0.02 --size-bond 0.05 {BOX}"),
    Call(f"mesh --preset hrp4 --thickness 0.03 --mirror {BOX}", weight=1),
    Call("condense box.msh --young 1e6 --poisson 0.4 --element p1 -o out.npz", "msh", "box.msh"),
    Call("condense box.msh --material sole=1e6,0.3,900 -o out.npz", "msh", "box.msh"),
    *(
        Call(f"info {file} --json", kind, file, weight)
        for kind, file, weight in (
            ("shape", "shape.toml", 1),
            ("msh", "box.msh", 2),
            ("condensed", "box.npz", 4),
            ("press", "press.npz", 4),
            ("solution", "solution.npz", 4),
            ("sweep", "sweep.nc", 6),
            ("run", "run.nc", 6),
            ("path", "path.toml", 2),
            ("ground", "ground.toml", 3),
            ("study", "study.toml", 2),
            ("design", "design.toml", 2),
            ("fclib", "problems/two.hdf5", 3),
            ("humanoid", "robot.toml", 2),
        )
    ),
    Call("press box.npz --force 300 --cop 0.01 0 --shear 9 0 -o out.npz", "condensed", "box.npz"),
    Call("press box.npz --pose sink=0.001,roll_deg=0.5 --friction 0.5 -o out.npz"),
    Call(
        "press box.npz --force 300 --moment 1 1 --yaw 1 --increments 2 --tolerance 1e-6 --seed 1 "
        "-o out.npz"
    ),
    Call("press box.npz --path path.toml -o out.npz", "path", "path.toml"),
    Call("press box.npz --force 300 --ground ground.toml -o out.npz", "ground", "ground.toml"),
    Call("press box.npz --force 300 --ground step:0.003,0.02 -o out.npz"),
    Call(
        "press box.npz --force 300 --friction 0 "
        "--ground heightfield:heights.csv,0.2,0.002 -o out.npz",
        "heights",
        "heights.csv",
        2,
    ),
    Call(
        "press box.npz --force 300 --friction 0 "
        "--ground heightfield:heights.npy,0.2,0.002 -o out.npz",
        "heights",
        "heights.npy",
        2,
    ),
    Call(
        "sweep box.msh --young 1e5:1e6:2 --poisson 0.3:0.4:2 --element p1 --mass 50 "
        "--com-height 0.8 --workers 0 -o out.nc",
        "msh",
        "box.msh",
    ),
    Call(
        "sweep box.msh --young 1e6 --poisson 0.3 --rows press --force 300 --cop 0 0 "
        "--friction 0.5 --thickness 0.02 --density 900 --set press.increments=2 "
        "--workers 0 -o out.nc"
    ),
    Call("study study.toml --workers 0 -o out.nc", "study", "study.toml"),
    Call("study walks.toml --dry-run", "study", "walks.toml", 3),
    Call("study walks.toml --dry-run", "scenario", "bare.toml", 2),
    Call("design design.toml --workers 0 -o out.nc", "design", "design.toml", 2),
    Call(
        "report sweep.nc --metrics k_z_z,k_x_x --constraint young<=1e6 -o out.html",
        "sweep",
        "sweep.nc",
    ),
    Call("view sweep.nc -o out.svg", "sweep", "sweep.nc", 1),
    Call("view box.npz -o out.vtu", "condensed", "box.npz", 1),
    Call("view box.msh -o out.vtu --exaggeration 2", "msh", "box.msh", 1),
    Call("view press.npz -o out.vtu --field pressure", "press", "press.npz", 2),
    Call("view ground.toml -o out.vtp", "ground", "ground.toml", 1),
    Call("view run.nc -o out.png --time 0.01 --size 200 200", "run", "run.nc", 2),
    Call(
        "contact solve problems/two.hdf5 --tol 1e-8 --max-sweeps 100 -o out.npz",
        "fclib",
        "problems/two.hdf5",
        6,
    ),
    Call(
        "contact solve problems/global.hdf5 --method newton --json",
        "fclib",
        "problems/global.hdf5",
        6,
    ),
    Call(
        "contact bench problems --methods gauss-seidel,newton --tol 1e-6 -o out.csv",
        "fclib",
        "problems/two.hdf5",
        2,
    ),
    Call(
        "contact cone --polygon polygon.txt --friction 0.5 --wrench 0 0 100 1 1 0 --json",
        "polygon",
        "polygon.txt",
        3,
    ),
    Call(
        "contact cone --half-length 0.1 --half-width 0.05 --friction 0.4 --wrench 3 1 400 5 -8 3 "
        "--pyramid circular --json"
    ),
    Call(
        "robot info robot.urdf --left-foot left_foot --right-foot right_foot --json",
        "urdf",
        "robot.urdf",
        6,
    ),
    Call(
        "robot info robot.urdf --left-foot left_foot --right-foot right_foot --srdf robot.srdf "
        "--json",
        "srdf",
        "robot.srdf",
    ),
    Call("robot info robot.toml --json", "humanoid", "robot.toml"),
    Call("robot export robot.toml -o out.urdf", "humanoid", "robot.toml", 2),
    Call("robot list --json", weight=1),
    Call(
        "walk scenario.toml --duration 0.01 -o out.nc --every 1 --nodes 5",
        "scenario",
        "scenario.toml",
        6,
    ),
    Call("walk rigid.toml --duration 0.01 --json", "scenario", "rigid.toml", 6),
    Call("walk scenario.toml --duration 0.01 --margins 2 --json", "condensed", "box.npz", 2),
    Call(
        "walk --robot rengifo14 --young 3e6 --poisson 0.3 --stand --ground plane --duration 0.01 "
        "--dt 1e-3 --period 1e-3 --seed 1 --json",
    ),
    *(
        Call(f"walk {name}.toml --duration 0.004 --json", "scenario", f"{name}.toml", 3)
        for name in ("lively", "scene", "online", "springy")
    ),
    Call("walk --young 3MPa --poisson 0.3 --thickness 20mm --stand --dt 1ms --duration 4ms --json"),
    Call("retime retimed.toml --json", "scenario", "retimed.toml"),
    Call(
        "retime retimed.toml --area 0.8 --friction 0.5 --acceleration 20 --fastest 2 --points 40 "
        "--factor 1.1 --surface sole --reserve 0.2 --json",
        weight=3,
    ),
    Call("identify pad.msh bench.csv --json", "bench", "bench.csv", 6),
    Call(
        "identify pad.msh bench.csv --element p2 --sd 2 --thickness-sd 1 --fix sole.nu=0.45 "
        "-o out.npz",
        "msh",
        "pad.msh",
        3,
    ),
    Call(
        "export fine.npz --to mujoco --eta 0.005 --load 300 --tilt-deg 0.1 -o out.xml",
        "condensed",
        "fine.npz",
    ),
    Call("export fine.npz --to sdf -o out.sdf", "condensed", "fine.npz", 1),
    Call("export fine.npz --to urdf -o out.urdf", weight=1),
    Call("reproduce --list --json", weight=1),
    Call("mesh --box 200mm 10cm 0.02m --size-tread 50mm -o out.msh"),
    Call("condense box.msh --young 3MPa --poisson 0.4 --element p1 -o out.npz"),
    Call("press box.npz --force 0.3kN --cop 10mm 0 --shear 9N 0 --yaw 500Nmm -o out.npz"),
    Call("live play run.nc --port 0 --json", "run", "run.nc", 1),
    Call("live press box.npz --port 0 --friction 0.5 --json", "condensed", "box.npz", 1),
    Call("live walk lively.toml --port 0 --every 2 --json", "scenario", "lively.toml", 1),
    Call("doctor --json", weight=1),
)


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
    run_here("walk scenario.toml --duration 0.02 --nodes 5 -o run.nc".split())


def _solids(folder: Path) -> None:
    """Write a box of 0.2 x 0.1 x 0.02 m as STEP, binary and text STL."""
    import gmsh

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
