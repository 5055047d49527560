"use strict";
// The controls of a walk that runs: pulls, pushes, gait, soles, ground.

const SIDES_OF_PUSH = [["forward", 0], ["back", 180], ["left", 90], ["right", -90]];

class LiveWalk extends LiveScene {
  addControls() {
    this.sliders = {};
    const { header } = this, send = (message) => this.socket.send(message);
    const row = (title) => {
      const made = make("span", "row", byId("controls"));
      if (title) make("b", "", made, title);
      return made;
    };
    const clock = row("");
    this.pause = button(clock, "pause", () => send({ do: "pause" }), "space bar");
    button(clock, "one step", () => send({ do: "step" }), "pause and make one step");
    button(clock, "restart", () => send({ do: "restart" }), "from the beginning");
    const push = row("push");
    const size = slider(push, { name: "", unit: "N s", low: 0.5, high: 40, value: 5, act() {} });
    for (const [name, heading] of SIDES_OF_PUSH) button(push, name, () => send({ do: "push", impulse: size.value(), heading_deg: heading + this.heading() }));
    if (header.steered) {
      const gait = row("gait");
      const speed = slider(gait, { name: "", unit: "m/s", low: 0.02, high: 0.3, value: 0.15, act() {} });
      const turn = slider(gait, { name: "turn", unit: "deg/s", low: -15, high: 15, value: 0, act() {} });
      button(gait, "walk", () => send({ do: "walk", forward: speed.value(), sideways: 0, turn_deg: turn.value() }));
      button(gait, "stand", () => send({ do: "stand" }));
      button(gait, "squat", () => send({ do: "squat", lower: 0.08 }), "8 cm lower");
    }
    const pull = row("pull");
    this.stiffness = slider(pull, { name: "k", unit: "N/m", low: 50, high: 5000, value: 1000, log: true, act() {}, title: "drag any link; the force is limited to 150 N" });
    if (header.changes) {
      const ground = row("plate");
      const height = slider(ground, { name: "", unit: "mm", low: 1, high: 40, value: 5, act() {} });
      button(ground, "put ahead", () => send({ do: "plate", height: height.value() / 1e3 }), "a square plate before the feet");
      const sole = row("soles");
      if (header.pads) {
        this.sliders.young = slider(sole, { name: "E", unit: "MPa", low: 0.1, high: 100, value: header.young / 1e6, log: true, act: (v) => send({ do: "set", young: v * 1e6 }) });
        this.sliders.poisson = slider(sole, { name: "\u03bd", unit: "", low: header.nu[0], high: header.nu[1], value: header.poisson, act: (v) => send({ do: "set", poisson: v }) });
      }
      this.sliders.friction = slider(sole, { name: "\u03bc", unit: "", low: 0, high: 1.2, value: header.friction, act: (v) => send({ do: "set", friction: v }) });
      const control = row("controller"), choice = (this.choice = make("select", "", control));
      for (const name of ["stabiliser", "force", "pd"]) choice.add(new Option(name, name, false, name === header.controller));
      choice.onchange = () => send({ do: "set", controller: choice.value });
    }
    document.addEventListener("keydown", (event) => {
      if (event.key !== " " || ["SELECT", "BUTTON"].includes(event.target.tagName)) return;
      event.preventDefault();
      send({ do: "pause" });
    });
  }

  /** Where the robot faces [deg]. */
  heading() {
    const [x, y, z, w] = this.runs[0].columns.q.values.subarray(3, 7);
    return (Math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z)) * 180) / Math.PI;
  }

  grab({ joint, point, place }) {
    this.socket.send({ do: "grab", joint, point: point.toArray(), target: place.toArray(), stiffness: this.stiffness.value() });
  }

  moveTo(place) {
    this.socket.send({ do: "move", target: place.toArray() });
  }

  letGo() {
    this.socket.send({ do: "let go" });
  }

  sayState() {
    const { time, factor, paused, over, pulling } = this.state;
    byId("time").textContent = `t = ${time.toFixed(2)} s`;
    byId("pace").textContent = over ? "ended" : paused ? "paused" : factor < LATE ? slowMotion(factor) : "real time";
    byId("pace").className = !over && !paused && factor < LATE ? "slow" : "";
    this.pause.textContent = paused ? "go on" : "pause";
    const [force] = this.pulled();
    byId("pulling").textContent = pulling ? `pull ${round(force, 0)} N${force > 149.5 ? " (its limit)" : ""}` : "";
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
