"use strict";
// Handles on a foot: three arrows to shift it and three rings to turn it.

const AXES = [
  ["x", "roll_deg", "#c0392b", [1, 0, 0]],
  ["y", "pitch_deg", "#2e8b57", [0, 1, 0]],
  ["z", "yaw_deg", "#2f6fb0", [0, 0, 1]],
];

class Gizmo extends THREE.Group {
  /** size: length of the arrows [m]. */
  constructor(size) {
    super();
    this.handles = [];
    for (const [shift, turn, color, axis] of AXES) {
      const along = new THREE.Vector3(...axis);
      const up = new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 1, 0), along);
      const front = new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 0, 1), along);
      const paint = () => new THREE.MeshBasicMaterial({ color, depthTest: false, transparent: true, opacity: 0.8 });
      const shaft = new THREE.Mesh(new THREE.CylinderGeometry(0.02 * size, 0.02 * size, size, 10), paint());
      const head = new THREE.Mesh(new THREE.ConeGeometry(0.07 * size, 0.2 * size, 16), paint());
      shaft.position.copy(along).multiplyScalar(0.5 * size);
      head.position.copy(along).multiplyScalar(1.1 * size);
      for (const part of [shaft, head]) part.quaternion.copy(up);
      const ring = new THREE.Mesh(new THREE.TorusGeometry(0.62 * size, 0.022 * size, 10, 64), paint());
      ring.quaternion.copy(front);
      this.add(shaft, head, ring);
      for (const part of [shaft, head, ring]) part.renderOrder = 7;
      this.handles.push({ name: shift, axis: along, parts: [shaft, head], turns: false }, { name: turn, axis: along, parts: [ring], turns: true });
    }
  }

  /** The handle under a ray. */
  under(ray) {
    this.updateMatrixWorld(true);
    const parts = this.handles.flatMap((handle) => handle.parts.map((part) => ({ part, handle })));
    const hits = ray.intersectObjects(parts.map(({ part }) => part));
    return hits.length ? parts.find(({ part }) => part === hits[0].object).handle : null;
  }

  /** Where a ray is along a handle: a length [m], or an angle [rad] around its axis. */
  place(handle, ray) {
    const center = this.getWorldPosition(new THREE.Vector3()), { axis } = handle;
    if (handle.turns) {
      const hit = ray.ray.intersectPlane(new THREE.Plane().setFromNormalAndCoplanarPoint(axis, center), new THREE.Vector3());
      if (!hit) return null;
      const [u, v] = axis.z ? [[1, 0, 0], [0, 1, 0]] : axis.x ? [[0, 1, 0], [0, 0, 1]] : [[0, 0, 1], [1, 0, 0]];
      const arm = hit.sub(center);
      return Math.atan2(arm.dot(new THREE.Vector3(...v)), arm.dot(new THREE.Vector3(...u)));
    }
    const { origin, direction } = ray.ray, b = axis.dot(direction), w = center.clone().sub(origin);
    const d = 1 - b * b;
    return d < 1e-6 ? null : (b * direction.dot(w) - axis.dot(w)) / d;
  }
}
