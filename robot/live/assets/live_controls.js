"use strict";
// Parts of the controls of a live page: rows, sliders, buttons, and the line of news.

const HEARD = 12000; // ms that what was said stays
const LINES = 5; // of what was said
const KEY_STEPS = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10 };
const KEY_STEP = 0.01; // of a slider's way; a tenth of it with Shift

/** A group of controls with a title that is seen, which names the group. */
function rowOf(title) {
  const made = make("span", "row", byId("controls"));
  make("b", "", made, title);
  made.setAttribute("role", "group");
  made.setAttribute("aria-label", title);
  return made;
}

/**
 * A slider with a `name` that is seen, a `label` for screen readers, and its value; `act(value)` when it is let go.
 * Arrow keys move it by a hundredth of its way, with Shift by a thousandth, Page up and down by a tenth.
 */
function slider(parent, { name, label, unit, low, high, value, log, digits = 3, fixed, act, title = "" }) {
  const frame = make("label", "slide", parent);
  frame.title = title;
  make("b", "", frame, name);
  const box = make("input", "", frame);
  const to = (v) => (log ? Math.log(v / low) / Math.log(high / low) : (v - low) / (high - low));
  const from = (s) => Number((log ? low * (high / low) ** s : low + s * (high - low)).toPrecision(digits));
  Object.assign(box, { type: "range", min: 0, max: 1, step: "any", value: to(value), autocomplete: "off" });
  box.setAttribute("aria-label", label);
  const said = make("output", "", frame);
  said.setAttribute("aria-live", "off"); // the slider itself says it
  const show = () => {
    const v = from(Number(box.value));
    said.textContent = `${fixed === undefined ? shortly(v) : round(v, fixed)} ${unit}`.trim();
    box.setAttribute("aria-valuetext", said.textContent);
  };
  box.oninput = show;
  box.onchange = () => act(from(Number(box.value)));
  let moved = false;
  box.addEventListener("keydown", (event) => {
    const by = KEY_STEPS[event.key];
    if (!by || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    box.value = Math.min(1, Math.max(0, Number(box.value) + by * KEY_STEP * (event.shiftKey ? 0.1 : 1)));
    moved = true;
    box.dispatchEvent(new Event("input"));
  });
  const settle = () => {
    if (moved) box.dispatchEvent(new Event("change")); // once, when the key goes up
    moved = false;
  };
  box.addEventListener("keyup", settle);
  box.addEventListener("blur", settle);
  show();
  return {
    value: () => from(Number(box.value)),
    set: (v) => { box.value = to(v); show(); },
    busy: () => moved || box.matches(":active"),
    box,
  };
}

function button(parent, text, act, title = "") {
  const made = make("button", "", parent, text);
  made.title = title;
  made.onclick = act;
  return made;
}

/** The line between scene and legend: time and pace, a state that lasts, perhaps with a button, and what was said lately. */
class News {
  constructor() {
    const row = make("div", "", document.body);
    row.id = "news";
    byId("stage").after(row);
    row.append(byId("time"), byId("pace"), byId("pulling"));
    this.state = make("span", "", row);
    Object.assign(this.state, { id: "lasting" });
    this.state.setAttribute("role", "status");
    this.act = make("button", "", row);
    this.act.hidden = true;
    this.log = make("div", "", row);
    this.log.id = "said";
    this.log.setAttribute("role", "log");
  }

  /** Show what lasts: `kind` bad, warn or hint; `act` : [text, function] of a button, or null. */
  last(text, kind = "", act = null) {
    if (this.state.textContent === text) return;
    this.state.textContent = text;
    this.state.className = kind;
    this.act.hidden = !act;
    if (act) [this.act.textContent, this.act.onclick] = act;
  }

  /** Show for a while what was said, the newest first. */
  say(text) {
    const line = document.createElement("p");
    line.textContent = text;
    this.log.prepend(line);
    while (this.log.children.length > LINES) this.log.lastChild.remove();
    setTimeout(() => line.remove(), HEARD);
  }
}
