"use strict";
// The page: one clock for all runs, one camera, panels drawn into one canvas, controls and keys.

const SPEEDS = [0.05, 0.1, 0.25, 0.5, 1, 2];
const ASIDE = -0.13; // of the width: how far robots side by side make room for their texts
const PLAYING = [
  ["The mouse", [
    ["left button", "turn the camera"],
    ["right button", "shift the camera"],
    ["wheel", "nearer, farther"],
    ["drag in a plot", "go to that time"],
  ]],
]; // in the help
const byId = (id) => document.getElementById(id);

function make(tag, name, parent, text = "") {
  const made = document.createElement(tag);
  made.className = name;
  made.textContent = text;
  parent.append(made);
  return made;
}

class Player {
  constructor({ header, arrays }) {
    this.header = header;
    this.runs = header.sides.map((side, k) => new RunView(side, below(arrays, `${k}/`), header.scale, header.style));
    this.range = [Math.min(...this.runs.map((r) => r.times[0])), Math.max(...this.runs.map((r) => r.times[r.times.length - 1]))];
    this.time = this.range[0];
    this.speed = 1;
    this.playing = false;
    document.body.classList.toggle("alone", this.runs.length === 1);
    this.makePanels();
    this.makeLegend();
    this.makeRenderer();
    this.makePlots();
    this.makeControls();
    this.aim("oblique");
    new ResizeObserver(() => this.resize()).observe(document.body);
    this.resize();
    this.seek(this.time);
  }

  makePanels() {
    this.panels = this.runs.map((run) => {
      const { side } = run;
      const panel = make("section", "side", byId("sides"));
      const frame = make("div", "view", panel);
      const words = make("div", "words", frame), view = make("div", "scene", frame);
      const title = make("h1", "", words, side.title);
      if (this.runs.length > 1) title.style.color = side.color;
      make("p", "", words, side.subtitle);
      const numbers = make("p", "numbers", words);
      const state = make("p", "state", words);
      const row = make("div", "maps", panel);
      const maps = run.maps.map((map, foot) => {
        const cell = make("div", "map", row);
        const size = map.box.getSize(new THREE.Vector3());
        make("span", "name", cell, `${side.feet[foot]} sole from above${this.runs.length > 1 ? "" : ", toes right"}, ${round(1e3 * size.x, 0)} × ${round(1e3 * size.y, 0)} mm`);
        return { cell, said: make("span", "said", cell) };
      });
      if (!side.snapshots) make("p", "empty", row, "no nodal snapshots in this run (sole walk --forces-every)");
      return { run, panel, view, numbers, state, maps };
    });
  }

  makeLegend() {
    const { scale, style } = this.header, legend = byId("legend");
    this.scale = new PressureScale(legend, scale);
    const layers = [
      ["robot", "robot", "#8a939c"],
      ["forces", `force (${style.force} m = ${style.unit ?? "weight"})`, style.mark],
      ["points", "CoP", style.mark, "ZMP", "#202020"],
      ["polygon", "support polygon", POLYGON],
      ["nodal", "nodal forces", NODAL],
    ];
    layerBoxes(legend, layers, (layer, shown) => this.choose(layer, shown));
    if (this.runs.some((run) => run.side.pushes.length)) {
      const key = make("span", "key", legend);
      make("span", "swatch", key).style.background = style.push;
      key.append("push");
    }
  }

  /** Show or hide a layer of all runs. */
  choose(layer, shown) {
    for (const run of this.runs) run.layers[layer].visible = shown;
    this.wantDrawing();
  }

  makeRenderer() {
    this.renderer = new THREE.WebGLRenderer({ canvas: byId("canvas"), antialias: true });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFSoftShadowMap;
    this.renderer.setScissorTest(true);
    this.camera = new THREE.PerspectiveCamera(32, 1, 0.02, 60);
    this.camera.up.set(0, 0, 1);
    this.controls = new THREE.OrbitControls(this.camera, byId("sides"));
    this.controls.minDistance = NEAREST;
    this.controls.maxDistance = 30;
    this.controls.addEventListener("change", () => this.wantDrawing());
    this.mapCamera = new THREE.OrthographicCamera(-1, 1, 1, -1, 0, 1);
  }

