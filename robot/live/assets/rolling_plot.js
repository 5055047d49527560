"use strict";
// A plot of the last seconds of numbers that arrive.

const SHOWN_TIME = 10; // s

class RollingPlot extends Plot {
  /** lines as in Plot, without time and values. */
  constructor(canvas, { label, lines }) {
    super(canvas, { label, lines: lines.map((line) => ({ ...line, time: [], values: [] })), spans: [], range: [0, SHOWN_TIME], seek() {} });
    canvas.style.cursor = "default";
  }

  clear() {
    for (const line of this.lines) [line.time, line.values] = [[], []];
  }

  /** Add the values of all lines at a time [s]; what is older than the plot shows goes. */
  add(time, values) {
    if (time < this.lines[0].time[this.lines[0].time.length - 1]) this.clear(); // another run
    this.lines.forEach((line, n) => {
      line.time.push(time);
      line.values.push(values[n]);
      let old = 0;
      while (line.time[old] < time - SHOWN_TIME) old += 1;
      if (old > 1) {
        line.time.splice(0, old - 1); // the axes fit what is seen
        line.values.splice(0, old - 1);
      }
    });
    const end = Math.max(SHOWN_TIME, time);
    this.range = [end - SHOWN_TIME, end];
  }

  resize() {
    this.fit();
    this.paint();
  }

  cursor() {}
}
