"""Gaits: from a few numbers to joint angles at every tick.

footsteps   where and when the feet land
schedule    which foot carries when
zmp         where the zero-moment point should be
preview     a centre of mass that puts it there (linear inverted pendulum)
swing       how a foot gets from one foothold to the next
kinematics  joint angles, velocities and accelerations of all that
plan        `plan_walk`: everything above, as one `WalkPlan` for controllers
poses       standing, squatting, one leg: plans of the same kind
"""
