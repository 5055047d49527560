"""The kinds of files of this package: what they are called, and which commands take them first."""

from sole.base.file_kinds import FileKind

__all__ = ["FILE_KINDS"]

FILE_KINDS = {
    "contact.ground": FileKind("a ground", ("view", "info"), ("press --ground",)),
    "contact.path": FileKind("a path of loads", ("info",), ("press --path",)),
    "contact.press": FileKind(
        "the result of a press",
        ("view", "info"),
        made_by="press SOLE.npz --force NEWTONS -o NEW.npz",
    ),
    "contact.finite_press": FileKind(
        "the result of a press at finite strain",
        ("view", "info"),
        made_by="press MESH.msh --finite --force NEWTONS -o NEW.npz",
    ),
    "contact.fclib": FileKind("a contact problem", ("contact", "info")),
    "contact.shape_design": FileKind("a shape design", ("design", "info")),
    "contact.solution": FileKind(
        "the solution of a contact problem",
        ("info",),
        made_by="contact solve PROBLEM.hdf5 -o NEW.npz",
    ),
}
