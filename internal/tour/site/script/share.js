// A link carries a program and its launch in the fragment, which no server sees.

async function through(bytes, stream) {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}

const most = 1 << 20; // bytes of a program with its launch

// linkTo is the address of a page with a program.
export async function linkTo(program) {
  const bytes = await through(new TextEncoder().encode(JSON.stringify(program)), new CompressionStream("deflate-raw"));
  const text = btoa(Array.from(bytes, (b) => String.fromCharCode(b)).join("")).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  return new URL(`try.html#p=${text}`, location.href).href;
}

// fromFragment is the program that an address carries; undefined if it carries none. It throws an
// Error that says what is wrong with a fragment that is no program.
export async function fromFragment(fragment) {
  const m = /^#p=([A-Za-z0-9_-]+)$/.exec(fragment);
  if (!m) {
    if (fragment.startsWith("#p=")) throw new Error("The link is damaged: it has signs that no link has.");
    return undefined;
  }
  let value;
  try {
    const bytes = Uint8Array.from(atob(m[1].replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(await inflated(bytes)));
  } catch (e) {
    throw new Error(`The link is damaged: ${e.message}`);
  }
  return valid(value);
}

// inflated is bytes decompressed, of which there may not be too many.
async function inflated(bytes) {
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
  const parts = [];
  for (let n = 0; ;) {
    const { done, value } = await reader.read();
    if (done) return new Uint8Array(await new Blob(parts).arrayBuffer());
    if ((n += value.length) > most) throw new Error("it is too long");
    parts.push(value);
  }
}

// valid is what a link may say: a text, and a launch of numbers and short texts.
function valid(v) {
  const sizes = (list) => Array.isArray(list) && list.length <= 3 && list.every((n) => Number.isSafeInteger(n) && n > 0);
  const launch = v?.launch ?? {};
  const ok = typeof v?.text === "string" && sizes(launch.grid) && (launch.block === null || launch.block === undefined || sizes(launch.block)) &&
    Array.isArray(launch.args) && launch.args.length <= 64 && launch.args.every((a) => typeof a === "string" && a.length < 4000);
  if (!ok) throw new Error("The link is damaged: it has no program and launch.");
  return {
    text: v.text,
    launch: { kernel: typeof launch.kernel === "string" ? launch.kernel : "", grid: launch.grid, block: launch.block ?? [], args: launch.args },
  };
}
