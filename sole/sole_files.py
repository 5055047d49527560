"""The kinds of files of this package: what they are called, and which commands take them first."""

from sole.base.file_kinds import FileKind

__all__ = ["FILE_KINDS"]

FILE_KINDS = {
    "sole.shape": FileKind("the shape of a sole", ("mesh", "sweep", "info")),
    "sole.mesh": FileKind(
        "a mesh",
        ("condense", "press", "identify", "sweep", "mesh", "view", "info"),
        made_by="mesh SHAPE.toml -o NEW.msh",
    ),
    "sole.condensed": FileKind(
        "a condensed sole",
        ("press", "live press", "export", "view", "info"),
        made_by="condense MESH.msh -o NEW.npz",
    ),
    "sole.study": FileKind("a study", ("study", "sweep", "info")),
    "sole.design": FileKind("a search for a design", ("design", "info")),
    "sole.sweep": FileKind(
        "the table of a sweep", ("report", "view", "info"), made_by="study STUDY.toml -o NEW.nc"
    ),
}
