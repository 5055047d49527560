"""The claims of the papers that need a robot; see `sole.claims`."""
