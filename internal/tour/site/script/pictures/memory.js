// Memory: the addresses of one warp instruction, as sectors of global memory or banks of shared memory.
import { h, s, lanesOf, plural, unique } from "../dom.js";

const cell = 20;

// nameOf is an access's place in words.
function nameOf(a, pictures) {
  if (a.space === "global") return pictures.buffers[a.buffer]?.name ?? "global memory";
  return pictures.shared.find((v) => a.offsets[0] >= v.at && a.offsets[0] < v.at + v.size)?.name ?? "shared memory";
}

const costOf = (a) => (a.space === "global" ? plural(a.cost, "sector") : plural(a.cost, "pass", "passes"));

export class Memory {
  constructor(pictures, mark) {
    this.pictures = pictures;
    this.mark = mark;
    // One choice for each line, kind and cost: what a loop does again need not be chosen twice.
    const seen = new Map();
    for (const a of pictures.accesses) {
      const key = `${a.line} ${a.kind} ${a.space} ${a.buffer} ${a.cost} ${lanesOf(a.lanes).length}`;
      if (!seen.has(key)) seen.set(key, a);
    }
    this.list = [...seen.values()].sort((x, y) => x.line - y.line || x.at - y.at);
    const id = unique("access");
    this.select = h("select", { id, onchange: () => this.draw(this.list[this.select.value]) },
      this.list.map((a, i) => h("option", { value: i },
        `line ${a.line}: ${a.kind} of ${nameOf(a, pictures)}, ${plural(lanesOf(a.lanes).length, "lane")}, ${costOf(a)}` +
        (a.cost > a.ideal ? ` (${a.ideal} would do)` : ""))));
    this.figure = h("figure", { class: "memory" });
    this.element = this.list.length
      ? h("div", {}, h("label", { for: id }, "Access "), this.select, this.figure)
      : h("p", {}, "The kernel has accessed no memory.");
    const worst = this.list.reduce((w, a, i) => (a.cost / a.ideal > this.list[w].cost / this.list[w].ideal ? i : w), 0);
    if (this.list.length) {
      this.select.value = worst;
      this.draw(this.list[worst]);
    }
  }

  draw(a) {
    this.mark([a.line]);
    const many = a.cost > a.ideal;
    const caption = a.space === "global"
      ? `${plural(lanesOf(a.lanes).length, "lane")} ${a.kind === "read" ? "read" : "write"} ${a.size} bytes each. They fall into ${plural(a.cost, "sector")} of 32 bytes; ` +
        (many ? `${a.ideal} would hold as many bytes.` : "fewer would not hold them.")
      : `${plural(lanesOf(a.lanes).length, "lane")} access ${a.size} bytes each. The 32 banks need ${plural(a.cost, "pass", "passes")}` +
        (many ? `: lanes want different words of one bank. ${plural(a.ideal, "pass", "passes")} would do without conflicts.` : ": no bank is asked for two words at once.");
    const svg = a.space === "global" ? sectors(a) : banks(a);
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", caption);
    this.figure.replaceChildren(h("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "Picture of the access" }, svg), h("figcaption", { class: many ? "many" : "few" }, caption));
  }
}

// laneRow draws the 32 lanes, and calls place for the point under each that takes part.
function laneRow(svg, a) {
  const points = new Map();
  for (let lane = 0; lane < 32; lane++) {
    const on = (a.lanes >>> lane) & 1, x = 40 + lane * cell;
    svg.append(s("rect", { x, y: 6, width: cell - 3, height: cell - 3, rx: 3, class: on ? "lane on" : "lane" }),
      s("text", { x: x + cell / 2 - 1.5, y: 19, class: on ? "number on" : "number" }, String(lane)));
    if (on) points.set(lane, [x + cell / 2 - 1.5, 6 + cell - 3]);
  }
  svg.append(s("text", { x: 34, y: 19, class: "side" }, "lane"));
  return points;
}

const thread = (svg, [x1, y1], [x2, y2], bad) =>
  svg.append(s("path", { d: `M${x1} ${y1} C${x1} ${y1 + 26} ${x2} ${y2 - 26} ${x2} ${y2}`, class: bad ? "thread bad" : "thread" }));

// sectors draws sectors in rows of eight, each with its elements.
function sectors(a) {
  const width = 44 + 32 * cell, perRow = 8, y0 = 92, slot = (32 * cell) / perRow;
  const elems = Math.max(1, Math.min(32, 32 / a.size));
  const rows = Math.ceil(a.groups.length / perRow);
  const svg = s("svg", { viewBox: `0 0 ${width} ${y0 + rows * 46}`, class: "picture" });
  const points = laneRow(svg, a);
  const place = new Map(a.groups.map((g, i) => [g.at, [40 + (i % perRow) * slot, y0 + Math.floor(i / perRow) * 46]]));
  const bad = a.cost > a.ideal;
  lanesOf(a.lanes).forEach((lane, i) => {
    const offset = a.offsets[i], sector = Math.floor(offset / 32) * 32;
    const [x, y] = place.get(sector) ?? [40, y0];
    const wide = (slot - 8) / elems;
    const mid = [x + ((offset - sector) / a.size + 0.5) * wide, y];
    if (y === y0) thread(svg, points.get(lane), mid, bad);
    svg.append(s("rect", { x: mid[0] - wide / 2 + 0.5, y: y + 0.5, width: Math.max(wide - 1, 1), height: 21, class: "byte on" }));
  });
  for (const g of a.groups) {
    const [x, y] = place.get(g.at);
    svg.append(s("rect", { x, y, width: slot - 8, height: 22, rx: 3, class: "sector" }),
      s("text", { x: x + (slot - 8) / 2, y: y + 36, class: "number" }, a.buffer >= 0 ? `[${Math.floor(g.at / a.size)}]` : `+${g.at}`));
  }
  svg.append(s("text", { x: 34, y: y0 + 15, class: "side" }, "sector"));
  return svg;
}

// banks draws the 32 banks, each with the different words that are wanted of it.
function banks(a) {
  const width = 44 + 32 * cell, y0 = 100;
  const deep = Math.max(...a.groups.map((g) => g.words?.length ?? 1)), shown = Math.min(deep, 32);
  const svg = s("svg", { viewBox: `0 0 ${width} ${y0 + shown * 14 + 34}`, class: "picture" });
  const points = laneRow(svg, a);
  lanesOf(a.lanes).forEach((lane, i) => {
    const bank = Math.floor(a.offsets[i] / 4) % 32;
    const words = a.groups.find((g) => g.at === bank)?.words ?? [];
    thread(svg, points.get(lane), [40 + bank * cell + cell / 2 - 1.5, y0], words.length > 1);
  });
  for (let bank = 0; bank < 32; bank++) {
    const g = a.groups.find((x) => x.at === bank), x = 40 + bank * cell;
    svg.append(s("rect", { x, y: y0, width: cell - 3, height: shown * 14 + 4, rx: 3, class: "bank" }));
    (g?.words ?? []).slice(0, shown).forEach((_, i) =>
      svg.append(s("rect", { x: x + 2, y: y0 + 2 + i * 14, width: cell - 7, height: 12, rx: 2, class: g.words.length > 1 ? "word bad" : "word" })));
    svg.append(s("text", { x: x + cell / 2 - 1.5, y: y0 + shown * 14 + 20, class: "number" }, String(bank)));
  }
  svg.append(s("text", { x: 34, y: y0 + 14, class: "side" }, "bank"));
  return svg;
}
