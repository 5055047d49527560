"use strict";
// Poses of a tree of joints, as robot/run/skeleton.py has it:
//   T_joint = T_parent placement exp(s q),  or placement (position, quaternion) of a free flyer.

const FREE = 7; // coordinates of a free flyer: position, quaternion x y z w

function matrixOf(rows) {
  return new THREE.Matrix4().set(...rows.flat());
}

class Tree {
  constructor(told) {
    this.parents = told.parents;
    this.free = told.coordinates.map((n) => n === FREE);
    this.first = told.first;
    this.placements = told.placements.map(matrixOf);
    this.axes = told.axes;
    this.frames = told.frames;
    this.framePlacements = told.frame_placements.map(matrixOf);
    this.joints = this.parents.map(() => new THREE.Matrix4()); // joint to world
    this.bodies = this.frames.map(() => new THREE.Matrix4()); // contact frame to world
    this.own = new THREE.Matrix4();
  }

  /** Move all joints and contact frames to the configuration that begins at q[at]. */
  pose(q, at) {
    for (let k = 0; k < this.parents.length; k++) {
      const i = at + this.first[k];
      if (this.free[k]) freeMotion(this.own, q, i);
      else jointMotion(this.own, this.axes[k], q[i]);
      const here = this.joints[k].multiplyMatrices(this.placements[k], this.own);
      if (this.parents[k] >= 0) here.premultiply(this.joints[this.parents[k]]);
    }
    for (let b = 0; b < this.frames.length; b++) {
      this.bodies[b].multiplyMatrices(this.joints[this.frames[b]], this.framePlacements[b]);
    }
  }
}

function freeMotion(into, q, i) {
  const turn = new THREE.Quaternion(q[i + 3], q[i + 4], q[i + 5], q[i + 6]).normalize();
  into.makeRotationFromQuaternion(turn).setPosition(q[i], q[i + 1], q[i + 2]);
}

/** exp(s a) for s = (v, w), |w| = 1 or 0:  translation a v + (1 - cos a) w x v + (a - sin a) w x (w x v). */
function jointMotion(into, s, a) {
  const v = new THREE.Vector3(s[0], s[1], s[2]);
  const w = new THREE.Vector3(s[3], s[4], s[5]);
  if (w.lengthSq() === 0) return into.makeTranslation(a * v.x, a * v.y, a * v.z);
  const once = new THREE.Vector3().crossVectors(w, v);
  const twice = new THREE.Vector3().crossVectors(w, once);
  v.multiplyScalar(a).addScaledVector(once, 1 - Math.cos(a)).addScaledVector(twice, a - Math.sin(a));
  return into.makeRotationAxis(w, a).setPosition(v);
}
