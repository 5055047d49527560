"use strict";
// A scene that runs on the server: its frames, what the pointer grabs, and what it is told.

const HOLD = "#7a3fb0"; // of a pull, as pushes
const PLOT_EVERY = 0.1; // s between drawings of the plots
const LINES = 5; // of what was said
const HEARD = 12000; // ms that a line stays
const LATE = 0.95; // times real time: slower is slow motion

class LiveScene extends Player {
  constructor(data) {
    super(data);
    const run = this.runs[0];
    run.nodalScale = LONGEST / (0.05 * run.side.weight);
    this.rope = new ThickLine(HOLD, 3);
    this.hold = new Arrow(HOLD, 0.012);
    this.handle = ball(0.018, HOLD);
    this.handle.visible = false;
    run.scene.add(this.rope, this.hold, this.handle);
    this.plotted = -1;
    this.session = 0;
    this.makePointer();
    this.socket = new Socket({
      frame: (numbers) => this.take(numbers),
      told: (message) => this.told(message),
      gone: () => this.say_("the server has ended: this page shows the last state", true),
    });
  }

  // ---- frames

  /** Copy a frame (robot/live/scene_frames.py) into the columns of the run and show it. */
  take(numbers) {
    const run = this.runs[0], { columns } = run;
    let at = 0;
    const next = (count) => numbers.subarray(at, (at += count));
    const state = next(this.header.numbers.length);
    this.state = Object.fromEntries(this.header.numbers.map((name, n) => [name, state[n]]));
    this.grip = next(9);
    for (const name of ["tilt", "zmp", "force", "cop", "body_force", "q", "node_displacement", "node_force"]) {
      const { values } = columns[name];
      values.set(next(values.length));
    }
    columns.waist.values.set(columns.q.values.subarray(0, 3));
    columns.time.values[0] = this.state.time;
    if (this.state.session !== this.session) this.startAnew();
    this.time = this.range[1] = this.state.time;
    this.frames = (this.frames ?? 0) + 1;
    this.showNow();
  }

  startAnew() {
    this.session = this.state.session;
    for (const plot of this.plots) plot.clear();
    this.plotted = -1;
    for (const plate of this.plates ?? []) this.runs[0].scene.remove(plate);
    this.plates = [];
  }

  showNow() {
    const run = this.runs[0], { columns } = run;
    run.show(0);
    this.showGrip();
    this.say(this.panels[0]);
    if (byId("follow").checked) this.follow();
    if (this.state.time >= this.plotted + PLOT_EVERY || this.state.time < this.plotted) {
      this.plotted = this.state.time;
      const forces = run.side.feet.map((_, foot) => run.force(foot, 0).z);
      this.plots[0].add(this.state.time, [(columns.tilt.values[0] * 180) / Math.PI]);
      this.plots[1].add(this.state.time, [...forces, ...this.pulled()]);
      for (const plot of this.plots) plot.resize();
    }
    this.sayState();
    this.draw();
  }

