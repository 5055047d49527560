"use strict";
// Unpack the data of the page and show it.

async function begin() {
  if (!window.DecompressionStream) throw new Error("this browser is too old (it has no DecompressionStream): use one of 2023 or later");
  window.player = new SHOWN(await unpack(byId("data").textContent));
}

begin().catch((error) => {
  byId("trouble").hidden = false;
  byId("trouble").textContent = `This page cannot be shown: ${error.message}`;
  throw error;
});
