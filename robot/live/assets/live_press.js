"use strict";
// The controls of a press: gizmo and sliders of six freedoms, force control, sole, ground, numbers.

const STATES = ["#ffffff", "#3a6ea5", "#e08a1e"]; // open, sticks, slips
const LABELS = {
  x: "shift along x", y: "shift along y", z: "height above first touch",
  roll_deg: "turn about x", pitch_deg: "turn about y", yaw_deg: "turn about z",
}; // of the freedoms, for screen readers
const SEND_EVERY = 15; // ms between places of the pointer
const DISTANCE = 2.4; // of the camera, in lengths of the foot

class LivePress extends LiveScene {
  constructor(data) {
    super(data);
    for (const name of ["robot", "points"]) byId(`layer-${name}`).parentElement.hidden = true;
    this.choose("points", false);
    const run = this.runs[0], box = run.maps[0].box.getSize(new THREE.Vector3());
    this.long = box.x;
    this.gizmo = new Gizmo(0.55 * box.x);
    run.scene.add(this.gizmo);
    this.controls.minDistance = 0.2 * box.x;
    this.aim("oblique");
  }

  /** Look at the foot and its handles from a named side. */
  aim(name) {
    const run = this.runs[0];
    if (run.frame === undefined) run.show(0);
    if (!this.gizmo) return; // still being made
    const target = new THREE.Vector3().setFromMatrixPosition(run.tree.bodies[0]);
    target.z += 0.12 * this.long;
    placeCamera(this, name, target, DISTANCE * this.long);
    this.wantDrawing();
  }

  words() {
    return {
      restart: ["lift", "restart: the first sole above the first ground, without history"],
      drag: [["an arrow", "shift the foot"], ["a ring", "turn it"]],
      keys: [],
    };
  }

  addControls() {
    const { header } = this, send = (message) => this.send(message);
    const beside = make("div", "", this.panels[0].panel);
    beside.id = "beside";
    this.panels[0].panel.prepend(beside);
    make("h1", "", beside, this.runs[0].side.title);
    this.table = make("table", "", beside);
    button(byId("clock"), "at rest", () => send({ do: "rest" }), "press to rest from first touch; what is saved");
    const freedoms = rowOf("foot");
    this.freedoms = {};
    for (const { name, most } of header.freedoms) {
      const angle = name.endsWith("_deg"), scale = angle ? 1 : 1e3;
      const low = name === "z" ? -1e3 * header.deepest : -scale * most, high = name === "z" ? 10 : scale * most;
      const made = slider(freedoms, { name: name.replace("_deg", ""), label: LABELS[name], unit: angle ? "°" : "mm", low, high, value: name === "z" ? 5 : 0, fixed: 2, act: () => send({ do: "rest" }) });
      const say = made.box.oninput;
      made.box.oninput = () => {
        say();
        send({ do: "move", [name]: made.value() / scale });
      };
      this.freedoms[name] = { ...made, scale };
    }
    const force = rowOf("force control");
    const act = () => send({ do: "force", force: size.value(), cop_x: x.value() / 1e3, cop_y: y.value() / 1e3 });
    const size = slider(force, { name: "", label: "normal force", unit: "N", low: 1, high: 3000, value: 600, log: true, act });
    const x = slider(force, { name: "CoP x", label: "centre of pressure x", unit: "mm", low: -100, high: 100, value: 0, act });
    const y = slider(force, { name: "y", label: "centre of pressure y", unit: "mm", low: -50, high: 50, value: 0, act });
    button(force, "press", () => {
      act();
      send({ do: "rest" });
    }, "the foot sinks, rolls and pitches until the force is this one");
    this.load = { force: size, cop_x: x, cop_y: y };
    const sole = rowOf("sole");
    const elastic =
      "young" in header
        ? { young: slider(sole, { name: "E", label: "Young's modulus of the sole", unit: "MPa", low: 0.05, high: 100, value: header.young / 1e6, log: true, act: (v) => send({ do: "set", young: v * 1e6 }) }) }
        : { stiffness_factor: slider(sole, { name: "stiffness factor", label: "stiffness factor of the sole", unit: "", low: 0.01, high: 100, value: header.stiffness_factor, log: true, title: "on the E of every layer; 1: as condensed", act: (v) => send({ do: "set", stiffness_factor: v }) }) };
    this.sliders = {
      ...elastic,
      friction: slider(sole, { name: "\u03bc", label: "friction coefficient", unit: "", low: 0, high: 1.2, value: header.friction, act: (v) => send({ do: "set", friction: v }) }),
    };
    this.choice = make("select", "", rowOf("ground"));
    this.choice.setAttribute("aria-label", "ground");
    for (const name of header.grounds) this.choice.add(new Option(name, name));
    this.choice.onchange = () => send({ do: "set", ground: this.choice.value });
    const shown = make("select", "", rowOf("map"));
    shown.setAttribute("aria-label", "map");
    this.choice.autocomplete = shown.autocomplete = "off";
    for (const name of ["pressure", "open, sticks, slips"]) shown.add(new Option(name, name));
    shown.onchange = () => (this.byState = shown.selectedIndex === 1);
  }

