"""Trends of figure 5 of the deformable-soles paper: rank correlations with E at each nu.

A correlation compares soles of one Poisson's ratio, since nu moves peaks as well as E does. The
trend of a measure is the median over the ratios. Its interval is that of a bootstrap over the
distinct walks of each sole: repeats that are the same to the bit count once.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from scipy.stats import rankdata

from sole.base.arrays import FloatArray

__all__ = ["ENOUGH", "per_ratio", "trends_of_soles"]

ENOUGH = 4  # moduli: fewer ranks tell no trend
DRAWS, LEVEL, SEED = 1000, 95.0, 1  # of the bootstrap; %


def per_ratio(young: FloatArray, values: FloatArray, stands: FloatArray) -> FloatArray:
    """Return Spearman's rank correlations (..., N) of E and values at every nu.

    Parameters
    ----------
    young : E (M,) [Pa]. values : (..., M, N) over E and nu.
    stands : (M, N) whether the sole counts. A nu with fewer than `ENOUGH` moduli gets NaN; values
        that are level, 0.
    """
    found = np.full((*values.shape[:-2], values.shape[-1]), np.nan)
    for n, on in enumerate(np.asarray(stands, dtype=bool).T):
        if on.sum() < ENOUGH:
            continue
        x, y = (
            rankdata(v, axis=-1) - (on.sum() + 1) / 2
            for v in (np.asarray(young)[on], values[..., on, n])
        )
        size = np.linalg.norm(x) * np.linalg.norm(y, axis=-1)
        found[..., n] = np.divide(y @ x, size, out=np.zeros_like(size), where=size > 0)
    return found


def trends_of_soles(
    young: FloatArray, measures: Mapping[str, FloatArray], stands: FloatArray
) -> dict[str, float]:
    """Return the median over nu of each measure's rank correlation with E, and its interval.

    Parameters
    ----------
    young : E (M,) [Pa]. measures : name -> (M, N, R) over E, nu and repeats.
    stands : (M, N) whether the robot walked in every repeat on a sole that stayed linear.

    Returns
    -------
    dict
        `soles` that count, `walks` that are distinct on them, `moduli` (the median over nu of how
        many count), and for each measure its trend, and `_low` and `_high` of its 95 % interval.
        NaN where no nu has `ENOUGH` moduli.
    """
    on = np.asarray(stands, dtype=bool)
    numbers = {
        "soles": float(on.sum()),
        "moduli": float(np.median(on.sum(axis=0))),
        "walks": 0.0,
    }
    for name, values in measures.items():
        rng = np.random.default_rng(SEED)
        means, drawn = np.full(on.shape, np.nan), np.full((DRAWS, *on.shape), np.nan)
        walks = 0
        for place in zip(*np.nonzero(on), strict=True):
            own = np.unique(values[place])
            walks += len(own)
            means[place] = own.mean()
            drawn[:, *place] = rng.choice(own, (DRAWS, len(own))).mean(axis=1)
        numbers["walks"] = max(numbers["walks"], float(walks))
        middle, several = per_ratio(young, means, on), per_ratio(young, drawn, on)
        enough = ~np.isnan(middle)
        if not enough.any():
            numbers |= dict.fromkeys((name, f"{name}_low", f"{name}_high"), np.nan)
            continue
        numbers[name] = float(np.median(middle[enough]))
        ends = np.percentile(
            np.median(several[:, enough], axis=1), (50 - LEVEL / 2, 50 + LEVEL / 2)
        )
        numbers[f"{name}_low"], numbers[f"{name}_high"] = (float(end) for end in ends)
    return numbers
