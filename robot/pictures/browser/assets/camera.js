"use strict";
// The camera: five named views, and what keys do with it.

// direction to the camera, distance and height of what it looks at in heights of the robot
const CAMERAS = {
  oblique: [[0.75, -1.1, 0.35], 2, 0.48],
  side: [[0, -1, 0.05], 2, 0.48],
  front: [[1, 0, 0.05], 2, 0.48],
  above: [[0, -0.001, 1], 1.6, 0.1],
  below: [[0.45, -0.75, -0.8], 0.9, 0.1],
};
const TURN = (5 * Math.PI) / 180; // of a key
const ZOOM = 1.1; // of a key
const NEAREST = 0.06; // m: least distance of the camera from what it looks at

/** Look at `target` from a named side, `distance` away. */
function placeCamera({ camera, controls }, name, target, distance) {
  controls.target.copy(target);
  camera.position.copy(target).add(new THREE.Vector3(...CAMERAS[name][0]).setLength(distance));
  controls.update();
}

/** Turn the camera around what it looks at, by angles around the vertical and upwards [rad]. */
function turnCamera({ camera, controls }, around, upwards) {
  const away = new THREE.Spherical(), offset = camera.position.clone().sub(controls.target);
  const upright = new THREE.Quaternion().setFromUnitVectors(camera.up, new THREE.Vector3(0, 1, 0));
  away.setFromVector3(offset.applyQuaternion(upright));
  away.theta += around;
  away.phi -= upwards;
  away.makeSafe();
  camera.position.setFromSpherical(away).applyQuaternion(upright.invert()).add(controls.target);
  controls.update();
}

/** Go nearer (factor below 1) or farther. */
function zoomCamera({ camera, controls }, factor) {
  const offset = camera.position.clone().sub(controls.target);
  offset.setLength(Math.min(Math.max(factor * offset.length(), controls.minDistance), controls.maxDistance));
  camera.position.copy(controls.target).add(offset);
  controls.update();
}

/** Keys of the camera, for `listenToKeys`. */
function cameraKeys(player) {
  const after = (act) => () => {
    act();
    player.wantDrawing();
  };
  const turn = (around, upwards) => after(() => turnCamera(player, around, upwards));
  const zoom = (factor) => after(() => zoomCamera(player, factor));
  const names = Object.keys(CAMERAS);
  return [
    ["1 to 5", `view: ${names.join(", ")}`, Object.fromEntries(names.map((name, n) => [String(n + 1), () => player.aim(name)]))],
    ["Shift + arrows", "turn the camera", {
      "Shift+ArrowLeft": turn(-TURN, 0), "Shift+ArrowRight": turn(TURN, 0), "Shift+ArrowUp": turn(0, TURN), "Shift+ArrowDown": turn(0, -TURN),
    }],
    ["+  \u2212", "nearer, farther", { "+": zoom(1 / ZOOM), "=": zoom(1 / ZOOM), "-": zoom(ZOOM) }],
    ["F", "the camera follows the robot, or stays", { f: () => byId("follow").click() }],
  ];
}
