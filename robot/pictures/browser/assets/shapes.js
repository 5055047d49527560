"use strict";
// Things to draw: triangles, the ground, arrows, the convex hull of points.

function triangles(points, faces) {
  const made = new THREE.BufferGeometry();
  made.setAttribute("position", new THREE.BufferAttribute(Float32Array.from(points), 3));
  made.setIndex(Array.from(faces));
  made.computeVertexNormals();
  return made;
}

/** The ground as tiles in their colours; from below it cannot be seen, but what stands on it can. */
function groundMesh(x, y, height, tile, colors) {
  const places = [], shades = [], color = new THREE.Color();
  const nx = x.values.length, ny = y.values.length;
  const at = (i, j) => [x.values[i], y.values[j], height.values[j * nx + i]];
  for (let j = 0; j + 1 < ny; j++) {
    for (let i = 0; i + 1 < nx; i++) {
      const [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
      places.push(...a, ...b, ...c, ...a, ...c, ...d);
      color.set(colors[tile.values[j * (nx - 1) + i]]);
      for (let n = 0; n < 6; n++) shades.push(color.r, color.g, color.b);
    }
  }
  const made = new THREE.BufferGeometry();
  made.setAttribute("position", new THREE.BufferAttribute(new Float32Array(places), 3));
  made.setAttribute("color", new THREE.BufferAttribute(new Float32Array(shades), 3));
  made.computeVertexNormals();
  const mesh = new THREE.Mesh(made, new THREE.MeshLambertMaterial({ vertexColors: true }));
  mesh.receiveShadow = true;
  return mesh;
}

/** An arrow that is seen through the robot. */
class Arrow extends THREE.Group {
  constructor(color, radius) {
    super();
    const paint = new THREE.MeshBasicMaterial({ color, depthTest: false, transparent: true });
    this.shaft = new THREE.Mesh(new THREE.CylinderGeometry(radius, radius, 1, 12), paint);
    this.head = new THREE.Mesh(new THREE.ConeGeometry(2.8 * radius, 1, 16), paint);
    this.add(this.shaft, this.head);
    for (const part of this.children) part.renderOrder = 5;
    this.tip = 8 * radius;
    this.paint = paint;
    this.visible = false;
  }

  /** Point from `start` along `vector`; hidden if the vector has hardly any length. */
  set(start, vector) {
    const length = vector.length();
    this.visible = length > 1e-3;
    if (!this.visible) return;
    const tip = Math.min(this.tip, 0.5 * length);
    this.position.copy(start);
    this.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), vector.clone().divideScalar(length));
    this.shaft.scale.set(1, length - tip, 1);
    this.shaft.position.y = (length - tip) / 2;
    this.head.scale.set(tip / this.tip, tip, tip / this.tip);
    this.head.position.y = length - tip / 2;
  }
}

/** The convex hull, seen from above, of points [x, y, z]: counter-clockwise (Andrew's chain). */
function hullOf(points) {
  const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const left = (o, a, b) => (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]) <= 0;
  const chain = (list) => {
    const kept = [];
    for (const p of list) {
      while (kept.length > 1 && left(kept[kept.length - 2], kept[kept.length - 1], p)) kept.pop();
      kept.push(p);
    }
    kept.pop();
    return kept;
  };
  return [...chain(sorted), ...chain(sorted.reverse())];
}

/** A line of `width` pixels through points that change. */
class ThickLine extends THREE.Line2 {
  constructor(color, width) {
    const paint = new THREE.LineMaterial({ color, linewidth: width, depthTest: false, transparent: true });
    super(new THREE.LineGeometry(), paint);
    this.frustumCulled = false;
    this.renderOrder = 4;
    this.visible = false;
  }

  through(points) {
    this.visible = points.length > 1;
    if (!this.visible) return;
    this.geometry.dispose(); // its buffers have the length of the first use
    this.geometry = new THREE.LineGeometry();
    this.geometry.setPositions(points.flat());
  }
}