  pulled() {
    return [Math.hypot(...this.grip.subarray(6))];
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

  // ---- the pointer: grabs links and objects, else turns the camera

  makePointer() {
    const canvas = byId("sides"), ray = new THREE.Raycaster();
    const aim = (event) => {
      const box = this.panels[0].view.getBoundingClientRect();
      const x = (2 * (event.clientX - box.left)) / box.width - 1, y = 1 - (2 * (event.clientY - box.top)) / box.height;
      this.camera.aspect = box.width / box.height;
      this.camera.updateProjectionMatrix();
      ray.setFromCamera({ x, y }, this.camera);
      return ray;
    };
    canvas.addEventListener("pointerdown", (event) => {
      if (event.button !== 0 || event.shiftKey) return;
      const found = this.grabbed(aim(event));
      if (!found) return;
      event.stopImmediatePropagation();
      canvas.setPointerCapture(event.pointerId);
      this.drag = { normal: this.camera.getWorldDirection(new THREE.Vector3()), depth: found.place };
      this.grab(found);
    }, true);
    canvas.addEventListener("pointermove", (event) => {
      if (!this.drag) return;
      event.stopImmediatePropagation();
      const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(this.drag.normal, this.drag.depth);
      aim(event);
      const place = ray.ray.intersectPlane(plane, new THREE.Vector3());
      if (place) this.moveTo(place, ray);
    }, true);
    for (const name of ["pointerup", "pointercancel"]) {
      canvas.addEventListener(name, (event) => {
        if (!this.drag) return;
        event.stopImmediatePropagation();
        this.drag = undefined;
        this.letGo();
      }, true);
    }
  }

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

  // ---- words

  told(message) {
    if (message.say !== undefined) this.say_(message.say);
    if (message.pages !== undefined) byId("pages").textContent = message.pages > 1 ? `${message.pages} pages are open: all move the same scene` : "";
    this.heard?.(message);
  }

  say_(text, lasting = false) {
    const log = byId("said"), line = make("p", lasting ? "lasting" : "", log, text);
    const tidy = () => (log.hidden = !log.children.length);
    while (log.children.length > LINES) log.firstChild.remove();
    tidy();
    if (lasting) return;
    setTimeout(() => {
      line.remove();
      tidy();
    }, HEARD);
  }

  // ---- instead of the player's clock

  makeRenderer() {
    super.makeRenderer();
    const gl = this.renderer.getContext(), known = gl.getExtension("WEBGL_debug_renderer_info");
    const name = known ? gl.getParameter(known.UNMASKED_RENDERER_WEBGL) : "";
    // without a graphics card shadows cost a third of a frame, which the simulator needs
    if (/swiftshader|llvmpipe|softpipe|software/i.test(name)) this.renderer.shadowMap.enabled = false;
  }

  makePlots() {
    this.plots = this.panelsOfPlots().map(([id, label, lines]) => new RollingPlot(byId(id), { label, lines }));
  }

  panelsOfPlots() {
    const { feet } = this.runs[0].side;
    const foot = feet.map((name, n) => ({ color: ["#3a6ea5", "#c0483c"][n % 2], label: `${name} foot` }));
    return [
      ["tilt", "tilt of the waist [deg]", [{ color: "#3a6ea5", label: "" }]],
      ["force", "force [N]", [...foot, { color: HOLD, label: "pull", dash: [4, 3] }]],
    ];
  }

  makeControls() {
    const log = make("div", "", this.panels[0].view);
    Object.assign(log, { id: "said", hidden: true });
    byId("follow").onchange = () => (this.seen = undefined);
    for (const name of Object.keys(CAMERAS)) make("button", "", byId("cameras"), name).onclick = () => this.aim(name);
    this.addControls();
  }

  seek() {
    this.wantDrawing();
  }
}

/** A slider with a name and a value that is said; `act(value)` when it is let go. */
function slider(parent, { name, unit, low, high, value, log, digits = 3, fixed, act, title = "" }) {
  const label = make("label", "slide", parent);
  label.title = title;
  make("b", "", label, name);
  const box = make("input", "", label);
  const to = (v) => (log ? Math.log(v / low) / Math.log(high / low) : (v - low) / (high - low));
  const from = (s) => Number((log ? low * (high / low) ** s : low + s * (high - low)).toPrecision(digits));
  Object.assign(box, { type: "range", min: 0, max: 1, step: "any", value: to(value) });
  const said = make("output", "", label);
  const show = () => {
    const v = from(Number(box.value));
    said.textContent = `${fixed === undefined ? shortly(v) : round(v, fixed)} ${unit}`.trim();
  };
  box.oninput = show;
  box.onchange = () => act(from(Number(box.value)));
  show();
  return { value: () => from(Number(box.value)), set: (v) => { box.value = to(v); show(); }, box };
}

function button(parent, text, act, title = "") {
  const made = make("button", "", parent, text);
  made.title = title;
  made.onclick = act;
  return made;
}

function slowMotion(factor) {
  return `slow motion: ${factor.toFixed(2)} \u00d7 real time`;
}
