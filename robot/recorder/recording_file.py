"""Write a run to a file whatever ends it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from robot.recorder.recorder import Recorder
from sole.base.stopping import describe_end, stoppable


@contextmanager
def recording(path: Path, recorder: Recorder) -> Iterator[Recorder]:
    """Write the run to `path` when the block ends, even by Ctrl-C or an error, which passes on.

    Raises
    ------
    SoleError
        The file cannot be written (also checked before the block).
    """
    from robot.run import save_anyhow
    from sole.base.archive import require_writable

    require_writable(Path(path))
    try:
        with stoppable() as recorder.check:
            yield recorder
    except BaseException as error:
        if len(recorder):
            save_anyhow(path, recorder.run(describe_end(error)))
        raise
    save_anyhow(path, recorder.run())
