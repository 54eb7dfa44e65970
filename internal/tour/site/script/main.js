// The tour's pages: chapters with kernels, exercises, and a page for a program of one's own.
import { begin } from "./engine.js";
import { Bench } from "./bench.js";
import { exercises } from "./exercises.js";
import { fromFragment } from "./share.js";
import { h } from "./dom.js";

const data = (id) => JSON.parse(document.getElementById(id)?.textContent ?? "null");

// chapter puts an editor in the place of each kernel of a chapter.
function chapter() {
  const programs = data("programs") ?? [];
  const sections = [...document.querySelectorAll("section.bench")];
  const put = (section) => {
    const p = programs[Number(section.dataset.program)];
    section.replaceChildren(new Bench(p, { name: p.name }).element);
    section.classList.add("ready");
  };
  // Editors are made when they come near the screen, so that the text is there at once.
  const near = new IntersectionObserver((list) => {
    for (const e of list) {
      if (!e.isIntersecting) continue;
      near.unobserve(e.target);
      put(e.target);
      begin().catch(failed);
    }
  }, { rootMargin: "400px" });
  sections.forEach((x) => near.observe(x));
}

function failed(e) {
  const bar = document.getElementById("trouble");
  bar.hidden = false;
  bar.textContent = `Programs cannot run here: ${e.message}`;
}

const empty = {
  text: `package main

import "github.com/gridstride/gridstride/gpu"

//gpu:kernel
func Kernel(x []float32) {
	for i := range gpu.GridStride(len(x)) {
		x[i] *= 2
	}
}
`,
  launch: { grid: [2], block: [32], args: ["f32[100]=ramp"] },
};

// own is the page of a program of one's own, or of a link's.
async function own(place) {
  let program = empty, trouble = "", linked = false;
  try {
    const from = await fromFragment(location.hash);
    if (from) { program = from; linked = true; }
  } catch (e) {
    trouble = e.message;
  }
  const bench = new Bench(program, { name: "your own", run: !linked });
  place.replaceChildren(bench.element);
  if (trouble) bench.say(trouble, "bad");
  begin().catch(failed);
}

const place = document.getElementById("own");
if (place) {
  own(place);
  addEventListener("hashchange", () => own(place));
}
const list = document.getElementById("exercises");
if (list) exercises(list, data("course"));
chapter();
document.documentElement.classList.add("scripted");
// The files are kept for a time without a network, once the page has what it needs.
addEventListener("load", () => setTimeout(() => navigator.serviceWorker?.register("offline.js").catch(() => {}), 3000));
if (!("DecompressionStream" in window)) failed(new Error("this browser is too old"));
export { h };
