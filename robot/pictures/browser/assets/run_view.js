"use strict";
// One run: a three.js scene that is moved to a frame, and what can be read off that frame.
// A frame is one entry of the columns (robot/pictures/browser/run_columns.py); nothing is interpolated.

const POLYGON = "#2e8b57"; // support polygon
const NODAL = "#7b2d26"; // nodal forces
const LONGEST = 0.15; // m: length of the largest nodal force of the run

class RunView {
  /** side: header of a run; columns: its arrays; scale, style: common to the runs of a page. */
  constructor(side, columns, scale, style) {
    Object.assign(this, { side, columns, scale, style });
    this.times = columns.time.values;
    this.tree = new Tree(side.skeleton);
    this.colors = scale.colors.map((c) => new THREE.Color(c));
    this.above = new THREE.Color(scale.above);
    this.scene = new THREE.Scene();
    this.scene.background = new THREE.Color("#f4f6f8");
    this.robot = new THREE.Group();
    this.scene.add(this.robot);
    this.light();
    this.addGround();
    this.addSolids();
    this.addSoles();
    this.addForces();
  }

  /** Index of the last frame at or before a time [s], the first if there is none. */
  frameAt(time) {
    let low = 0, high = this.times.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.times[middle] <= time + 1e-9) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  light() {
    this.scene.add(new THREE.HemisphereLight("#ffffff", "#b0a898", 0.75));
    this.sun = new THREE.DirectionalLight("#ffffff", 0.45);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(1024, 1024);
    const box = this.sun.shadow.camera, reach = this.side.tall;
    Object.assign(box, { left: -reach, right: reach, bottom: -reach, top: reach, near: 0.1, far: 6 * reach });
    this.sun.shadow.bias = -5e-4;
    this.scene.add(this.sun, this.sun.target);
  }

  addGround() {
    const { "ground/x": x, "ground/y": y, "ground/height": h, "ground/tile": tile } = this.columns;
    if (!x) return;
    this.ground = groundMesh(x, y, h, tile, this.style.tiles);
    this.scene.add(this.ground);
  }

  addSolids() {
    const shapes = {};
    this.solids = this.side.solids.map((solid) => {
      const name = `solid/${solid.mesh}`;
      shapes[name] ??= triangles(this.columns[`${name}/points`].values, this.columns[`${name}/faces`].values);
      const mesh = new THREE.Mesh(shapes[name], new THREE.MeshLambertMaterial({ color: solid.color }));
      mesh.castShadow = true;
      mesh.matrixAutoUpdate = false;
      this.robot.add(mesh);
      return { mesh, joint: solid.joint, placement: matrixOf(solid.placement) };
    });
    if (this.solids.length) return;
    const paint = new THREE.LineBasicMaterial({ color: "#404850" }); // no shapes: lines between joints
    this.bones = new THREE.LineSegments(new THREE.BufferGeometry(), paint);
    this.bones.frustumCulled = false;
    this.robot.add(this.bones);
  }

  /** Treads and their walls in body axes; a tread's geometry serves the robot and its map. */
  addSoles() {
    let first = 0;
    this.soles = this.side.treads.map((tread, b) => {
      const [points, faces, rim, areas] = ["points", "faces", "rim", "areas"].map(
        (name) => this.columns[`tread/${b}/${name}`].values,
      );
      const count = points.length / 3;
      const sole = { tread, points, areas, count, first, color: new Float32Array(3 * count).fill(1) };
      first += count;
      sole.pressure = new Float64Array(count);
      sole.surface = triangles(points, faces);
      sole.surface.setAttribute("color", new THREE.BufferAttribute(sole.color, 3));
      const plain = { side: THREE.DoubleSide, ...(tread.solid ? { color: this.style.crate } : { vertexColors: true }) };
      const paint = tread.solid ? new THREE.MeshLambertMaterial(plain) : new THREE.MeshBasicMaterial(plain);
      sole.mesh = new THREE.Mesh(sole.surface, paint);
      sole.mesh.matrixAutoUpdate = false;
      sole.mesh.frustumCulled = false;
      sole.mesh.castShadow = tread.solid;
      this.scene.add(sole.mesh);
      if (rim.length) this.addWalls(sole, rim, faces);
      return sole;
    });
    this.maps = this.side.feet.map((_, foot) => this.tread(foot));
  }

