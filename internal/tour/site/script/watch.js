// A moment of the execution: where each warp is, the variables of a thread, memory, and who wrote it. The
// slider goes to any time, forth and back.
import { ask, wasEnded } from "./engine.js";
import { h, lanesOf, unique } from "./dom.js";

const ranges = (mask) => {
  const list = [];
  for (const lane of lanesOf(mask)) {
    if (list.length && list.at(-1)[1] === lane - 1) list.at(-1)[1] = lane;
    else list.push([lane, lane]);
  }
  return list.map(([a, b]) => (a === b ? a : `${a}–${b}`)).join(", ");
};

export class Watch {
  // request is a program with its launch, which has run that many instructions.
  constructor(request, total, mark) {
    this.request = request;
    this.total = total;
    this.mark = mark;
    this.at = 0;
    const id = unique("time"), who = unique("ask"), lane = unique("lane");
    this.slider = h("input", { type: "range", id, min: 0, max: total, value: 0, oninput: () => this.go({ at: Number(this.slider.value) }) });
    const move = (label, text, command) => h("button", { type: "button", "aria-label": label, title: label, onclick: () => this.go(typeof command === "number" ? { at: command } : { command: this.unit(command) }) }, text);
    this.where = h("p", { class: "where", role: "status", "aria-live": "polite" }, "Going there …");
    this.lane = h("input", { id: lane, type: "number", min: 0, max: 31, value: 0, onchange: () => this.look({ ...this.thread, Lane: Math.max(0, Math.min(31, Number(this.lane.value))) }) });
    this.follow = h("button", { type: "button", onclick: () => this.look(undefined) }, "Follow what runs next");
    this.question = h("input", { id: who, class: "wide", placeholder: "who cache[0]", spellcheck: "false", autocomplete: "off", onkeydown: (e) => { if (e.key === "Enter") this.ask(); } });
    this.said = h("pre", { class: "said", tabindex: 0, hidden: true, "aria-live": "polite" });
    this.rest = h("div", {});
    this.element = h("div", { class: "watch" },
      h("div", { class: "time" }, h("label", { for: id }, "time"), move("to the start", "|◀", 0), move("back to the line before", "◀◀", "back"), move("one instruction back", "◀", "backi"), this.slider,
        move("one instruction forward", "▶", "stepi"), move("on to the next line", "▶▶", "step"), move("to the end", "▶|", total)),
      this.where, h("div", { class: "asking" }, h("label", { for: lane }, "lane"), this.lane, this.follow,
        h("label", { for: who }, "ask"), this.question, h("button", { type: "button", onclick: () => this.ask() }, "Ask")),
      this.said, this.rest);
    this.go({ at: 0 });
  }

  // unit is a command for the thread in view, or for whichever runs next.
  unit(command) { return this.thread && this.pinned ? command : `${command} any`; }

  look(thread) {
    this.pinned = thread;
    this.go({});
  }

  ask() { this.go({ command: this.question.value.trim() || "who cache[0]", asked: true }); }

  // go goes somewhere. While it goes, only the last wish counts.
  async go(wish) {
    this.wish = wish;
    if (this.going) return;
    this.going = true;
    try {
      while (this.wish) {
        const { at, command, asked } = this.wish;
        this.wish = undefined;
        const started = performance.now();
        const { moment } = await ask({ do: "look", ...this.request, look: { at: at ?? this.at, thread: this.pinned, command } });
        this.show(moment, asked);
        this.element.dataset.took = (performance.now() - started).toFixed(1);
      }
    } catch (e) {
      this.where.textContent = wasEnded(e) ? "It was ended. Choose a time to go on." : e.message;
    } finally {
      this.going = false;
    }
  }

  show(m, asked) {
    this.at = m.at;
    this.thread = m.thread;
    if (this.pinned) this.pinned = m.thread;
    this.total = Math.max(this.total, m.at);
    this.slider.max = this.total;
    this.slider.value = m.at;
    const t = m.thread;
    const at = m.ended ? `The launch has ended${m.why ? `: ${m.why}` : ""}` : `block ${t.Block}, warp ${t.Warp}, lane ${t.Lane}${m.line ? ` is at line ${m.line}` : " does not run"}`;
    this.slider.setAttribute("aria-valuetext", `${m.at} of ${this.total}`);
    this.where.replaceChildren(h("b", {}, `${m.at.toLocaleString("en")} of ${this.total.toLocaleString("en")}`), ` · ${at} `, m.ptx ? h("code", {}, m.ptx) : "");
    this.lane.value = t.Lane;
    this.follow.hidden = !this.pinned;
    this.said.hidden = !(asked || m.error);
    this.said.className = m.error ? "said bad" : "said";
    this.said.textContent = m.error || m.said.trim();
    this.mark(m.line ? [m.line] : []);
    this.rest.replaceChildren(this.warps(m), this.variables(m), this.memory("Shared memory of the block", m.shared), this.memory("Global memory", m.buffers),
      h("p", { class: "hint" }, `The state is kept at ${m.kept.moments.toLocaleString("en")} times, in ${Math.ceil(m.kept.bytes / 1024).toLocaleString("en")} KiB; ${m.kept.dropped ? `${m.kept.dropped.toLocaleString("en")} were dropped` : "none was dropped"}. What is between is run again.`));
    this.before = m;
  }

