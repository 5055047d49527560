"use strict";
// Packed arrays, as robot/pictures/browser/quantised.py writes them: gzip in base64, a header,
// then for every array four byte planes of 32-bit differences along its first axis.

const MISSING = -(2 ** 31); // NaN

/** Return {header, arrays}; an array is {values, shape, width}, width numbers per entry of axis 0. */
async function unpack(text) {
  const packed = Uint8Array.from(atob(text.trim()), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  const data = await new Response(stream).arrayBuffer();
  const length = new DataView(data).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(data, 4, length)));
  const arrays = {};
  let at = 4 + length;
  for (const told of header.arrays) {
    const size = told.shape.reduce((a, b) => a * b, 1);
    arrays[told.name] = restore(new Uint8Array(data, at, 4 * size), told, size);
    at += 4 * size;
  }
  return { header, arrays };
}

function restore(planes, told, size) {
  const rows = told.shape.length ? told.shape[0] : 1;
  const width = rows ? size / rows : 0;
  const values = new Float64Array(size);
  for (let j = 0; j < width; j++) {
    let whole = 0;
    for (let i = 0; i < rows; i++) {
      const n = j * rows + i;
      const change =
        planes[n] | (planes[n + size] << 8) | (planes[n + 2 * size] << 16) | (planes[n + 3 * size] << 24);
      whole = (whole + change) | 0;
      values[i * width + j] = whole === MISSING ? NaN : told.step * whole;
    }
  }
  return { values, shape: told.shape, width };
}

/** Return the arrays whose names begin with `prefix`, by the rest of their names. */
function below(arrays, prefix) {
  const found = {};
  for (const name in arrays) if (name.startsWith(prefix)) found[name.slice(prefix.length)] = arrays[name];
  return found;
}
