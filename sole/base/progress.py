"""A progress bar of simulated time on a terminal; a line now and then anywhere else."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator

from sole.base.waiting import hushed, under_way

__all__ = ["progress_bar"]


REFRESH = 0.1  # s


@contextlib.contextmanager
def progress_bar(
    what: str,
    seconds: float | None,
    *,
    shown: bool,
    now: Callable[[], str] | None = None,
) -> Iterator[Callable[[float], None]]:
    """Yield a function to call with the simulated time [s] out of `seconds`; None: a fraction.

    `now` names the part of `what` that is under way.
    """
    from rich.console import Console

    console = Console(stderr=True)
    begun, due = time.monotonic(), [0.0]

    def telling(show: Callable[[float, str], None]) -> Callable[[float], None]:
        def tell(t: float) -> None:
            now = time.monotonic()
            if now < due[0]:
                return
            due[0] = now + REFRESH
            at = f"{100 * t:.0f} %"
            if seconds is not None:
                factor = t / max(now - begun, 1e-3)
                at = f"{t:.2f} of {seconds:.2f} s, {factor:.2f} x real time"
            show(t, at)

        return tell

    if not (shown and console.is_terminal):
        with under_way(what) as note:
            yield telling(lambda t, at: note(at if now is None else f"{at}, {now()}"))
        return
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[at]}")
    bar = Progress(*columns, TimeRemainingColumn(), console=console, transient=True)
    with hushed(), bar:
        task = bar.add_task(what, total=1.0 if seconds is None else seconds, at="")

        def update(t: float, at: str) -> None:
            bar.update(task, completed=t, at=at, description=what if now is None else now())

        yield telling(update)
