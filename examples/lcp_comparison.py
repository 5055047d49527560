"""Why friction cones are solved exactly: Gauss-Seidel against pyramids by Lemke's method."""

from contact.papers.experiments.lemke_pyramids import compare_pyramids


def main() -> None:
    """Print errors and times of pyramids by state, contacts and facets."""
    print("| state | contacts | method | unknowns | sweeps, pivots | time [ms] "
          "| time / Gauss-Seidel | natural map | angle [deg] | force |")  # fmt: skip
    print("|---|---|---|---|---|---|---|---|---|---|")
    for state, rows in compare_pyramids().items():
        for r in rows:
            method = f"{r.facets} facets, Lemke" if r.facets else "exact cone, Gauss-Seidel"
            cells = [state, r.contacts, method, r.unknowns, r.iterations, f"{r.ms:.2g}"]
            cells += [f"{r.times_exact:.2g}", f"{r.natural_map:.1e}", f"{r.angle_deg:.2g}"]
            print("| " + " | ".join(map(str, [*cells, f"{r.force_error:.1e}"])) + " |")


if __name__ == "__main__":
    main()
