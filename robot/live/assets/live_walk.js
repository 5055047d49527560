"use strict";
// The controls of a walk that runs: pulls, pushes, gait, soles, ground.

const HOLD = "#7a3fb0"; // of a pull, as pushes
const SIDES_OF_PUSH = [["forward", 0], ["back", 180], ["left", 90], ["right", -90]];
const BY_KEY = 0.02; // m that a key moves the target of a pull

class LiveWalk extends LiveScene {
  constructor(data) {
    super(data);
    this.rope = new ThickLine(HOLD, 3);
    this.hold = new Arrow(HOLD, 0.012);
    this.handle = ball(0.018, HOLD);
    this.handle.visible = false;
    this.runs[0].scene.add(this.rope, this.hold, this.handle);
  }

  words() {
    const move = (right, away, up) => () => this.moveByKey(right, away, up);
    return {
      restart: ["restart", "restart from the beginning"],
      drag: [["a link, a foot or a box", "pull it"]],
      keys: [
        ["P", "pull the waist with the keys; again: let go", { p: () => this.pullByKeys() }],
        ["arrows, Page up, Page down", "while pulling: move the target by 2 cm", {
          ArrowLeft: move(-1, 0, 0), ArrowRight: move(1, 0, 0), ArrowUp: move(0, 1, 0), ArrowDown: move(0, -1, 0),
          PageUp: move(0, 0, 1), PageDown: move(0, 0, -1),
        }],
      ],
    };
  }

  addControls() {
    this.sliders = {};
    const { header } = this, send = (message) => this.send(message), none = () => {};
    const push = rowOf("push");
    const size = slider(push, { name: "", label: "impulse of a push", unit: "N s", low: 0.5, high: 40, value: 5, act: none });
    for (const [name, heading] of SIDES_OF_PUSH) button(push, name, () => send({ do: "push", impulse: size.value(), heading_deg: heading + this.heading() }), `push the waist ${name}`);
    if (header.steered) {
      const gait = rowOf("gait");
      this.sliders.forward = slider(gait, { name: "", label: "speed of the walk", unit: "m/s", low: 0.02, high: 0.3, value: 0.15, act: none });
      this.sliders.turn_deg = slider(gait, { name: "turn", label: "turn of the walk, positive to the left", unit: "deg/s", low: -15, high: 15, value: 0, act: none });
      button(gait, "walk", () => send({ do: "walk", forward: this.sliders.forward.value(), sideways: 0, turn_deg: this.sliders.turn_deg.value() }));
      button(gait, "stand", () => send({ do: "stand" }));
      button(gait, "squat", () => send({ do: "squat", lower: 0.08 }), "8 cm lower");
    }
    this.stiffness = slider(rowOf("pull"), { name: "k", label: "stiffness of the pull", unit: "N/m", low: 50, high: 5000, value: 1000, log: true, act: none, title: "drag any link; the force is limited to 150 N" });
    if (header.changes) {
      const ground = rowOf("plate");
      const height = slider(ground, { name: "", label: "height of a plate", unit: "mm", low: 1, high: 40, value: 5, act: none });
      button(ground, "put ahead", () => send({ do: "plate", height: height.value() / 1e3 }), "a square plate in front of the feet");
      const sole = rowOf("soles");
      if (header.pads) {
        this.sliders.young = slider(sole, { name: "E", label: "Young's modulus of the soles", unit: "MPa", low: 0.1, high: 100, value: header.young / 1e6, log: true, act: (v) => send({ do: "set", young: v * 1e6 }) });
        this.sliders.poisson = slider(sole, { name: "\u03bd", label: "Poisson's ratio of the soles", unit: "", low: header.nu[0], high: header.nu[1], value: header.poisson, act: (v) => send({ do: "set", poisson: v }) });
      }
      this.sliders.friction = slider(sole, { name: "\u03bc", label: "friction coefficient of the soles", unit: "", low: 0, high: 1.2, value: header.friction, act: (v) => send({ do: "set", friction: v }) });
      const control = rowOf("controller"), choice = (this.choice = make("select", "", control));
      choice.setAttribute("aria-label", "controller");
      choice.autocomplete = "off";
      for (const name of ["stabiliser", "force", "pd"]) choice.add(new Option(name, name, false, name === header.controller));
      choice.onchange = () => send({ do: "set", controller: choice.value });
    }
  }

  panelsOfPlots() {
    const { feet } = this.runs[0].side;
    const foot = feet.map((name, n) => ({ color: ["#3a6ea5", "#c0483c"][n % 2], label: `${name} foot` }));
    return [
      ["tilt", "tilt of the waist [deg]", [{ color: "#3a6ea5", label: "" }]],
      ["force", "vertical force [N]", [...foot, { color: HOLD, label: "pull", dash: [4, 3] }]],
    ];
  }

