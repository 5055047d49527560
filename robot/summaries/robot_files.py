"""The kinds of files of this package: what they are called, and which commands take them first."""

from sole.base.file_kinds import FileKind

__all__ = ["FILE_KINDS"]

FILE_KINDS = {
    "robot.humanoid": FileKind("a robot", ("robot", "info"), ("walk --robot",)),
    "robot.scenario": FileKind("the scenario of a walk", ("walk", "live walk", "retime")),
    "robot.run": FileKind(
        "the run of a robot",
        ("view", "live", "live play", "info"),
        made_by="walk SCENARIO.toml -o NEW.nc",
    ),
}