  panelsOfPlots() {
    return [
      ["tilt", "depth below first touch [mm]", [{ color: "#3a6ea5", label: "" }]],
      ["force", "force [N]", [{ color: "#3a6ea5", label: "normal" }, { color: "#c0483c", label: "shear" }]],
    ];
  }

  take(numbers) {
    const { more, nodes } = this.header;
    const own = numbers.subarray(numbers.length - more - nodes);
    this.motion = own.subarray(0, 6);
    this.wrench = own.subarray(6, 12);
    this.friction = own[12];
    this.status = own.subarray(more);
    super.take(numbers);
  }

  showOwn(run) {
    run.zmp.visible = false;
    if (this.byState) this.paintStates();
    this.gizmo.position.setFromMatrixPosition(run.tree.bodies[0]);
  }

  paintStates() {
    const sole = this.runs[0].soles[0], color = new THREE.Color();
    this.status.forEach((state, n) => {
      color.set(STATES[state]);
      sole.color.set([color.r, color.g, color.b], 3 * n);
    });
    sole.surface.attributes.color.needsUpdate = true;
  }

  /** The numbers of now, and of `press` for the same pose or force until something moves. */
  say({ maps }) {
    const w = this.wrench, { factor, unit } = this.header.scale, { pressures, cops } = this.runs[0].numbers();
    const now = {
      wrench: w,
      friction: this.friction,
      cop: cops[0],
      pressure: pressures[0],
      deformed: this.runs[0].deformation(0),
      nodes: [0, 1, 2].map((k) => this.status.reduce((sum, s) => sum + (s === k), 0)),
      motion: this.motion,
    };
    const both = this.rest ? [now, this.rest] : [now];
    const rows = [["", "now", ...(this.rest ? ["at rest"] : [])]];
    const row = (name, value) => rows.push([name, ...both.map(value)]);
    const triple = (values, scale, digits) => Array.from(values, (v) => round(scale * v, digits)).join(", ");
    const shear = (s) => Math.hypot(s.wrench[0], s.wrench[1]);
    row("normal force [N]", (s) => round(s.wrench[2], 1));
    row("shear [N]", (s) => round(shear(s), 1));
    row("friction used [%]", (s) => (s.wrench[2] > 0 && s.friction > 0 ? round((100 * shear(s)) / (s.friction * s.wrench[2]), 0) : "–"));
    row("CoP x, y [mm]", (s) => (Number.isFinite(s.cop[0]) ? triple(s.cop, 1e3, 1) : "–"));
    row(`largest at a node [${unit}], depends on the mesh`, (s) => shortly(Number((factor * s.pressure).toPrecision(3))));
    row("deformed [mm]", (s) => round(1e3 * s.deformed, 2));
    row("   of the thickness [%]", (s) => round((100 * s.deformed) / this.header.thickness, 1));
    row("nodes open, stick, slip", (s) => s.nodes.join(", "));
    row("foot x, y, z [mm]", (s) => triple(s.motion.slice(0, 3), 1e3, 2));
    row("turned about them [°]", (s) => triple(s.motion.slice(3), 180 / Math.PI, 2));
    this.table.replaceChildren();
    rows.forEach((cells, n) => {
      const line = make("tr", "", this.table);
      for (const cell of cells) make(n ? "td" : "th", "", line, cell);
    });
    const most = this.header.linear * this.header.thickness;
    for (const [name, { deformed }] of both.map((s, n) => [["now", "at rest"][n], s])) {
      if (deformed <= most) continue;
      const line = make("tr", "warned", this.table);
      make("td", "", line, `${name} beyond linear elasticity (${100 * this.header.linear} %)`).colSpan = 3;
    }
    maps[0].said.textContent = this.byState ? "white: open, blue: sticks, orange: slips" : "";
  }

