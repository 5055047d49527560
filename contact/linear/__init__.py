"""The linear systems of Newton steps: tangents of the laws, blocks, active contacts."""
