"""The kinds of files of this package: what they are called, and which commands take them first."""

from sole.base.wrong_file import FileKind

__all__ = ["FILE_KINDS"]

FILE_KINDS = {
    "sole.shape": FileKind("the shape of a sole", ("mesh", "sweep", "info")),
    "sole.mesh": FileKind("a mesh", ("condense", "identify", "sweep", "mesh", "view", "info")),
    "sole.condensed": FileKind(
        "a condensed sole", ("press", "live press", "export", "view", "info")
    ),
    "sole.study": FileKind("a study", ("study", "sweep", "report", "info")),
    "sole.design": FileKind("a search for a design", ("design", "report", "info")),
    "sole.sweep": FileKind("the table of a sweep", ("report", "view", "info")),
}
