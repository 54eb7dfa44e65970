// The tree of a reduction: a column for each thread, a row for each step, and a line from each value to
// the one that it becomes a part of.
import { h, s, plural, unique } from "../dom.js";
import { timeRow } from "./time.js";

const left = 64, width = 720, maxRows = 130;

export class Tree {
  constructor(tree, mark) {
    this.tree = tree;
    this.mark = mark;
    const blocks = [...new Set(tree.nodes.map((n) => n.block))].sort((a, b) => a - b);
    const id = unique("tree");
    this.figure = h("figure", {});
    this.element = h("div", {},
      h("p", { class: "hint" }, "Each column is a thread of the block, and each row a step in which values become one. A line leads from a value to the thread that takes it."),
      blocks.length > 1 && h("p", {}, h("label", { for: id }, "Block "), h("select", { id, onchange: (e) => this.draw(Number(e.target.value)) }, blocks.map((b) => h("option", { value: b }, String(b))))),
      this.figure, tree.dropped > 0 && h("p", { class: "hint" }, `${plural(tree.dropped, "combination")} are left out: there are too many to draw.`));
    this.draw(blocks[0]);
  }

  // draw draws the tree of a block.
  draw(block) {
    const all = this.tree.nodes;
    const nodes = all.map((n, i) => ({ ...n, i, from: n.from ?? [] })).filter((n) => n.block === block && n.depth < maxRows);
    const joins = nodes.filter((n) => n.from.length);
    const deep = Math.max(...nodes.map((n) => n.depth)), threads = Math.max(...nodes.map((n) => n.thread)) + 1;
    const cell = (width - left - 10) / Math.max(threads, 8), row = deep > 12 ? Math.max(6, 300 / deep) : 36, size = Math.max(2, Math.min(cell - 2, row - 4, 15));
    const at = (n) => [left + (n.thread + 0.5) * cell, 14 + n.depth * row + size / 2];
    const leaves = nodes.length - joins.length, roots = joins.filter((n) => !all.some((m) => m.from?.includes(n.i))).length;
    const says = `${plural(leaves, "value")} of threads of block ${block} become ${plural(roots, "value")}, in ${plural(joins.length, "combination")} and ${plural(deep, "step")}.`;
    const svg = s("svg", { viewBox: `0 0 ${width} ${24 + deep * row + size}`, class: "picture tree", role: "img", "aria-label": says });
    const parts = [];
    for (const n of joins) {
      for (const from of n.from) {
        const m = all[from];
        if (m.block !== block || m.depth >= maxRows) continue;
        const [x1, y1] = at(m), [x2, y2] = at(n);
        const line = s("line", { x1, y1, x2, y2, "stroke-width": Math.max(0.3, Math.min(1.4, cell / 5)), class: m.thread === n.thread ? "own" : "taken" });
        parts.push([n.depth, line]);
        svg.append(line);
      }
    }
    for (const n of nodes) {
      const [x, y] = at(n);
      const box = s("rect", { x: x - size / 2, y: y - size / 2, width: size, height: size, rx: size / 5, class: n.from.length ? "value join" : "value" });
      parts.push([n.depth, box]);
      svg.append(box);
      if (size >= 13 && n.depth === 0) svg.append(s("text", { x, y: y + 3.5, class: "number on" }, String(n.thread)));
    }
    for (let d = 0; d <= deep; d += deep > 12 ? 10 : 1) svg.append(s("text", { x: left - 14, y: 14 + d * row + size / 2 + 4, class: "side" }, d ? `step ${d}` : "own"));
    this.figure.replaceChildren(h("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "Picture of the tree" }, svg), h("figcaption", {}, says), ...this.steps(joins, deep, parts));
  }

  // steps is the slider that goes through the steps, and what is done in each.
  steps(joins, deep, parts) {
    const list = h("ul", { class: "says", "aria-live": "polite" });
    const time = timeRow({ label: "step", last: deep, words: (t) => `step ${t} of ${deep}`, moved: (t) => {
      for (const [depth, e] of parts) e.classList.toggle("later", depth > t);
      const now = joins.filter((n) => n.depth === t);
      const lines = [...new Set(now.map((n) => n.line))].filter(Boolean);
      this.mark(lines);
      const one = (n) => {
        const others = n.from.map((i) => this.tree.nodes[i]).filter((m) => m.thread !== n.thread || m.block !== n.block).map((m) => m.thread);
        return `thread ${n.thread} ${others.length ? `takes the value of thread ${others.slice(0, 4).join(", ")}${others.length > 4 ? " …" : ""}` : "takes another of its own"}`;
      };
      list.replaceChildren(h("li", {}, t === 0 ? "Each thread has a value of its own." : `Step ${t}${lines.length ? `, line ${lines.join(", ")}` : ""}: ${plural(now.length, "combination")} at once.`),
        ...now.slice(0, 4).map((n) => h("li", {}, one(n))), ...(now.length > 4 ? [h("li", {}, `and ${now.length - 4} more`)] : []));
    } });
    time.go(deep);
    return [time.element, list];
  }
}
