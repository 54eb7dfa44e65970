// The pipeline: what warps do over time, and below each warp the copies and products that it has under
// way.
import { h, s, plural } from "../dom.js";
import { timeRow } from "./time.js";

const left = 140, width = 880, thick = 15, thin = 13, maxTracks = 40;
const kinds = { copy: "asks for a copy, or a copy under way", store: "a copy to global memory under way", product: "multiplies, or a product under way", load: "loads a fragment", wait: "waits", other: "other instructions" };
const doing = { copy: "asks for copies", product: "multiplies", load: "loads fragments", wait: "waits", other: "computes" };
const bytes = (n) => (n >= 1024 ? `${(n / 1024).toLocaleString("en", { maximumFractionDigits: 1 })} KiB` : `${n} bytes`);
const name = (t) => `block ${t.block} · warp ${t.warp}`;

export class Pipeline {
  constructor(pictures, mark) {
    this.tracks = pictures.pipeline.tracks.slice(0, maxTracks);
    this.mark = mark;
    const end = (t) => Math.max(0, ...t.works.map((w) => w.at + w.n));
    this.length = Math.max(1, ...this.tracks.map(end));
    this.scale = (width - left - 10) / this.length;
    const agents = this.tracks.filter((t) => t.agent);
    const most = Math.max(0, ...agents.map((t) => t.slots));
    const says = `${plural(this.tracks.length - agents.length, "warp")} over ${plural(this.length, "step")}` +
      (agents.length ? `. ${plural(agents.reduce((n, t) => n + t.works.length, 0), "copy or product", "copies or products")} under way, at most ${most} of a warp at once.` : "; nothing is under way while they compute.");
    const open = agents.flatMap((t) => t.works).filter((w) => w.open).length;
    const left_out = pictures.pipeline.tracks.length - this.tracks.length;
    this.list = h("ul", { class: "says", "aria-live": "polite" });
    const time = timeRow({ label: "time", last: this.length - 1, words: (t) => `step ${t + 1} of ${this.length}`, moved: (t) => this.show(t) });
    this.element = h("div", {}, h("p", { class: "hint" }, "What a warp asks for is under way until the first wait that needs it. Meanwhile the warp does other things: that is what a pipeline is for."),
      h("figure", {}, h("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "Picture of the pipeline" }, this.draw(says)), this.legend(), h("figcaption", {}, says)),
      time.element, this.list,
      open > 0 && h("p", { class: "hint" }, `Nothing waits for ${plural(open, "work", "works")}.`),
      left_out + pictures.pipeline.dropped > 0 && h("p", { class: "hint" }, "The rest is left out: it is too long to draw."));
    time.go(0);
  }

  draw(says) {
    const svg = s("svg", { class: "picture pipeline", role: "img", "aria-label": says });
    let y = 6;
    for (const t of this.tracks) {
      const tall = t.agent ? thin : thick;
      svg.append(s("text", { x: t.agent ? 14 : 0, y: y + 11, class: "side-left" }, t.agent || name(t)));
      for (const w of t.works) this.work(svg, t, w, y + w.slot * (tall + 1), tall);
      y += t.slots * (tall + 1) + (t.agent ? 4 : 2);
    }
    this.cursor = s("line", { y1: 0, y2: y, class: "cursor" });
    svg.append(this.cursor, s("text", { x: left, y: y + 12, class: "side-left" }, "time →"));
    svg.setAttribute("viewBox", `0 0 ${width} ${y + 20}`);
    return svg;
  }

  work(svg, t, w, y, tall) {
    const x = left + w.at * this.scale, wide = Math.max(w.n * this.scale - (w.n * this.scale > 3 ? 0.7 : 0), 0.6);
    const box = w.kind === "wait" ? { x, y: y + tall / 2 - 1.5, width: wide, height: 3 } : w.kind === "other" ? { x, y: y + tall / 4, width: wide, height: tall / 2 } : { x, y, width: wide, height: tall, rx: Math.min(2, wide / 3) };
    svg.append(s("rect", { ...box, class: `work ${w.kind}${w.open ? " open" : ""}` }));
    if (t.agent && wide > 60) svg.append(s("text", { x: x + wide / 2, y: y + 10, class: "work-text" }, bytes(w.bytes ?? 0)));
  }

  legend() {
    const there = new Set(this.tracks.flatMap((t) => t.works.map((w) => w.kind)));
    return h("ul", { class: "legend" }, Object.entries(kinds).filter(([k]) => there.has(k)).map(([k, text]) => h("li", {}, h("i", { class: `work ${k}` }), text)));
  }

  // show says what is going on at a time.
  show(at) {
    const x = left + (at + 0.5) * this.scale;
    this.cursor.setAttribute("x1", x);
    this.cursor.setAttribute("x2", x);
    const now = (t) => t.works.filter((w) => at >= w.at && at < w.at + w.n);
    const lines = [], says = [];
    for (const t of this.tracks) {
      const works = now(t);
      if (!t.agent) {
        lines.push(...works.map((w) => w.line));
        says.push([name(t), works.length ? `${doing[works[0].kind]}${works[0].line ? ` at line ${works[0].line}` : ""}` : "has ended"]);
      } else if (works.length && says.length) {
        says.at(-1)[1] += `; ${plural(works.length, works[0].kind, works[0].kind === "copy" ? "copies" : undefined)} by ${t.agent} under way, ${bytes(works.reduce((n, w) => n + (w.bytes ?? 0), 0))}`;
      }
    }
    this.mark(lines.filter(Boolean));
    this.list.replaceChildren(...says.slice(0, 8).map(([who, what]) => h("li", {}, `${who}: ${what}`)));
  }
}