  addWalls(sole, rim, faces) {
    const m = sole.count, corners = [];
    for (let n = 0; n < rim.length; n += 2) {
      const [a, b] = [rim[n], rim[n + 1]];
      corners.push(a, b, b + m, a, b + m, a + m);
    }
    for (const corner of faces) corners.push(corner + m);
    const top = sole.points.map((value, n) => (n % 3 === 2 ? 0 : value));
    sole.walls = triangles([...sole.points, ...top], corners);
    sole.walls.setAttribute("color", new THREE.BufferAttribute(new Float32Array(6 * m).fill(1), 3));
    const paint = new THREE.MeshLambertMaterial({ vertexColors: true, side: THREE.DoubleSide });
    const mesh = new THREE.Mesh(sole.walls, paint);
    mesh.matrix = sole.mesh.matrix;
    mesh.matrixAutoUpdate = false;
    mesh.frustumCulled = false;
    this.scene.add(mesh);
  }

  /** The map of a foot: its treads from above, in their own axes, with the CoP. */
  tread(foot) {
    const scene = new THREE.Scene(), box = new THREE.Box3();
    const grid = new THREE.MeshBasicMaterial({ color: "#909090", wireframe: true, transparent: true, opacity: 0.35 });
    for (const sole of this.soles.filter((s) => s.tread.foot === foot)) {
      scene.add(new THREE.Mesh(sole.surface, sole.mesh.material), new THREE.Mesh(sole.surface, grid));
      for (const mesh of scene.children) mesh.frustumCulled = false;
      box.union(new THREE.Box3().setFromArray(sole.points));
    }
    const cross = new THREE.Group();
    const paint = new THREE.MeshBasicMaterial({ color: this.style.mark, depthTest: false });
    const size = 0.05 * (box.max.x - box.min.x);
    cross.add(new THREE.Mesh(new THREE.BoxGeometry(2 * size, 0.16 * size, 1e-4), paint));
    cross.add(new THREE.Mesh(new THREE.BoxGeometry(0.16 * size, 2 * size, 1e-4), paint));
    scene.add(cross);
    return { scene, box, cross };
  }

  addForces() {
    const { mark, push } = this.style;
    this.feet = this.side.feet.map(() => new Arrow(mark, 0.008));
    this.others = this.side.treads.map((tread) => (tread.foot < 0 ? new Arrow(mark, 0.006) : null));
    this.pushes = this.side.pushes.map(() => new Arrow(push, 0.012));
    this.cops = this.side.feet.map(() => ball(0.014, mark));
    this.zmp = ball(0.012, "#202020");
    this.polygon = new ThickLine(POLYGON, 3);
    const lines = new THREE.LineBasicMaterial({ color: NODAL, depthTest: false, transparent: true });
    this.nodal = new THREE.LineSegments(new THREE.BufferGeometry(), lines);
    this.nodal.frustumCulled = false;
    this.nodal.renderOrder = 3;
    const forces = this.columns.node_force?.values ?? [];
    let largest = 0;
    for (let n = 0; n < forces.length; n += 3) largest = Math.max(largest, Math.hypot(forces[n], forces[n + 1], forces[n + 2]));
    this.nodalScale = largest ? LONGEST / largest : 0;
    this.layers = {
      robot: this.robot,
      forces: group(...this.feet, ...this.others.filter(Boolean)),
      points: group(...this.cops, this.zmp),
      polygon: group(this.polygon),
      nodal: group(this.nodal),
    };
    this.scene.add(...Object.values(this.layers), ...this.pushes);
  }

  /** Height of the lowest contact body at the present frame [m]. */
  lowest() {
    return Math.min(this.anchor.z, ...this.tree.bodies.map((T, b) => T.elements[14] + this.side.treads[b].height));
  }

