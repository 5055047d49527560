"""From a scenario to a run, however it ends."""
