"use strict";
// The connection to the server: frames come as 32-bit floats, each is acknowledged when it is drawn.

class Socket {
  /** opened(): when it begins. frame(Float32Array): on each frame. told(object): on each message. gone(): when it ends. */
  constructor({ opened, frame, told, gone }) {
    this.stamp = 0;
    this.link = new WebSocket(`ws://${location.host}/socket${location.search}`);
    this.link.binaryType = "arraybuffer";
    this.link.onopen = opened;
    this.link.onmessage = ({ data }) => {
      if (typeof data === "string") return told(JSON.parse(data));
      requestAnimationFrame(() => {
        frame(new Float32Array(data));
        if (this.open) this.link.send("ack");
      });
    };
    this.link.onclose = gone;
  }

  get open() {
    return this.link.readyState === WebSocket.OPEN;
  }

  /** Send a message; return its stamp, which comes back in the frames that know it. */
  send(message) {
    if (!this.open) return this.stamp;
    this.stamp += 1;
    this.link.send(JSON.stringify({ ...message, stamp: this.stamp }));
    return this.stamp;
  }
}
