"use strict";
// A picture of the page: scene, treads, legend, plots and their words, without the controls.

const PARTS = ["stage", "legend", "plots"];

/** Save what is shown now as a PNG. */
function savePicture(player) {
  const link = make("a", "", document.body), name = player.runs[0].side.title.replace(/[^\w.-]+/g, "_");
  pictureOf(player).toBlob((blob) => {
    link.href = URL.createObjectURL(blob);
    link.download = `${name}-${player.time.toFixed(3)}s.png`;
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  });
}

/** The picture as a canvas, with the page's pixels. */
function pictureOf(player) {
  player.draw(); // a canvas of WebGL can be read only right after it was drawn
  const ratio = window.devicePixelRatio || 1, boxes = PARTS.map((id) => byId(id).getBoundingClientRect());
  const made = document.createElement("canvas"), pen = made.getContext("2d");
  const [top, left] = [boxes[0].top, boxes[0].left];
  made.width = Math.round(ratio * boxes[0].width);
  made.height = Math.round(ratio * boxes.reduce((sum, box) => sum + box.height, 0));
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.fillStyle = "#ffffff";
  pen.fillRect(0, 0, made.width, made.height);
  let at = 0;
  PARTS.forEach((id, n) => {
    pen.setTransform(ratio, 0, 0, ratio, -ratio * left, ratio * (at - boxes[n].top)); // places of the page from here on
    drawPart(pen, byId(id));
    at += boxes[n].height;
  });
  pen.setTransform(ratio, 0, 0, ratio, 0, -ratio * top);
  pen.font = "600 14px system-ui, sans-serif";
  pen.textAlign = "right";
  pen.fillStyle = INK;
  pen.fillText(byId("time").textContent, boxes[0].right - 12, boxes[0].bottom - 12);
  return made;
}

function drawPart(pen, part) {
  for (const canvas of part.querySelectorAll("canvas")) {
    const box = canvas.getBoundingClientRect();
    if (box.width && canvas.width) pen.drawImage(canvas, box.left, box.top, box.width, box.height);
  }
  for (const swatch of part.querySelectorAll(".swatch")) {
    const box = swatch.getBoundingClientRect();
    pen.fillStyle = swatch.style.background;
    pen.fillRect(box.left, box.top, box.width, box.height);
  }
  const texts = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) drawText(pen, texts.currentNode);
}

/** Draw the words of a text node where the page has them, cut off at the edge of their element. */
function drawText(pen, node) {
  const element = node.parentElement, style = getComputedStyle(element), edge = element.getBoundingClientRect();
  if (element.closest("select, button") || !edge.width || style.visibility === "hidden") return;
  pen.save();
  pen.beginPath();
  if (style.overflow !== "visible") {
    pen.rect(edge.left, edge.top, edge.width, edge.height);
    pen.clip();
  }
  pen.font = style.font;
  pen.fillStyle = style.color;
  pen.textBaseline = "middle";
  pen.textAlign = "left";
  const range = document.createRange();
  for (const { 0: word, index } of node.data.matchAll(/\S+/g)) {
    range.setStart(node, index);
    range.setEnd(node, index + word.length);
    const box = range.getBoundingClientRect();
    if (box.width) pen.fillText(word, box.left, box.top + box.height / 2 + 1);
  }
  pen.restore();
}
