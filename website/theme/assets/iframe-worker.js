/* A page opened as a file may not start workers. There the search runs in a hidden frame instead:
   same messages, same thread. Pages from a server keep their workers. */
if (location.protocol === "file:") {
  window.IFrameWorker = class extends EventTarget {
    constructor(address) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      frame.srcdoc = "<!doctype html><body></body>";
      this.ready = new Promise((resolve) => {
        frame.onload = () => {
          const inner = frame.contentWindow;
          const load = (src) => new Promise((loaded, failed) => {
            const script = inner.document.createElement("script");
            Object.assign(script, { src, onload: loaded, onerror: failed });
            inner.document.body.append(script);
          });
          inner.importScripts = (...all) =>
            all.reduce((before, src) => before.then(() => load(src)), Promise.resolve());
          inner.postMessage = (data) =>
            this.dispatchEvent(new MessageEvent("message", { data }));
          load(new URL(address, location).href).then(() => resolve(inner));
        };
      });
      document.body.append(frame);
      this.terminate = () => frame.remove();
    }
    postMessage(data) {
      this.ready.then((inner) => inner.dispatchEvent(new MessageEvent("message", { data })));
    }
  };
  window.Worker = window.IFrameWorker;
}
