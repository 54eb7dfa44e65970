// The tour's worker: the compiler, the simulator and the checks, as a Go program. The page posts
// {module, sources} once, then {id, request}; the answer to a request is {id, answer}. The page ends
// the worker to end what it does.
"use strict";
importScripts("wasm_exec.js");
self.onmessage = async ({ data }) => {
  if (data.request !== undefined) {
    self.gridstride(data.request, (answer) => self.postMessage({ id: data.id, answer }));
    return;
  }
  self.gridstrideSources = data.sources;
  self.gridstrideReady = () => self.postMessage({ ready: true });
  const go = new Go();
  const instance = await WebAssembly.instantiate(data.module, go.importObject);
  await go.run(instance);
  self.postMessage({ ended: true });
};
