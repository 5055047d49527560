"""Humanoids walking on compliant soles. Empty for now: see the change log for what exists."""
