"use strict";
// A plot over time on a 2D canvas: axes with units, lines, a legend, spans, a cursor that is dragged.

const INK = "#202020", GRID = "#dde2e7", FONT = 12;
const EDGE = { left: 62, right: 14, top: 26, bottom: 36 }; // pixels around the axes

class Plot {
  /**
   * lines: [{time, values, color, dash, label, legend}], values with NaN for gaps, `legend` another color there. spans: [{from, to, color}].
   * label: of the y axis with its unit. range: [from, to] of time [s]. seek(time): on a click or drag.
   */
  constructor(canvas, { label, lines, spans, range, seek }) {
    Object.assign(this, { canvas, label, lines, spans, range });
    this.fit();
    const point = (event) => {
      const box = canvas.getBoundingClientRect();
      const share = (event.clientX - box.left - EDGE.left) / (box.width - EDGE.left - EDGE.right);
      seek(range[0] + Math.min(1, Math.max(0, share)) * (range[1] - range[0]));
    };
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      point(event);
    });
    canvas.addEventListener("pointermove", (event) => event.buttons && point(event));
  }

  /** Choose the axes for the present lines and range. */
  fit() {
    const all = this.lines.flatMap(({ values }) => least(values));
    const [low, high] = [Math.min(0, ...all), Math.max(0, ...all)];
    const top = high > low ? high + 0.06 * (high - low) : low + 1; // the line stays off the edge
    this.ticks = { x: ticksOf(...this.range, 8), y: ticksOf(low, top, 4) };
    [this.low, this.high] = [low, top];
  }

  /** Draw all but the cursor, at the present size, and keep it. */
  resize() {
    const pen = this.paint();
    this.still = pen.getImageData(0, 0, this.canvas.width, this.canvas.height);
  }

  /** Draw all but the cursor, at the present size. */
  paint() {
    const ratio = window.devicePixelRatio || 1;
    this.width = this.canvas.clientWidth;
    this.height = this.canvas.clientHeight;
    this.canvas.width = Math.round(ratio * this.width);
    this.canvas.height = Math.round(ratio * this.height);
    const pen = this.canvas.getContext("2d");
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.fillStyle = "#ffffff";
    pen.fillRect(0, 0, this.width, this.height);
    this.drawAxes(pen);
    pen.save();
    pen.beginPath();
    pen.rect(EDGE.left, EDGE.top, this.width - EDGE.left - EDGE.right, this.height - EDGE.top - EDGE.bottom);
    pen.clip();
    for (const span of this.spans) {
      pen.fillStyle = span.color + "66";
      pen.fillRect(this.x(span.from), 0, Math.max(2, this.x(span.to) - this.x(span.from)), this.height);
    }
    for (const line of this.lines) this.drawLine(pen, line);
    pen.restore();
    this.drawLegend(pen);
    return pen;
  }

  x(time) {
    return EDGE.left + ((time - this.range[0]) / (this.range[1] - this.range[0] || 1)) * (this.width - EDGE.left - EDGE.right);
  }

  y(value) {
    return this.height - EDGE.bottom - ((value - this.low) / (this.high - this.low)) * (this.height - EDGE.top - EDGE.bottom);
  }

  drawAxes(pen) {
    pen.font = `${FONT}px system-ui, sans-serif`;
    pen.lineWidth = 1;
    const right = this.width - EDGE.right, foot = this.height - EDGE.bottom;
    const rule = (x0, y0, x1, y1, color) => {
      pen.strokeStyle = color;
      pen.beginPath();
      pen.moveTo(Math.round(x0) + 0.5, Math.round(y0) + 0.5);
      pen.lineTo(Math.round(x1) + 0.5, Math.round(y1) + 0.5);
      pen.stroke();
    };
    pen.fillStyle = INK;
    pen.textBaseline = "middle";
    pen.textAlign = "right";
    for (const value of this.ticks.y) {
      rule(EDGE.left, this.y(value), right, this.y(value), GRID);
      pen.fillText(shortly(value), EDGE.left - 6, this.y(value));
    }
    pen.textBaseline = "top";
    pen.textAlign = "center";
    for (const time of this.ticks.x) {
      rule(this.x(time), EDGE.top, this.x(time), foot, GRID);
      pen.fillText(shortly(time), this.x(time), foot + 5);
    }
    rule(EDGE.left, EDGE.top, EDGE.left, foot, "#8a939c");
    rule(EDGE.left, this.y(Math.max(this.low, 0)), right, this.y(Math.max(this.low, 0)), "#8a939c");
    pen.fillText("time [s]", (EDGE.left + right) / 2, foot + 20);
    pen.textAlign = "left";
    pen.font = `600 ${FONT}px system-ui, sans-serif`;
    this.labelWidth = pen.measureText(this.label).width;
    pen.fillText(this.label, Math.max(4, Math.min(EDGE.left, this.width - 4 - this.labelWidth)), 7);
    pen.font = `${FONT}px system-ui, sans-serif`;
  }

  drawLine(pen, { time, values, color, dash }) {
    pen.strokeStyle = color;
    pen.lineWidth = 1.4;
    pen.setLineDash(dash ?? []);
    pen.beginPath();
    let drawing = false;
    for (let n = 0; n < time.length; n++) {
      if (Number.isFinite(values[n])) {
        if (drawing) pen.lineTo(this.x(time[n]), this.y(values[n]));
        else pen.moveTo(this.x(time[n]), this.y(values[n]));
      }
      drawing = Number.isFinite(values[n]);
    }
    pen.stroke();
    pen.setLineDash([]);
  }

  /** The legend beside the title, from the right; entries that do not fit are left out. */
  drawLegend(pen) {
    pen.textBaseline = "middle";
    pen.textAlign = "left";
    const entries = this.lines.filter(({ label }) => label);
    const room = this.width - EDGE.right - (EDGE.left + this.labelWidth + 24);
    const sizes = entries.map(({ label }) => pen.measureText(label).width + 44);
    let at = this.width - EDGE.right - sizes.reduce((a, b) => a + b, 0) + 14;
    if (at < this.width - EDGE.right - room) return;
    entries.forEach(({ label, color, legend, dash }, n) => {
      pen.strokeStyle = legend ?? color;
      pen.lineWidth = 2;
      pen.setLineDash(dash ?? []);
      pen.beginPath();
      pen.moveTo(at, 14);
      pen.lineTo(at + 24, 14);
      pen.stroke();
      pen.setLineDash([]);
      pen.fillStyle = INK;
      pen.fillText(label, at + 29, 14);
      at += sizes[n];
    });
  }

  /** Show the cursor at a time [s]. */
  cursor(time) {
    if (!this.still) return;
    const pen = this.canvas.getContext("2d");
    pen.putImageData(this.still, 0, 0);
    pen.fillStyle = INK;
    pen.fillRect(this.x(time) - 0.75, EDGE.top - 4, 1.5, this.height - EDGE.top - EDGE.bottom + 4);
    pen.beginPath();
    pen.arc(this.x(time), EDGE.top - 4, 4, 0, 7);
    pen.fill();
  }
}

/** [least, largest] of the finite values. */
function least(values) {
  let low = Infinity, high = -Infinity;
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return low <= high ? [low, high] : [];
}

/** Round numbers from `low` to `high`, about `count` of them. */
function ticksOf(low, high, count) {
  const rough = (high - low) / count || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 5, 10].find((n) => n * power >= rough * (1 - 1e-9));
  const found = [];
  for (let n = Math.ceil(low / step - 1e-9); n * step <= high + 1e-9 * step; n++) found.push(n * step);
  return found.length > 1 || !(high > low) ? found : ticksOf(low, high, 2 * count);
}

function shortly(value) {
  return String(Number(value.toPrecision(6)));
}
