"""Other solvers on the same problems: Pinocchio and Siconos."""
