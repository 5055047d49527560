"""Joint drives as a cascade of sampled loops, as LOLA's: position, velocity, current.

Every 100 us                omega = v_ref + K (q_ref - q),        |omega| <= the motor's speed
                            tau_d = tau_ff + K_v (omega - v) + K_v K_i integral (omega - v)
every 50 us                 tau <- tau + (1 - exp(-50 us/T_c)) (tau_d - tau)

with |tau_d| <= the torque limit, and without integration beyond it. Within a step of dt the joint
moves as the simulator moves it, with the velocity v+ of its end. So the mean torque of the step
follows exactly,

    tau = alpha - beta v+,

by running the loops once for the constant part and once for the part in v+. The simulator takes
this as a servo of damping beta and feed-forward alpha: implicit, so a stiff loop needs no shorter
step. (A velocity that goes linearly from v to v+ would leave half of kd explicit, and joints of
little inertia would chatter.) Commands come `delay` late. K_v = kd and K = kp/kd: at T_c = 0 and
without delay this is the servo of `robot.simulator.servo`, but for its samples.
"""

from __future__ import annotations

from collections import deque
from math import exp

import numpy as np

from robot.simulator.servo import Command, Servo
from sole.base.arrays import FloatArray
from sole.base.compiled import kernel
from sole.base.errors import ConfigError

CURRENT = 5e-5  # s between two samples of the current loops; the other loops take every second one


class JointCascade:
    """The drives of all joints, from step to step.

    Parameters
    ----------
    servo : whose kp, kd and torque limits they have. fastest : (n,) limits of speed [rad/s],
        infinite where there is none. dt : time step [s].
    time : T_c of the current loops [s]. K_i : of the velocity loops [1/s]. delay : of commands [s].

    Raises
    ------
    ConfigError
        dt is no multiple of 100 us, the delay none of dt, or there is no kd.

    Attributes
    ----------
    servo : what the simulator takes for them. tau, integral : (n,) torques [N m], integral of
        the errors of speed [rad].
    """

    def __init__(
        self,
        servo: Servo,
        fastest: FloatArray,
        dt: float,
        *,
        time: float,
        K_i: float,
        delay: float,
    ) -> None:
        pairs, late = dt / (2 * CURRENT), delay / dt
        if round(pairs) < 1 or abs(pairs - round(pairs)) > 1e-6:
            raise ConfigError(
                f"control.cascade: dt = {dt:g} s must be a multiple of {2 * CURRENT:g} s, the "
                "period of the position loops: use dt = 1e-3"
            )
        if abs(late - round(late)) > 1e-6:
            raise ConfigError(
                f"control.cascade: the delay {delay:g} s must be a multiple of dt = {dt:g} s"
            )
        if (servo.kd <= 0).any():
            raise ConfigError("control.cascade: kd must be positive, it is the gain of the speed")
        n = len(servo.kp)
        self.pairs, self.dt, self.late = round(pairs), dt, round(late)
        self.gains = np.array(
            [servo.kp / servo.kd, servo.kd, np.full(n, K_i), servo.limits, fastest]
        )
        self.share = 1.0 - exp(-CURRENT / time) if time > 0 else 1.0
        beta = -self._run(np.zeros((3, n)), np.ones(n), np.zeros((2, n)), free=True)
        self.servo = Servo(kp=np.zeros(n), kd=beta, limits=servo.limits)
        self.reset()

    def reset(self) -> None:
        """Forget torques, integrals and commands on their way."""
        n = self.gains.shape[1]
        self.state = np.zeros((2, n))  # tau, integral
        self.waiting: deque[Command] = deque()

    def command(self, wanted: Command, q: FloatArray, v: FloatArray) -> Command:
        """Return alpha as a command for `servo`, from a command for the end of this step.

        q, v : (n,) of the joints at the start of the step.
        """
        self.waiting.append(wanted)
        while len(self.waiting) > self.late + 1:
            self.waiting.popleft()
        old = self.waiting[0]
        tau = np.zeros(len(q)) if old.torques is None else old.torques
        self.asked = np.array([old.positions - q, old.velocities, tau])
        # where a speed is limited, the law is not affine: about the speed of now
        at = self._run(self.asked, np.array(v), self.state.copy())
        alpha = at + self.servo.kd * v
        return Command(positions=q, velocities=np.zeros(len(q)), torques=alpha)

    def advance(self, v: FloatArray) -> None:
        """Go on to the end of the step, at which the joints have the speeds v (n,)."""
        self._run(self.asked, np.array(v), self.state)

    def _run(
        self, asked: FloatArray, v: FloatArray, state: FloatArray, *, free: bool = False
    ) -> FloatArray:
        return run_loops(asked, v, self.gains, self.share, self.dt, self.pairs, free, state)


@kernel
def run_loops(
    asked: FloatArray, v: FloatArray, gains: FloatArray, share: float, dt: float, pairs: int,
    free: bool, state: FloatArray,
) -> FloatArray:  # fmt: skip
    """Run all loops through a step; return the mean torques (n,) [N m].

    asked (3, n) : q_ref at its end less q at its start, v_ref, tau_ff. v (n,) in the step.
    gains (5, n) : K, K_v, K_i and limits of torque and speed, which do not count if `free`. pairs :
    double samples in the step. state (2, n) : torques and integrals, changed in place.
    """
    h, n = dt / pairs, asked.shape[1]
    mean = np.zeros(n)
    for j in range(n):
        tau, total, limit, fastest = state[0, j], state[1, j], gains[3, j], gains[4, j]
        for k in range(pairs):
            s = k * h
            omega = asked[1, j] + gains[0, j] * (asked[0, j] - (dt - s) * asked[1, j] - v[j] * s)
            if not free:
                omega = min(max(omega, -fastest), fastest)
            e = omega - v[j]
            more = total + h * e
            wanted = asked[2, j] + gains[1, j] * (e + gains[2, j] * more)
            if not free and abs(wanted) > limit:
                wanted = min(max(wanted, -limit), limit)
            else:
                total = more
            for _ in range(2):
                tau += share * (wanted - tau)
                mean[j] += tau
        state[0, j], state[1, j] = tau, total
        mean[j] /= 2 * pairs
    return mean
