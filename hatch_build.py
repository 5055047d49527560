"""Build hook: a wheel is pure, or carries machine code and says for which Python and machine.

    pip wheel --no-deps .                          compliant_sole-0.2.0-py3-none-any.whl
    SOLE_MACHINE_CODE=1 pip wheel --no-deps .      compliant_sole-0.2.0-cp311-cp311-linux_x86_64.whl

Machine code is what `sole compile` has left in sole/machine_code.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

WITH_CODE = "SOLE_MACHINE_CODE"
FOLDER = "sole/machine_code"


class MachineCode(BuildHookInterface):
    """Adds machine code to a wheel, and with it the tag of this Python and machine."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Change what hatch is about to build; `version` is "standard" or "editable"."""
        if version != "standard" or os.environ.get(WITH_CODE, "0") in ("", "0"):
            return
        if not any((Path(self.root) / FOLDER).glob("*.kernel")):
            raise FileNotFoundError(f"{FOLDER} is empty: run `sole compile`, then build again")
        # Of kernels that Python calls; what is in `inner` is part of them.
        build_data["artifacts"].append(f"{FOLDER}/*.kernel")
        build_data["pure_python"] = False
        build_data["infer_tag"] = True