  sayState() {
    super.sayState();
    byId("pulling").textContent = this.state.pulling ? "force control" : "";
    const shown = this.drag || Object.values(this.freedoms).some(({ busy }) => busy());
    if (shown) return;
    this.header.freedoms.forEach(({ name }, n) => this.freedoms[name].set(name.endsWith("_deg") ? (this.motion[n] * 180) / Math.PI : 1e3 * this.motion[n]));
  }

  startAnew() {
    super.startAnew();
    this.rest = undefined;
  }

  // ---- the gizmo

  grabbed(ray) {
    const handle = this.gizmo.under(ray);
    if (!handle) return null;
    const from = this.gizmo.place(handle, ray);
    return from === null ? null : { handle, from, place: this.gizmo.position.clone() };
  }

  grab({ handle, from }) {
    const n = this.header.freedoms.findIndex(({ name }) => name === handle.name);
    this.held = { handle, from, start: this.motion[n] };
  }

  moveTo(_, ray) {
    const at = this.gizmo.place(this.held.handle, ray), now = performance.now();
    if (at === null || now < (this.sent ?? 0) + SEND_EVERY) return;
    this.sent = now;
    const { handle, from, start } = this.held;
    let value = start + at - from;
    if (handle.turns) value = ((start + Math.atan2(Math.sin(at - from), Math.cos(at - from))) * 180) / Math.PI;
    const most = this.header.freedoms.find(({ name }) => name === handle.name).most;
    this.socket.send({ do: "move", [handle.name]: Math.min(Math.max(value, -most), most) });
  }

  letGo() {
    this.socket.send({ do: "rest" });
  }

  heard({ set, ground, rest }) {
    for (const [name, value] of Object.entries(set ?? {})) {
      if (name === "ground") this.choice.value = value;
      else if (name in this.load) this.load[name].set(name === "force" ? value : 1e3 * value);
      else this.sliders[name]?.set(name === "young" ? value / 1e6 : value);
    }
    if (rest !== undefined) {
      this.rest = rest;
      if (this.state) this.say(this.panels[0]);
    }
    if (ground) this.replaceGround(ground);
  }

  replaceGround({ x, y, height }) {
    const run = this.runs[0], low = Math.min(...height.flat());
    const at = (i, j) => height[i][j];
    const tile = [];
    for (let j = 0; j + 1 < y.length; j++) {
      for (let i = 0; i + 1 < x.length; i++) {
        const own = (Math.floor(x[i] / 0.1 + 1e-6) + Math.floor(y[j] / 0.1 + 1e-6)) & 1;
        tile.push(own + (at(i, j) > low + 5e-4 ? 3 : 0));
      }
    }
    const made = groundMesh({ values: x }, { values: y }, { values: y.flatMap((_, j) => x.map((__, i) => at(i, j))) }, { values: tile }, run.style.tiles);
    run.scene.remove(run.ground);
    run.ground = made;
    run.scene.add(made);
  }
}

const SHOWN = LivePress; // what begin.js makes