  makePlots() {
    const several = this.runs.length > 1;
    const degrees = (values) => values.map((v) => (v * 180) / Math.PI);
    const spans = this.runs.flatMap(({ side }) => side.pushes.map((p) => ({ from: p.start, to: p.start + p.duration, color: this.header.style.push })));
    const common = { spans, range: this.range, seek: (time) => this.seek(time) };
    const tilt = this.runs.map(({ side, columns }) => ({
      time: columns["plot/time"].values,
      values: degrees(columns["plot/tilt"].values),
      color: several ? side.color : "#3a6ea5",
      label: several ? side.title : "",
    }));
    const forces = this.runs.flatMap(({ side, columns }) =>
      side.feet.map((name, foot) => ({
        time: columns["plot/time"].values,
        values: columns["plot/force"].values.filter((_, n) => n % side.feet.length === foot),
        color: several ? side.color : ["#3a6ea5", "#c0483c"][foot % 2],
        dash: several && foot % 2 ? [5, 4] : [],
        legend: several ? INK : undefined,
        label: several ? (side === this.runs[0].side ? `${name} foot` : "") : `${name} foot`,
      })),
    );
    this.plots = [
      new Plot(byId("tilt"), { label: "tilt of the waist [deg]", lines: tilt, ...common }),
      new Plot(byId("force"), { label: "vertical ground force [N]", lines: forces, ...common }),
    ];
  }

  makeControls() {
    byId("play").onclick = () => this.play(!this.playing);
    byId("back").onclick = () => this.step(-1);
    byId("on").onclick = () => this.step(1);
    const scrub = byId("scrub");
    [scrub.min, scrub.max] = this.range;
    scrub.oninput = () => this.seek(Number(scrub.value));
    const gaps = this.runs.flatMap(({ times }) => Array.from(times.subarray(1), (t, n) => t - times[n]));
    const usual = gaps.sort((a, b) => a - b)[gaps.length >> 1] ?? 0;
    byId("pace").textContent = `frames every ${shortly(Number((1e3 * usual).toPrecision(3)))} ms`;
    for (const speed of SPEEDS) byId("speed").add(new Option(`${speed} ×`, speed, speed === 1, speed === 1));
    byId("speed").onchange = (event) => (this.speed = Number(event.target.value));
    byId("follow").onchange = () => this.seek(this.time);
    for (const name of Object.keys(CAMERAS)) make("button", "", byId("cameras"), name).onclick = () => this.aim(name);
    helpAndPicture(this, PLAYING, [
      ["Space", "play or pause", { " ": () => this.play(!this.playing) }],
      ["left, right arrow", "one frame back or on", { ArrowLeft: () => this.step(-1), ArrowRight: () => this.step(1) }],
      ["Home, End", "the first or the last frame", { Home: () => this.seek(this.range[0]), End: () => this.seek(this.range[1]) }],
      [",  .", "slower, faster", { ",": () => this.changeSpeed(-1), ".": () => this.changeSpeed(1) }],
    ]);
  }

  /** Choose the next (+1) or previous (-1) speed of the menu. */
  changeSpeed(by) {
    const box = byId("speed");
    box.selectedIndex = Math.min(Math.max(box.selectedIndex + by, 0), box.length - 1);
    box.dispatchEvent(new Event("change"));
  }

  /** Look at the first run's robot from a named side; the others are seen the same way. */
  aim(name) {
    const run = this.runs[0], tall = Math.max(...this.runs.map((r) => r.side.tall));
    if (run.frame === undefined) run.show(run.frameAt(this.time));
    const [, distance, height] = CAMERAS[name];
    const target = run.anchor.clone();
    target.z = run.lowest() + height * tall;
    placeCamera(this, name, target, distance * tall);
    this.seen = run.anchor.clone();
    this.wantDrawing();
  }

  play(on) {
    if (on && this.time >= this.range[1]) this.seek(this.range[0]);
    this.playing = on;
    byId("play").textContent = on ? "\u275A\u275A" : "\u25B6";
    this.last = undefined;
    if (on) this.wantDrawing();
  }

  /** Go to the next (+1) or previous (-1) frame of the run that has one nearest. */
  step(by) {
    this.play(false);
    const found = this.runs.map((run) => {
      let i = run.frameAt(this.time);
      if (by > 0) i += run.times[i] <= this.time + 1e-9 ? 1 : 0;
      else if (run.times[i] >= this.time - 1e-9) i -= 1;
      return run.times[Math.min(Math.max(i, 0), run.times.length - 1)];
    });
    this.seek(by > 0 ? Math.min(...found.filter((t) => t > this.time), this.range[1]) : Math.max(...found.filter((t) => t < this.time), this.range[0]));
  }

  /** Show the time [s]: every run its frame at or before it, the last where it has ended. */
  seek(time) {
    this.time = Math.min(Math.max(time, this.range[0]), this.range[1]);
    for (const panel of this.panels) {
      const i = panel.run.frameAt(this.time);
      if (i !== panel.run.frame) panel.run.show(i);
      this.say(panel);
    }
    const anchor = this.runs[0].anchor;
    if (byId("follow").checked) {
      const moved = anchor.clone().sub(this.seen ?? anchor);
      moved.z = 0; // a following camera does not bob
      this.camera.position.add(moved);
      this.controls.target.add(moved);
    }
    this.seen = anchor.clone();
    byId("time").textContent = `t = ${this.time.toFixed(3)} s`;
    byId("scrub").value = this.time;
    this.wantDrawing();
  }

