"""Contact models of the literature, beside the exact contact of the product.

    penalty     penalty contact by feedback linearisation [RengifoEtAl2009], its ball, brick and box
    foundation  the explicit contact model lambda_f = U x_f of a foot [SygullaEtAl2017]
    onset       where single nodes of a sole that sticks begin to slip or lift

They are for comparison, and run as published (docs/penalty.md, docs/foot_stiffness.md,
docs/sole_margin.md). They use the rest of `contact`, which never uses them.
"""
