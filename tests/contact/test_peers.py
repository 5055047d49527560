"""The processes of the peers find what they import, from any working directory."""

from __future__ import annotations

import subprocess
import sys

from contact.peers.run import MODULE, ROOT


def test_the_process_of_a_peer_finds_its_module(tmp_path):
    # -S: no site-packages, as in Debian's Python, which knows nothing of our installation.
    program = (
        "import importlib.util, sys; "
        "sys.exit(any(importlib.util.find_spec(name) is None for name in sys.argv[1:]))"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", program, *sorted(set(MODULE.values()))],
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert len(MODULE) >= 4 and done.returncode == 0, done.stderr