  say({ run, numbers, state, maps }) {
    const now = run.numbers(), { side } = run;
    const forces = side.feet.map((name, foot) => `${name} foot ${round(now.forces[foot], 0)} N`);
    numbers.textContent = [`tilt ${round((now.tilt * 180) / Math.PI, 2)}°`, ...forces].join("   ");
    const told = [];
    if (side.fell_at !== null && this.time >= Math.min(side.fell_at, side.end)) told.push(`fell at ${round(side.fell_at, 2)} s`);
    if (this.time > run.times[run.times.length - 1] + 1e-9) told.push(`ended at ${round(side.end, 2)} s`);
    state.textContent = told.join(", ");
    maps.forEach(({ said }, foot) => {
      const [x, y] = now.cops[foot].map((c) => round(1e3 * c, 1));
      const { factor, unit } = this.header.scale;
      said.textContent = Number.isFinite(now.cops[foot][0])
        ? `CoP (${x}, ${y}) mm, up to ${shortly(Number((factor * now.pressures[foot]).toPrecision(3)))} ${unit}, deformed ${round(1e3 * now.deformations[foot], 2)} mm`
        : "not loaded";
      const share = now.shares[foot], beyond = share > side.linear;
      said.classList.toggle("warned", beyond);
      if (beyond) said.textContent += `, ${round(share, 2)} of the thickness: beyond linear elasticity (limit ${side.linear})`;
    });
  }

  wantDrawing() {
    if (!this.plots) return; // still being made
    this.pending ??= requestAnimationFrame((now) => {
      this.pending = undefined;
      if (this.playing) this.advance(now);
      this.draw();
    });
  }

  advance(now) {
    const passed = this.last === undefined ? 0 : (now - this.last) / 1e3;
    this.last = now;
    this.seek(this.time + this.speed * Math.min(passed, 0.5));
    if (this.time >= this.range[1]) this.play(false);
    else this.wantDrawing();
  }

  resize() {
    const stage = byId("stage");
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio || 1, 2));
    this.renderer.setSize(stage.clientWidth, stage.clientHeight, false);
    for (const plot of this.plots) plot.resize();
    this.wantDrawing();
  }

  draw() {
    const { renderer, camera } = this, first = this.runs[0].anchor;
    renderer.setClearColor("#ffffff");
    renderer.setScissorTest(false);
    renderer.clear();
    renderer.setScissorTest(true);
    for (const { run, view, maps } of this.panels) {
      const shift = run.anchor.clone().sub(first);
      shift.z = 0;
      camera.position.add(shift);
      this.into(view, (width, height) => {
        camera.aspect = width / height;
        if (this.runs.length > 1) camera.setViewOffset(width, height, ASIDE * width, 0, width, height);
        camera.updateProjectionMatrix();
        run.polygon.material.resolution.set(width, height);
        renderer.render(run.scene, camera);
      });
      camera.position.sub(shift);
      camera.updateMatrixWorld();
      maps.forEach(({ cell }, foot) => this.drawMap(run.maps[foot], cell));
    }
    for (const plot of this.plots) plot.cursor(this.time);
    this.drawn = (this.drawn ?? 0) + 1;
  }

  /** Draw a tread, true to scale, between the lines of text of its cell. */
  drawMap({ scene, box }, cell) {
    const middle = box.getCenter(new THREE.Vector3()), size = box.getSize(new THREE.Vector3());
    const eye = this.mapCamera;
    this.into(cell, (width, height) => {
      const scale = Math.max(size.x / (width - 24), size.y / (height - 66)); // m a pixel
      Object.assign(eye, { left: (-width / 2) * scale, right: (width / 2) * scale, bottom: (-height / 2) * scale, top: (height / 2) * scale });
      eye.position.set(middle.x, middle.y - 5 * scale, box.max.z + 1); // two lines below, one above
      eye.far = 3;
      eye.updateProjectionMatrix();
      scene.background ??= new THREE.Color("#ffffff");
      this.renderer.render(scene, eye);
    });
  }

  into(element, render) {
    const box = element.getBoundingClientRect(), stage = byId("stage").getBoundingClientRect();
    if (box.width < 2 || box.height < 2) return;
    const place = [box.left - stage.left, stage.bottom - box.bottom, box.width, box.height];
    this.renderer.setViewport(...place);
    this.renderer.setScissor(...place);
    render(box.width, box.height);
  }
}

function round(value, digits) {
  return (Number(value.toFixed(digits)) + 0).toFixed(digits); // no -0
}
