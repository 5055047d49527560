"use strict";
// The legend: the colour scale of pressures, and boxes that show or hide layers.

const CALM = 1500; // ms that a fitted scale is at least twice as long as needed before it shrinks

class PressureScale {
  /** scale: the header's; its end `most` changes when it is fitted to what is shown. */
  constructor(parent, scale) {
    this.scale = scale;
    this.bar = make("span", "scale", parent);
    make("b", "", this.bar, scale.label);
    const numbers = make("span", "strip", this.bar);
    const strip = make("canvas", "", numbers);
    strip.width = scale.colors.length;
    strip.height = 1;
    const pen = strip.getContext("2d");
    scale.colors.forEach((color, n) => {
      pen.fillStyle = color;
      pen.fillRect(n, 0, 1, 1);
    });
    this.ticks = [0, 1, 2, 3, 4].map((n) => make("i", `tick t${n}`, numbers));
    this.beyond = make("span", "", this.bar);
    this.beyond.style.color = scale.above;
    this.show(scale.most, scale.beyond);
  }

  /** End the scale at `most`; `beyond` says what lies above. */
  show(most, beyond) {
    this.scale.most = most;
    this.ticks.forEach((tick, n) => (tick.textContent = shortly((n / 4) * most)));
    this.beyond.textContent = beyond;
  }

  /** Add a box: checked, the scale fits what is shown; else it keeps its end. */
  offerFit() {
    const label = make("label", "key", this.bar);
    label.title = "The scale ends near the 98th percentile of the nodes that carry load now. Larger pressures are magenta.";
    this.box = make("input", "", label);
    Object.assign(this.box, { type: "checkbox", checked: true, autocomplete: "off" });
    label.append("fits what is shown");
  }

  /** Fit the scale to the pressures of a run; return whether it has changed. It grows at once. */
  fit(run, now) {
    if (!this.box.checked) return false;
    const end = this.endFor(run.soles.flatMap(({ pressure }) => Array.from(pressure)));
    const { most } = this.scale;
    if (end === null || (end > 0.5 * most && end <= most)) this.long = undefined;
    else if (end < most) this.long ??= now;
    if (end === null || end === most || (end < most && !(now - this.long > CALM))) return false;
    this.long = undefined;
    this.show(end, `magenta: above ${shortly(end)}`);
    return true;
  }

  /** End of a scale for pressures [Pa], by the rule of recorded runs (robot/pictures/nodal.py); null without load. */
  endFor(pressures) {
    const loaded = pressures.filter((p) => p > 0).sort((a, b) => a - b);
    if (!loaded.length) return null;
    const { quantile, close, round: steps } = this.scale.fit;
    const largest = loaded[loaded.length - 1], usual = loaded[Math.floor(quantile * (loaded.length - 1))];
    const end = this.scale.factor * (largest <= close * usual ? largest : usual), power = 10 ** Math.floor(Math.log10(end));
    return Number((power * steps.find((step) => step >= (end / power) * (1 - 1e-9))).toPrecision(6));
  }
}

/** Boxes for the layers [[layer, name, colour, ...]]; `choose(layer, shown)` is called at once and on each change. */
function layerBoxes(parent, layers, choose) {
  for (const [layer, ...keys] of layers) {
    const label = make("label", "key", parent);
    const box = make("input", "", label);
    Object.assign(box, { type: "checkbox", id: `layer-${layer}`, checked: layer !== "nodal", autocomplete: "off" });
    for (let n = 0; n < keys.length; n += 2) {
      make("span", "swatch", label).style.background = keys[n + 1];
      label.append(keys[n]);
    }
    box.onchange = () => choose(layer, box.checked);
    choose(layer, box.checked);
  }
}
