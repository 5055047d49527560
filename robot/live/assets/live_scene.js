"use strict";
// A scene that runs on the server: its frames, its clock, what the pointer grabs, and what it is told.

const LATE = 0.95; // of the chosen speed: slower is slow motion
const WARNED = 2000; // ms that a warning stays after its cause
const POINTER = [
  ["left button next to it, or with Shift", "turn the camera"],
  ["right button", "shift the camera"],
  ["wheel", "nearer, farther"],
]; // in the help, after what one drags

class LiveScene extends Player {
  constructor(data) {
    super(data);
    const run = this.runs[0];
    run.nodalScale = LONGEST / (0.05 * run.side.weight);
    this.makePointer();
    this.connect();
  }

  connect() {
    this.socket = new Socket({
      opened: () => {
        this.gone = false;
        this.startAnew();
        this.sayAble();
      },
      frame: (numbers) => this.take(numbers),
      told: (message) => this.told(message),
      gone: () => {
        this.again = this.gone; // whether a new connection failed, too
        this.gone = true;
        this.sayAble();
      },
    });
  }

  send(message) {
    return this.socket.send(message);
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
    this.time = this.range[1] = this.state.time;
    this.frames = (this.frames ?? 0) + 1;
    this.showNow();
  }

  /** Forget the last run: its plots and what was told of it. */
  startAnew() {
    for (const plot of this.plots) plot.clear();
    this.reason = undefined;
  }

  showNow() {
    const run = this.runs[0];
    run.show(0);
    if (this.scale.fit(run, performance.now())) run.show(0);
    this.showOwn(run);
    this.say(this.panels[0]);
    this.sayState();
    this.sayAble();
    this.draw();
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
      if (event.button !== 0 || event.shiftKey || this.ended) return;
      const found = this.grabbed(aim(event));
      if (!found) return;
      event.stopImmediatePropagation();
      canvas.setPointerCapture(event.pointerId);
      this.drag = { normal: this.camera.getWorldDirection(new THREE.Vector3()), depth: found.place };
      this.touched = true;
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

  // ---- words

  told(message) {
    const { say, pages, session, over, dead, curve, past } = message;
    if (say !== undefined) this.news.say(say);
    if (pages !== undefined) byId("pages").textContent = pages > 1 ? `${pages} pages are open: all move the same scene` : "";
    if (session !== undefined) this.startAnew();
    if (over !== undefined) this.reason = over;
    if (dead !== undefined) this.dead = true;
    if (curve || past) this.addCurves(past ?? [curve]);
    this.heard(message);
    if (over !== undefined || dead !== undefined) this.sayAble();
  }

  /** Add points [time, a value for each line of all plots]. */
  addCurves(rows) {
    for (const [time, ...values] of rows) {
      for (const plot of this.plots) plot.add(time, values.splice(0, plot.lines.length));
    }
    for (const plot of this.plots) plot.resize();
  }

  /** Show the time and the speed. */
  sayState() {
    const { time, factor, paused, over, speed } = this.state, late = !over && !paused && factor < LATE * speed;
    byId("time").textContent = `t = ${time.toFixed(2)} s`;
    const chosen = speed === 1 ? "real time" : `${shortly(speed)} \u00d7 real time`;
    const slow = `slow motion: ${factor.toFixed(2)} \u00d7 real time`;
    byId("pace").textContent = over ? "ended" : paused ? "paused" : late ? slow : chosen;
    byId("pace").className = late ? "slow" : "";
    this.pause.textContent = paused ? "continue" : "pause";
    if (speed !== this.speed) byId("speed").value = shortly((this.speed = speed));
  }

  /** Disable what cannot work now, and say what the state is. */
  sayAble() {
    const lost = this.gone || this.dead, over = !!this.state?.over;
    this.ended = lost || over;
    for (const part of [byId("controls"), this.pause, this.step_, byId("speed")]) part.disabled = this.ended;
    this.restart.disabled = lost;
    const beyond = this.beyond();
    if (this.gone) {
      const why = this.again ? "No server answers: start the command again and open the address that it prints." : "The connection to the server is lost: this page shows the last state.";
      this.news.last(why, "bad", ["reconnect", () => this.connect()]);
    } else if (this.dead) this.news.last("The simulator has ended: stop the command with Ctrl-C, start it again and open the address that it prints.", "bad");
    else if (over) this.news.last(`Ended: ${this.reason ?? ""}.`, "bad", [this.restart.textContent, this.restart.onclick]);
    else if (beyond) this.news.last(beyond, "warn");
    else this.news.last(this.touched ? "" : this.hint, "hint");
  }

  /** What to say while a sole is deformed beyond linear elasticity, and shortly after; "" if none is. */
  beyond() {
    const run = this.runs[0], now = performance.now(), { linear } = run.side;
    if (run.frame === undefined) return "";
    const thick = run.soles.filter(({ tread }) => tread.thickness > 0);
    const share = Math.max(0, ...thick.map((sole) => run.moved(sole) / sole.tread.thickness));
    if (share > linear) this.warned = { share: Math.max(share, this.warned?.share ?? 0), until: now + WARNED };
    if (this.warned && now > this.warned.until) this.warned = undefined;
    return this.warned ? `Beyond the linear range: a sole deforms by up to ${round(this.warned.share, 2)} of its thickness (limit ${linear}). Do not trust the pressures.` : "";
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

  makeControls() {
    this.scale.offerFit();
    this.news = new News();
    const clock = byId("clock"), speeds = byId("speed"), { restart } = this.words();
    this.pause = button(clock, "pause", () => this.send({ do: "pause" }), "pause or continue (Space)");
    this.step_ = button(clock, "one step", () => this.send({ do: "step" }), "pause and make one step (N)");
    this.restart = button(clock, restart[0], () => this.send({ do: "restart" }), restart[1]);
    for (const speed of SPEEDS) speeds.add(new Option(`${speed} \u00d7`, speed, speed === 1, speed === 1));
    speeds.onchange = () => this.send({ do: "speed", speed: Number(speeds.value) });
    byId("follow").onchange = () => (this.seen = undefined);
    for (const name of Object.keys(CAMERAS)) button(byId("cameras"), name, () => this.aim(name));
    this.addControls();
    const { drag, keys } = this.words();
    this.hint = `Drag ${drag.map(([what, does]) => `${what} to ${does}`).join(", ")}. H shows what else mouse and keys do.`;
    helpAndPicture(this, [["The mouse", [...drag.map(([what, does]) => [`drag ${what}`, does]), ...POINTER]]], [
      ["Space", "pause or continue", { " ": () => this.pause.click() }],
      ["N", "pause and make one step", { n: () => this.step_.click() }],
      [",  .", "slower, faster", { ",": () => this.changeSpeed(-1), ".": () => this.changeSpeed(1) }],
      ...keys,
    ]);
  }

  changeSpeed(by) {
    if (!this.ended) super.changeSpeed(by);
  }

  seek() {
    this.wantDrawing();
  }
}
