// The engine runs the compiler and the simulator in a Web Worker. Work that is no longer wanted is
// ended with its worker; another one, started beforehand, takes its place.

import { Decompress } from "fzstd";

const decompressed = (response, by, type) => new Response(response.body.pipeThrough(by), { headers: { "Content-Type": type } });

// zstandard decompresses what browsers cannot yet. Go's programs repeat themselves over megabytes, which
// gzip does not see.
function zstandard() {
  let to;
  const from = new Decompress((bytes) => to.enqueue(bytes));
  return new TransformStream({
    start(controller) { to = controller; },
    transform(bytes) { from.push(bytes); },
    flush() { from.push(new Uint8Array(0), true); },
  });
}

let parts; // a promise of the program and the sources, fetched once for all workers

const fetched = async (name) => {
  const response = await fetch(name);
  if (!response.ok) throw new Error(`${name}: the server says ${response.status}`);
  return response;
};

function load() {
  parts ??= Promise.all([
    fetched("tour.wasm.zst").then((r) => WebAssembly.compileStreaming(decompressed(r, zstandard(), "application/wasm"))),
    fetched("sources.txtar.gz").then(async (r) => new Uint8Array(await decompressed(r, new DecompressionStream("gzip"), "text/plain").arrayBuffer())),
  ]).catch((e) => { parts = undefined; throw e; });
  return parts;
}

class Ended extends Error {}

// Worker1 is a worker with its Go program. ready is when it can be asked.
class Program {
  constructor() {
    this.waiting = new Map();
    this.next = 0;
    this.ready = load().then(([module, sources]) => new Promise((ready, failed) => {
      if (this.over) return failed(new Ended());
      this.worker = new Worker("worker.js");
      this.fail = failed;
      this.worker.onmessage = ({ data }) => {
        if (data.ready) return ready();
        if (data.ended) return this.end(new Error("the program in the page ended: it may have run out of memory"));
        this.waiting.get(data.id)?.done(JSON.parse(data.answer));
        this.waiting.delete(data.id);
      };
      this.worker.onerror = (e) => this.end(new Error(`the program in the page failed: ${e.message ?? "it may have run out of memory"}`));
      this.worker.postMessage({ module, sources });
    }));
    this.ready.catch(() => {});
  }

  async ask(request) {
    await this.ready;
    if (this.over) throw this.over;
    return new Promise((done, failed) => {
      const id = this.next++;
      this.waiting.set(id, { done, failed });
      this.worker.postMessage({ id, request: JSON.stringify(request) });
    });
  }

  get busy() { return this.waiting.size > 0; }

  end(why) {
    if (this.over) return;
    this.over = why;
    this.worker?.terminate();
    this.fail?.(why);
    for (const w of this.waiting.values()) w.failed(why);
    this.waiting.clear();
  }
}

let current, spare;

// begin fetches and starts the program, so that the first answer comes soon.
export function begin() {
  current ??= new Program();
  return current.ready;
}

// cancel ends what is being done. A second program takes over.
export function cancel(why = new Ended()) {
  if (!current?.busy) return;
  current.end(why);
  current = spare ?? new Program();
  spare = undefined;
}

// patience is how many seconds the page waits for an answer: a page may say another number than 10.
export const patience = Number(document.documentElement.dataset.patience ?? 10);

// ask asks the program for one step. It ends the program if there is no answer in that many seconds.
export async function ask(request, seconds = patience) {
  if (current?.over) current = undefined;
  await begin();
  const program = current;
  const limit = setTimeout(() => {
    if (program === current) cancel(new Error(`It was ended after ${seconds} seconds. A loop may never end, or the launch is too large for a page.`));
  }, seconds * 1000);
  try {
    const answer = await program.ask(request);
    if (answer.fault) throw new Error(`This is a fault of gridstride: ${answer.fault}`);
    return answer;
  } finally {
    clearTimeout(limit);
    spareSoon();
  }
}

let soon;

// spareSoon starts the program that takes over, once the current one has had nothing to do for a while: on
// one core the two would wait for each other.
function spareSoon() {
  clearTimeout(soon);
  if (!spare) soon = setTimeout(() => { spare ??= new Program(); }, 1500);
}

// wasEnded reports whether an error says that other work took the place of a request.
export const wasEnded = (e) => e instanceof Ended;
