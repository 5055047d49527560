"""The claims of the papers that need no robot; see `sole.claims`."""