  // warps are the warps in flight: a cell for each lane, and whom they wait for.
  warps(m) {
    if (!m.warps.length) return h("p", { class: "hint" }, "No warp is running.");
    return h("section", {}, h("p", { class: "name" }, "Warps"), h("ul", { class: "strips" }, m.warps.map((w) => {
      const here = w.block === m.thread.Block && w.warp === m.thread.Warp;
      const cells = Array.from({ length: 32 }, (_, i) => {
        const g = w.groups.find((x) => (x.lanes >>> i) & 1);
        const kind = !((w.exist >>> i) & 1) ? "none" : (w.ended >>> i) & 1 || !g ? "ended" : g.waits ? "waits" : g.next ? "next" : "runs";
        return h("i", { class: kind + (here && i === m.thread.Lane ? " view" : ""), "data-lane": i });
      });
      const words = [...w.groups.map((g) => `${lanesOf(g.lanes).length === lanesOf(w.exist).length ? "all lanes" : `lanes ${ranges(g.lanes)}`} ${g.waits ? `${g.waits}${g.line ? `, line ${g.line}` : ""}` : g.line ? `at line ${g.line}${g.next ? ", next" : ""}` : "start"}`),
        ...(w.ended ? [w.ended === w.exist ? "have ended" : `lanes ${ranges(w.ended)} have ended`] : []), ...w.flight.slice(0, 3).map((f) => `under way: ${f}`), ...(w.flight.length > 3 ? [`and ${w.flight.length - 3} more`] : [])];
      const strip = h("span", { class: "strip", "aria-hidden": "true", onclick: (e) => { const lane = e.target.dataset.lane; if (lane !== undefined) this.look({ Block: w.block, Warp: w.warp, Lane: Number(lane) }); } }, cells);
      return h("li", {}, h("button", { type: "button", "aria-pressed": here ? "true" : "false", onclick: () => this.look({ Block: w.block, Warp: w.warp, Lane: Math.max(0, lanesOf(w.exist & ~w.ended)[0] ?? 0) }) }, `block ${w.block} · warp ${w.warp}`), strip, h("span", { class: "what" }, words.join("; ")));
    })), m.more > 0 && h("p", { class: "hint" }, `${m.more} more are in flight.`));
  }

  variables(m) {
    if (!m.locals.length) return "";
    const was = new Map((this.before?.locals ?? []).map((v) => [v.name, v.value]));
    return h("section", {}, h("p", { class: "name" }, "Variables", h("small", {}, ` of lane ${m.thread.Lane}`)), h("div", { class: "locals" }, m.locals.map((v) => {
      const text = h("span", { class: was.has(v.name) && was.get(v.name) !== v.value ? "value changed" : "value" }, v.value);
      if (v.lanes.length < 4) return h("div", {}, h("code", {}, v.name), " ", text);
      const lanes = [];
      for (let i = 0; i < v.lanes.length; i += 2) lanes.push(h("span", { class: "value" }, `${v.lanes[i].replace("lane ", "").trim()}: ${v.lanes[i + 1]}`));
      return h("details", {}, h("summary", {}, h("code", {}, v.name), " ", text), h("div", { class: "values" }, lanes));
    })));
  }

  // memory are arrays. A click on an element asks who wrote it.
  memory(title, arrays) {
    if (!arrays.length) return "";
    const was = new Map([...(this.before?.shared ?? []), ...(this.before?.buffers ?? [])].map((a) => [a.name, a.values]));
    return h("section", {}, h("p", { class: "name" }, title, h("small", {}, " a click on a value says who wrote it")), arrays.map((a) => h("div", { class: "buffer" },
      h("p", {}, h("code", {}, a.name), h("small", {}, ` ${a.len.toLocaleString("en")} elements`)),
      h("div", { class: "values", tabindex: 0, role: "group", "aria-label": `Values of ${a.name}`, onclick: (e) => { const i = e.target.dataset.i; if (i !== undefined) { this.question.value = `who ${a.name}[${i}]`; this.ask(); } } },
        a.values.map((v, i) => h("span", { class: was.has(a.name) && was.get(a.name)[i] !== v ? "value changed" : "value", "data-i": i, title: `${a.name}[${i}]` }, v)), a.len > a.values.length && h("span", {}, " …")))));
  }
}
