// Warps over time: a row for each warp, with a cell for each instruction, as high as lanes run it.
// Where lanes do not run, the cell is dark. A barrier is a line where warps meet.
import { h, lanesOf, countLanes, plural } from "../dom.js";

const rowHeight = 32, gap = 10, left = 92, top = 8;

// hues tell the lines of a program apart, and are told apart by the colour-blind (Okabe and Ito).
const hues = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#8a7fbd", "#7d8b2f"];

// colours gives each line of a program a colour.
export function colours(pictures) {
  const lines = [...new Set(pictures.warps.flatMap((w) => (w.spans ?? []).map((x) => x.line)))].filter((l) => l > 0).sort((a, b) => a - b);
  return new Map(lines.map((line, i) => [line, hues[i % hues.length]]));
}

// spanAt is the span of a warp at a time.
const spanAt = (warp, at) => (warp.spans ?? []).find((x) => at >= x.at && at < x.at + x.n);

const maxRows = 24;

export class Warps {
  // moved is called with a time when a person points at one.
  constructor(pictures, moved) {
    this.pictures = pictures;
    this.rows = pictures.warps.slice(0, maxRows);
    this.colour = colours(pictures);
    this.canvas = h("canvas", { role: "img", "aria-label": this.words() });
    this.element = h("div", { class: "warps" }, this.canvas, this.legend());
    this.at = 0;
    const point = (e) => {
      const box = this.canvas.getBoundingClientRect();
      moved(Math.max(0, Math.min(pictures.length - 1, Math.floor((e.clientX - box.left - left) / this.scale))));
    };
    this.canvas.addEventListener("pointerdown", (e) => { this.canvas.setPointerCapture(e.pointerId); point(e); });
    this.canvas.addEventListener("pointermove", (e) => { if (e.buttons) point(e); });
    new ResizeObserver(() => this.draw()).observe(this.element);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
  }

  // words says what the picture shows to who does not see it.
  words() {
    const { warps, meets, length } = this.pictures;
    const parted = warps.filter((w) => (w.spans ?? []).some((x) => !x.waits && countLanes(x.lanes) < w.threads)).length;
    return `${plural(warps.length, "warp")} over ${plural(length, "step")}; ${plural(meets.length, "barrier")} completed; ` +
      `${plural(parted, "warp")} with lanes that do not run at times.`;
  }

  legend() {
    const items = [...this.colour].map(([line, colour]) => h("li", {}, h("i", { style: `background:${colour}` }), `line ${line}`));
    const more = this.pictures.warps.length + this.pictures.dropped.warps - this.rows.length;
    return h("ul", { class: "legend" }, items, h("li", {}, h("i", { class: "dark" }), "lanes that do not run"),
      h("li", {}, h("i", { class: "wait" }), "waits"), h("li", {}, h("i", { class: "meet" }), "barrier"),
      more > 0 && h("li", {}, `${plural(more, "warp")} more`));
  }

  show(at) { this.at = at; this.draw(); }

  draw() {
    const width = this.element.clientWidth, ratio = devicePixelRatio || 1;
    if (!width) return;
    const height = top * 2 + this.rows.length * (rowHeight + gap);
    Object.assign(this.canvas, { width: width * ratio, height: height * ratio });
    Object.assign(this.canvas.style, { width: `${width}px`, height: `${height}px` });
    this.scale = (width - left - 8) / Math.max(this.pictures.length, 1);
    const c = this.canvas.getContext("2d"), css = getComputedStyle(this.element);
    c.scale(ratio, ratio);
    const ink = css.getPropertyValue("--ink"), faint = css.getPropertyValue("--line"), dark = css.getPropertyValue("--dark");
    c.font = "12px system-ui, sans-serif";
    this.rows.forEach((w, i) => this.row(c, w, top + i * (rowHeight + gap), { ink, faint, dark }));
    this.meets(c, ink);
    this.cursor(c, ink, height);
  }

  row(c, w, y, { ink, faint, dark }) {
    c.fillStyle = ink;
    c.textBaseline = "middle";
    c.fillText(`block ${w.block} · warp ${w.index}`, 0, y + rowHeight / 2, left - 8);
    for (const x of w.spans ?? []) {
      const from = left + x.at * this.scale, wide = Math.max(x.n * this.scale - (this.scale > 4 ? 1 : 0), 0.5);
      if (x.waits) {
        c.fillStyle = faint;
        c.fillRect(from, y + rowHeight / 2 - 1, wide, 2);
        continue;
      }
      c.fillStyle = dark;
      c.fillRect(from, y, wide, rowHeight);
      c.fillStyle = this.colour.get(x.line) ?? "#8a8f98";
      for (const [a, b] of runs(x.lanes)) c.fillRect(from, y + a * rowHeight / 32, wide, (b - a) * rowHeight / 32);
    }
  }

  meets(c, ink) {
    c.strokeStyle = ink;
    c.lineWidth = 2;
    for (const m of this.pictures.meets) {
      const rows = this.rows.flatMap((w, i) => (w.block === m.block ? [i] : []));
      if (!rows.length) continue;
      const x = left + m.at * this.scale;
      c.beginPath();
      c.moveTo(x, top + rows[0] * (rowHeight + gap) - 4);
      c.lineTo(x, top + rows.at(-1) * (rowHeight + gap) + rowHeight + 4);
      c.stroke();
    }
  }

  cursor(c, ink, height) {
    const x = left + (this.at + 0.5) * this.scale;
    c.strokeStyle = ink;
    c.lineWidth = 1;
    c.setLineDash([3, 3]);
    c.beginPath();
    c.moveTo(x, 0);
    c.lineTo(x, height);
    c.stroke();
    c.setLineDash([]);
  }

  // linesAt are the lines that run at a time.
  linesAt(at) { return this.rows.map((w) => spanAt(w, at)?.line).filter(Boolean); }

  // saysAt says what the warps do at a time.
  saysAt(at) {
    return this.rows.slice(0, 6).map((w) => {
      const x = spanAt(w, at);
      const who = `block ${w.block} warp ${w.index}`;
      if (!x) return `${who}: has ended`;
      if (x.waits) return `${who}: waits at the barrier of line ${x.line}`;
      return `${who}: line ${x.line || "?"}, ${plural(countLanes(x.lanes), "lane")}`;
    });
  }
}

// runs are the runs of neighbouring lanes of a mask.
function runs(mask) {
  const list = [];
  for (const lane of lanesOf(mask)) {
    if (list.length && list.at(-1)[1] === lane) list.at(-1)[1]++;
    else list.push([lane, lane + 1]);
  }
  return list;
}
