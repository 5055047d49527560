"""Gaits: from a few numbers to joint angles at every tick.

footholds   places of the feet; footprints: what they cover
footsteps   where and when the feet land
schedule    which foot carries when
zmp         where the zero-moment point should be
preview     a centre of mass that puts it there (linear inverted pendulum)
com         the same over stairs, with its height
swing       how a foot gets from one foothold to the next
kinematics  one instant: joint angles, velocities and accelerations of all that
body_motion, hermite   every instant
body_zmp    what the pendulum leaves out
plan        `plan_walk`: everything above, as one `WalkPlan` for controllers
measure     how well the plan does that
poses       standing, squatting, one leg: plans of the same kind
choice      `plan_gait`: one of these, as a scenario names it
"""
