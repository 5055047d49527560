"""Studies: axes, shared condensations, rows, journal and table of a sweep."""
