// The grid: its blocks in the slots of the multiprocessors, over time.
import { h, s, plural } from "../dom.js";

const left = 138, width = 880, row = 20;

export function grid(g) {
  const slots = g.multiprocessors * g.resident;
  const rows = Math.max(...g.blocks.map((b) => (b.slot % g.resident) + 1), 1); // of each multiprocessor that have blocks
  const scale = (width - left - 10) / Math.max(g.length, 1);
  const y = (slot) => 6 + (Math.floor(slot / g.resident) * rows + (slot % g.resident)) * row + Math.floor(slot / g.resident) * 10;
  const bottom = y((g.multiprocessors - 1) * g.resident + rows - 1) + row;
  const last = g.blocks.at(-1);
  const says = `${plural(g.blocks.length, "block")} in ${g.multiprocessors} multiprocessors, which have room for ${plural(g.resident, "block")} at once. ` +
    (g.blocks.length > slots ? `The first ${slots} start at once; the others start where one has ended, block ${last.block} last.` : "All start at once.") +
    (g.dropped ? ` ${plural(g.dropped, "block")} more are left out.` : "");
  const svg = s("svg", { viewBox: `0 0 ${width} ${bottom + 26}`, class: "picture grid", role: "img", "aria-label": says });
  for (let slot = 0; slot < slots; slot++) {
    if (slot % g.resident >= rows) continue;
    if (slot % g.resident === 0) svg.append(s("text", { x: 0, y: y(slot) + 14, class: "side-left" }, `multiprocessor ${slot / g.resident}`));
    svg.append(s("rect", { x: left, y: y(slot), width: width - left - 10, height: row - 3, class: "slot" }));
  }
  for (const b of g.blocks) {
    const wide = Math.max(b.n * scale - 1, 0.5);
    svg.append(s("rect", { x: left + b.at * scale, y: y(b.slot), width: wide, height: row - 3, rx: 2, class: `block block${b.block % 2}` }));
    if (wide > 22) svg.append(s("text", { x: left + b.at * scale + wide / 2, y: y(b.slot) + 13, class: "number on" }, String(b.block)));
  }
  svg.append(s("text", { x: left, y: bottom + 16, class: "side-left" }, "time →"));
  return h("figure", {}, h("p", { class: "hint" }, "A small GPU of 4 multiprocessors, with the threads and the shared memory of an H100's. A block takes as many steps as its slowest warp."),
    h("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "Picture of the grid" }, svg), h("figcaption", {}, says));
}