  /** Where the robot faces [deg]. */
  heading() {
    const [x, y, z, w] = this.runs[0].columns.q.values.subarray(3, 7);
    return (Math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z)) * 180) / Math.PI;
  }

  // ---- pulls

  /** The link under the pointer: {joint, point in its axes, place}. */
  grabbed(ray) {
    const run = this.runs[0];
    const things = run.solids.map(({ mesh, joint }) => ({ mesh, joint }));
    run.soles.forEach(({ mesh }, b) => things.push({ mesh, joint: run.tree.frames[b] }));
    for (const { mesh } of things) mesh.updateMatrixWorld(true);
    const hits = ray.intersectObjects(things.map(({ mesh }) => mesh));
    if (!hits.length) return null;
    const { joint } = things.find(({ mesh }) => mesh === hits[0].object);
    const point = hits[0].point.clone().applyMatrix4(new THREE.Matrix4().copy(run.tree.joints[joint]).invert());
    return { joint, point, place: hits[0].point };
  }

  grab({ joint, point, place }) {
    this.byKeys = undefined;
    this.send({ do: "grab", joint, point: point.toArray(), target: place.toArray(), stiffness: this.stiffness.value() });
  }

  moveTo(place) {
    this.send({ do: "move", target: place.toArray() });
  }

  letGo() {
    this.send({ do: "let go" });
  }

  /** Hold the waist where it is, or let go. */
  pullByKeys() {
    if (this.ended) return;
    if (this.byKeys) {
      this.byKeys = undefined;
      this.letGo();
      return;
    }
    const place = this.runs[0].anchor.clone();
    this.grab({ joint: 0, point: new THREE.Vector3(), place });
    this.byKeys = place;
    this.touched = true;
  }

  /** Move the target of a pull by keys, in steps to the right of the view, away from the viewer, and up. */
  moveByKey(right, away, up) {
    if (!this.byKeys || this.ended) return;
    const ahead = this.camera.getWorldDirection(new THREE.Vector3()).setZ(0).normalize();
    const side = new THREE.Vector3(ahead.y, -ahead.x, 0);
    const way = side.multiplyScalar(right).addScaledVector(ahead, away).add(new THREE.Vector3(0, 0, up));
    this.moveTo(this.byKeys.addScaledVector(way, BY_KEY));
  }

  // ---- what is shown

  showOwn() {
    this.showGrip();
    if (byId("follow").checked) this.follow();
  }

  follow() {
    const anchor = this.runs[0].anchor;
    const moved = anchor.clone().sub(this.seen ?? anchor);
    moved.z = 0;
    this.camera.position.add(moved);
    this.controls.target.add(moved);
    this.seen = anchor.clone();
  }

  showGrip() {
    const shown = this.state.pulling > 0;
    const [x, target, force] = [0, 3, 6].map((n) => new THREE.Vector3(...this.grip.subarray(n, n + 3)));
    this.handle.visible = shown;
    this.hold.visible = false;
    this.rope.material.resolution.copy(this.runs[0].polygon.material.resolution);
    this.rope.through(shown ? [x.toArray(), target.toArray()] : []);
    if (!shown) return;
    this.handle.position.copy(target);
    this.hold.set(x, force.clone().multiplyScalar(0.004)); // 150 N: 0.6 m
  }

  sayState() {
    super.sayState();
    const force = Math.hypot(...this.grip.subarray(6));
    byId("pulling").textContent = this.state.pulling ? `pull ${round(force, 0)} N${force > 149.5 ? " (its limit)" : ""}` : "";
  }

  startAnew() {
    super.startAnew();
    this.byKeys = undefined;
    for (const plate of this.plates ?? []) this.runs[0].scene.remove(plate);
    this.plates = [];
  }

  /** What was changed, perhaps on another page, and plates on the ground: {x, y, side, height, z}. */
  heard({ plate, set }) {
    for (const [name, value] of Object.entries(set ?? {})) {
      if (name === "controller" && this.choice) this.choice.value = value;
      else this.sliders[name]?.set(name === "young" ? value / 1e6 : value);
    }
    if (!plate) return;
    const paint = new THREE.MeshLambertMaterial({ color: "#c8b48a" });
    const mesh = new THREE.Mesh(new THREE.BoxGeometry(plate.side, plate.side, plate.height), paint);
    mesh.position.set(plate.x, plate.y, plate.z + plate.height / 2);
    mesh.receiveShadow = true;
    this.runs[0].scene.add(mesh);
    (this.plates ??= []).push(mesh);
  }
}

const SHOWN = LiveWalk; // what begin.js makes
