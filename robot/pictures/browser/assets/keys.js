"use strict";
// Keys of a page, and the help that lists them: one table serves both.

/**
 * table: [[shown, what it does, {key: act}]], keys as in KeyboardEvent.key, small letters, perhaps "Shift+" before a name.
 * Space acts wherever the focus is, so that it never presses the last button again; other keys leave sliders and menus theirs.
 */
function listenToKeys(table) {
  const acts = Object.assign({}, ...table.map(([, , keys]) => keys));
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { key, target } = event;
    if (key === "Enter" && !event.repeat && target.type === "checkbox") target.click();
    const act = acts[key.length > 1 && event.shiftKey ? `Shift+${key}` : key.length > 1 ? key : key.toLowerCase()];
    if (!act || (key !== " " && target.matches?.("select, .slide input"))) return;
    event.preventDefault();
    if (key !== " " || !event.repeat) act();
  });
  document.addEventListener("keyup", (event) => {
    if (event.key === " ") event.preventDefault(); // some browsers press a button when the key goes up
  });
}

/** The help: a dialog with lists of [[what one does, what it is for]] under titles; open it with `showModal`. */
function makeHelp(sections) {
  const dialog = make("dialog", "", document.body);
  dialog.id = "help";
  dialog.setAttribute("aria-label", "help");
  for (const [title, rows] of sections) {
    make("h2", "", dialog, title);
    const table = make("table", "", dialog);
    for (const [how, what] of rows) {
      const row = make("tr", "", table);
      make("th", "", row, how).scope = "row";
      make("td", "", row, what);
    }
  }
  const close = make("button", "", dialog, "close (Esc)");
  close.onclick = () => dialog.close();
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close()); // next to it
  return dialog;
}

/** Buttons for a picture and for the help, and their keys; `more` : sections of the help before that of the keys. */
function helpAndPicture(player, more, table) {
  const keys = [
    ...table,
    ...cameraKeys(player),
    ["S", "save a picture (PNG) of the page", { s: () => savePicture(player) }],
    ["H  ?", "show this help", { h: () => toggle(), "?": () => toggle() }],
  ];
  const hands = [
    ["Tab, Shift + Tab", "go to the next or previous button, slider, menu or box"],
    ["Enter", "press the button, or change the box, that has the focus"],
    ["arrows", "move the slider, or change the menu, that has the focus"],
  ];
  const help = makeHelp([...more, ["Keys", [...keys, ...hands]]]);
  const toggle = () => (help.open ? help.close() : help.showModal());
  listenToKeys(keys);
  const group = make("span", "group", byId("bar"));
  byId("cameras").before(group);
  for (const [text, title, act] of [["picture", "save a picture of the page (S)", () => savePicture(player)], ["help", "what the mouse and the keys do (H)", toggle]]) {
    Object.assign(make("button", "", group, text), { title, onclick: act });
  }
}
