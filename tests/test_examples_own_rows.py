"""The example of rows of one's own, as an installed package shows it to `sole study`."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
from box_mesh import box_mesh

from sole.mesh import write_mesh
from sole.studies import read_table

HERE = Path(__file__).resolve().parent.parent / "examples" / "own_rows"


def test_own_rows_fill_a_table(tmp_path: Path) -> None:
    declared = tomllib.loads((HERE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    ((name, place),) = declared["entry-points"]["sole.rows"].items()
    info = tmp_path / "bounce_rows-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: bounce-rows\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[sole.rows]\n{name} = {place}\n")
    study = (HERE / "bounce.toml").read_text(encoding="utf-8").replace("../../pad.msh", "pad.msh")
    (tmp_path / "bounce.toml").write_text(study, encoding="utf-8")
    write_mesh(tmp_path / "pad.msh", box_mesh(0.24, 0.14, 0.02, (4, 3, 1)))
    path = [str(tmp_path), str(HERE), str(HERE.parent.parent)]
    call = "from sole.base.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", call, "study", "bounce.toml", "-o", "bounce.nc", "--quiet"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    table = read_table(tmp_path / "bounce.nc")
    sink, bounce = table["sink"].values, table["bounce"].values
    # Both from one k_z: f = sqrt(g / sink) / (2 pi), and k_z is proportional to E.
    np.testing.assert_allclose(bounce, np.sqrt(9.80665 / sink) / (2 * np.pi), rtol=1e-9)
    np.testing.assert_allclose(sink[0] / sink[-1], 100.0, rtol=1e-6)
    assert table["sink"].attrs["long_name"] == "sinking of the robot on one sole"