  /** Move everything to frame i. */
  show(i) {
    const { q, waist, node_force: forces } = this.columns;
    this.frame = i;
    this.tree.pose(q.values, i * q.width);
    for (const { mesh, joint, placement } of this.solids) mesh.matrix.multiplyMatrices(this.tree.joints[joint], placement);
    if (this.bones) this.drawBones();
    this.anchor = new THREE.Vector3(...waist.values.subarray(3 * i, 3 * i + 3));
    for (const sole of this.soles) this.moveSole(sole, i);
    this.showForces(i);
    if (forces) this.showNodes(i);
    this.showPushes(this.times[i]);
    this.sun.target.position.copy(this.anchor);
    const far = 2 * this.side.tall;
    this.sun.position.set(this.anchor.x + 0.5 * far, this.anchor.y - 0.6 * far, this.anchor.z + 1.2 * far);
  }

  drawBones() {
    const at = this.tree.joints.map((T) => new THREE.Vector3().setFromMatrixPosition(T));
    const ends = [];
    this.tree.parents.forEach((parent, k) => parent >= 0 && ends.push(at[parent], at[k]));
    this.tree.frames.forEach((joint, b) => ends.push(at[joint], new THREE.Vector3().setFromMatrixPosition(this.tree.bodies[b])));
    this.bones.geometry.setFromPoints(ends);
  }

  moveSole(sole, i) {
    const b = this.soles.indexOf(sole);
    sole.mesh.matrix.copy(this.tree.bodies[b]);
    const { node_displacement: moved, node_force: force } = this.columns;
    if (!moved) return;
    const at = i * moved.width + 3 * sole.first;
    const position = sole.surface.attributes.position;
    for (let n = 0; n < 3 * sole.count; n++) position.array[n] = sole.points[n] + moved.values[at + n];
    for (let n = 0; n < sole.count; n++) {
      sole.pressure[n] = sole.areas[n] > 0 ? force.values[at + 3 * n + 2] / sole.areas[n] : 0;
      const color = this.shade(sole.pressure[n]);
      sole.color.set([color.r, color.g, color.b], 3 * n);
    }
    position.needsUpdate = sole.surface.attributes.color.needsUpdate = true;
    if (!sole.walls) return;
    const walls = sole.walls.attributes;
    walls.position.array.set(position.array.subarray(0, 3 * sole.count));
    walls.color.array.set(sole.color);
    walls.color.array.set(sole.color, 3 * sole.count);
    walls.position.needsUpdate = walls.color.needsUpdate = true;
  }

  shade(pressure) {
    const share = (pressure * this.scale.factor) / this.scale.most;
    if (share > 1 + 1e-9) return this.above;
    return this.colors[Math.round(Math.max(share, 0) * (this.colors.length - 1))];
  }

  /** World place of the CoP of a foot; null in the air. */
  copOf(foot, i) {
    const [x, y] = this.columns.cop.values.subarray(2 * (i * this.feet.length + foot));
    if (!Number.isFinite(x)) return null;
    const b = this.side.treads.findIndex((tread) => tread.foot === foot);
    return new THREE.Vector3(x, y, this.side.treads[b].height).applyMatrix4(this.tree.bodies[b]);
  }

  showForces(i) {
    const scale = this.style.force / this.side.weight;
    this.feet.forEach((arrow, foot) => {
      const place = this.copOf(foot, i), map = this.maps[foot];
      this.cops[foot].visible = map.cross.visible = place !== null;
      arrow.visible = false;
      if (!place) return;
      arrow.set(place, this.force(foot, i).multiplyScalar(scale));
      this.cops[foot].position.copy(place);
      const [x, y] = this.columns.cop.values.subarray(2 * (i * this.feet.length + foot));
      map.cross.position.set(x, y, map.box.max.z + 0.05);
    });
    this.others.forEach((arrow, b) => {
      if (!arrow) return;
      const f = this.columns.body_force.values.subarray(3 * (i * this.others.length + b));
      const turn = new THREE.Matrix4().extractRotation(this.tree.bodies[b]);
      const place = new THREE.Vector3().setFromMatrixPosition(this.tree.bodies[b]);
      arrow.set(place, new THREE.Vector3(f[0], f[1], f[2]).applyMatrix4(turn).multiplyScalar(scale));
    });
    const zmp = this.columns.zmp.values.subarray(3 * i, 3 * i + 3);
    this.zmp.visible = zmp.every(Number.isFinite);
    if (this.zmp.visible) this.zmp.position.set(...zmp);
  }

