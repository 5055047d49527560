"""A valid call of every command, on the files of `torture.valid_files`."""

from __future__ import annotations

from dataclasses import dataclass


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
    Call(f"mesh --cad solid.step {BOX}", "step", "solid.step"),
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
    Call("view run.nc -o out.png --time 0.01 --pixels 200 200", "run", "run.nc", 2),
    Call(
        "contact solve problems/two.hdf5 --tolerance 1e-8 --max-sweeps 100 -o out.npz",
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
        "contact bench problems --methods gauss-seidel,newton --tolerance 1e-6 -o out.csv",
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
        "walk scenario.toml --duration 0.01 -o out.nc --every 1 --forces-every 5",
        "scenario",
        "scenario.toml",
        6,
    ),
    Call("walk rigid.toml --duration 0.01 --json", "scenario", "rigid.toml", 6),
    Call("walk scenario.toml --duration 0.01 --margins-every 2 --json", "condensed", "box.npz", 2),
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
        "export fine.npz --to mujoco --eta 0.005 --force 300 --tilt-deg 0.1 --dt 0.5ms -o out.xml",
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
