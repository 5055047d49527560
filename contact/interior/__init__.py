"""The path of the interior point method through second-order cones."""
