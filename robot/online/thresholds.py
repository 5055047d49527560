"""When a foot counts as loaded, free, early: what plans that follow contacts compare with."""

LOADED, FREE = 0.03, 0.015  # shares of the weight: a foot touches above, is free of load below
CONFIRM = 1e-3  # s for which a foot must be loaded
EARLY = 0.35  # share of a swing after which a contact ends it
SURELY = 1e-9  # s: what counts as the same time