  /** Force of the ground on a foot [N], world axes. */
  force(foot, i) {
    const at = 3 * (i * this.feet.length + foot);
    return new THREE.Vector3(...this.columns.force.values.subarray(at, at + 3));
  }

  /** Nodal forces, and the hull of all nodes of the feet that carry one. */
  showNodes(i) {
    const forces = this.columns.node_force, lines = [], touching = [];
    this.soles.forEach((sole, b) => {
      const turn = new THREE.Matrix4().extractRotation(this.tree.bodies[b]);
      const at = i * forces.width + 3 * sole.first, places = sole.surface.attributes.position.array;
      for (let n = 0; n < sole.count; n++) {
        const f = new THREE.Vector3(...forces.values.subarray(at + 3 * n, at + 3 * n + 3));
        if (f.lengthSq() === 0) continue;
        const p = new THREE.Vector3().fromArray(places, 3 * n).applyMatrix4(this.tree.bodies[b]);
        lines.push(p, f.applyMatrix4(turn).multiplyScalar(this.nodalScale).add(p));
        if (sole.tread.foot >= 0) touching.push(p.toArray());
      }
    });
    this.nodal.geometry.dispose();
    this.nodal.geometry = new THREE.BufferGeometry().setFromPoints(lines);
    const hull = touching.length > 2 ? hullOf(touching) : touching;
    this.polygon.through(hull.length ? [...hull, hull[0]] : []);
  }

  showPushes(time) {
    this.side.pushes.forEach((push, n) => {
      const end = push.start + push.duration, arrow = this.pushes[n];
      arrow.visible = false;
      if (time < push.start || time > end + this.style.after) return;
      const along = new THREE.Vector3(...push.force).normalize();
      arrow.set(this.anchor.clone().addScaledVector(along, -0.7), along.clone().multiplyScalar(0.4));
      arrow.paint.opacity = time <= end ? 1 : 0.3;
    });
  }

  /** What the page says of the present frame, in SI units. */
  numbers() {
    const i = this.frame, feet = this.side.feet.length;
    return {
      time: this.times[i],
      tilt: this.columns.tilt.values[i],
      forces: this.side.feet.map((_, foot) => this.force(foot, i).z),
      cops: this.side.feet.map((_, foot) => Array.from(this.columns.cop.values.subarray(2 * (i * feet + foot), 2 * (i * feet + foot) + 2))),
      deformations: this.side.feet.map((_, foot) => this.deformation(foot)),
      shares: this.side.feet.map((_, foot) => this.deformedShare(foot)),
      pressures: this.side.feet.map((_, foot) => Math.max(0, ...this.soles.filter((s) => s.tread.foot === foot).map((s) => Math.max(...s.pressure)))),
    };
  }

  /** Largest displacement of a node of a foot's soles at the present frame [m]. */
  deformation(foot) {
    return Math.max(0, ...this.soles.filter(({ tread }) => tread.foot === foot).map((sole) => this.moved(sole)));
  }

  /** The same over the thickness of the sole; above `side.linear` it is beyond linear elasticity. */
  deformedShare(foot) {
    const soles = this.soles.filter(({ tread }) => tread.foot === foot && tread.thickness > 0);
    return Math.max(0, ...soles.map((sole) => this.moved(sole) / sole.tread.thickness));
  }

  moved(sole) {
    const moved = this.columns.node_displacement;
    if (!moved || sole.tread.rigid) return 0;
    const at = this.frame * moved.width + 3 * sole.first;
    let largest = 0;
    for (let n = at; n < at + 3 * sole.count; n += 3) largest = Math.max(largest, Math.hypot(...moved.values.subarray(n, n + 3)));
    return largest;
  }
}

/** Parts that are hidden together; each may be hidden by itself as well. */
function group(...parts) {
  const made = new THREE.Group();
  if (parts.length) made.add(...parts);
  return made;
}

function ball(radius, color) {
  const made = new THREE.Mesh(new THREE.SphereGeometry(radius, 16, 12), new THREE.MeshBasicMaterial({ color, depthTest: false, transparent: true }));
  made.renderOrder = 6;
  return made;
}
