// A bench is one program in an editor, with its launch and all that there is to see of it.
import { ask, begin, cancel, wasEnded } from "./engine.js";
import { Editor } from "./editor.js";
import { h, plural, unique } from "./dom.js";
import { linkTo } from "./share.js";
import { Warps } from "./pictures/warps.js";
import { Memory } from "./pictures/memory.js";
import { grid } from "./pictures/grid.js";
import { Race } from "./pictures/race.js";
import { Tree } from "./pictures/tree.js";
import { Pipeline } from "./pictures/pipeline.js";
import { timeRow } from "./pictures/time.js";
import { Watch } from "./watch.js";

const numbers = (text) => text.split(/[ ,x×]+/).filter(Boolean).map(Number);

export class Bench {
  constructor(program, { name = "Kernel", run = true } = {}) {
    this.program = program;
    this.editor = new Editor({ text: program.text, label: `Program of ${name}`, changed: () => this.changed(), run: () => this.run(), line: program.line });
    this.status = h("p", { class: "status", role: "status", "aria-live": "polite" });
    this.form = h("div", { class: "launch" });
    this.tabs = h("div", { class: "results", hidden: true });
    this.runButton = h("button", { class: "primary", type: "button", onclick: () => this.run() }, "Run");
    this.element = h("div", { class: "bench-body" }, this.editor.element, this.form,
      h("div", { class: "buttons" }, this.runButton,
        h("button", { type: "button", onclick: () => this.reset() }, "Reset"),
        h("button", { type: "button", onclick: () => this.share() }, "Share"),
        h("span", { class: "keys" }, "Ctrl-Enter runs")),
      this.status, this.tabs);
    this.launchForm(program.launch);
    if (!run) this.say("Nothing has run yet. Look at the program, and run it if you like.");
  }

  say(text, kind = "") {
    this.status.textContent = text;
    this.status.className = `status ${kind}`;
  }

  // launchForm asks for the launch. Parameters have their names once the program has compiled.
  launchForm(launch, params = []) {
    const field = (label, value, wide) => {
      const id = unique("field");
      const input = h("input", { id, value, spellcheck: "false", autocomplete: "off", class: wide ? "wide" : "", oninput: () => this.stale(),
        onkeydown: (e) => { if (e.key === "Enter") this.run(); } });
      this.form.append(h("div", { class: "field" }, h("label", { for: id }, label), input));
      return input;
    };
    this.form.replaceChildren();
    this.grid = field("grid", (launch.grid ?? [1]).join(" "));
    this.block = field("block", (launch.block ?? []).join(" "));
    this.args = (launch.args ?? []).map((a, i) => field(params[i]?.name ?? `argument ${i + 1}`, a, true));
    this.kernel = launch.kernel ?? "";
  }

  get launch() {
    return { kernel: this.kernel, grid: numbers(this.grid.value), block: numbers(this.block.value), args: this.args.map((a) => a.value) };
  }

  // stale says that what is shown is of another program or launch.
  stale() {
    this.tabs.classList.add("stale");
    this.editor.mark([]);
  }

  changed() {
    this.stale();
    if (this.running) cancel();
    clearTimeout(this.soon);
    this.soon = setTimeout(() => this.compileLast(), 40);
  }

  // compileLast compiles what the program is now. While that goes on, changes wait.
  async compileLast() {
    if (this.compiling) return;
    this.compiling = true;
    try {
      for (let text; text !== this.editor.text && !this.running;) {
        text = this.editor.text;
        await this.compile();
      }
    } finally {
      this.compiling = false;
    }
  }

  async compile() {
    const text = this.editor.text, started = performance.now();
    try {
      const { compiled } = await ask({ do: "compile", text });
      if (text !== this.editor.text) return false;
      this.element.dataset.compiled = Math.round(performance.now() - started);
      return this.compiled(compiled);
    } catch (e) {
      if (!wasEnded(e)) this.say(e.message, "bad");
      return false;
    }
  }

  // compiled shows the compiler's errors, and names the arguments by the parameters.
  compiled(c) {
    this.editor.note(c.errors.map((e) => ({ line: e.line, message: e.message, kind: "error" })));
    if (c.errors.length) {
      this.say(`${plural(c.errors.length, "error")}: ${c.errors[0].line ? `line ${c.errors[0].line}: ` : ""}${c.errors[0].message}`, "bad");
      return false;
    }
    const kernel = c.kernels.find((k) => k.name === this.kernel) ?? c.kernels[0];
    this.ptx = kernel.ptx;
    const launch = this.launch;
    const args = kernel.params.map((p, i) => launch.args[i] ?? (p.want === "[" ? "f32[64]=ramp" : `${p.want}1`));
    const names = [...this.form.querySelectorAll("label")].slice(2).map((l) => l.textContent);
    if (names.join() !== kernel.params.map((p) => p.name).join()) {
      const focused = this.form.contains(document.activeElement);
      this.launchForm({ ...launch, args }, kernel.params);
      if (focused) this.grid.focus();
    }
    if (kernel.block[0]) this.block.placeholder = kernel.block.filter((n) => n > 1).join(" ") || "1";
    if (this.status.classList.contains("bad")) this.say("It compiles.");
    return true;
  }

  async run() {
    cancel();
    const turn = (this.turn = (this.turn ?? 0) + 1);
    this.running = true;
    this.runButton.textContent = "Running …";
    this.say("Compiling …");
    const started = performance.now();
    try {
      await begin();
      if (!(await this.compile()) || turn !== this.turn) return;
      const request = { text: this.editor.text, launch: this.launch };
      this.say("Running …");
      const { result } = await ask({ do: "run", ...request });
      if (turn !== this.turn) return;
      this.ran = request;
      this.show(result, undefined);
      const { verdict } = await ask({ do: "check", ...request });
      if (turn !== this.turn) return;
      this.show(result, verdict);
      this.element.dataset.took = Math.round(performance.now() - started);
    } catch (e) {
      if (!wasEnded(e)) this.say(e.message, "bad");
      else if (turn === this.turn) this.say("The run was ended, as the program has changed.");
    } finally {
      if (turn === this.turn) {
        this.running = false;
        this.runButton.textContent = "Run";
      }
    }
  }

  // show shows what a launch did, and what the checks said of it, once they have.
  show(result, verdict) {
    const chosen = this.tabs.querySelector("[aria-selected=true]")?.dataset.tab;
    const findings = verdict?.findings ?? [];
    const errors = findings.map((f) => ({ line: f.lines.find(Boolean) ?? 1, message: `${f.kind}: ${f.summary}. ${f.why ?? ""}${f.fix ? ` Fix: ${f.fix}` : ""}`, kind: "finding" }));
    const seen = new Set();
    this.editor.note(errors.filter((n) => !seen.has(n.line + n.message) && seen.add(n.line + n.message)));
    const parts = [["Result", () => results(result)]];
    if (result.pictures?.warps.length) parts.push(["Warps", () => this.warps(result.pictures)], ["Memory", () => new Memory(result.pictures, this.mark).element],
      ["Step", () => this.watch(result)], ["Grid", () => grid(result.pictures.grid)]);
    if (result.pictures?.tree) parts.push(["Tree", () => new Tree(result.pictures.tree, this.mark).element]);
    if (result.pictures?.pipeline) parts.push(["Pipeline", () => new Pipeline(result.pictures, this.mark).element]);
    findings.filter((f) => f.race).forEach((f, i, all) => parts.push([all.length > 1 ? `Race ${i + 1}` : "Race", () => new Race(f.race, this.mark).element]));
    parts.push([findings.length ? `Checks (${findings.length})` : "Checks", () => checks(verdict)]);
    if (result.pictures) parts.push(["Counts", () => counts(result, this.editor.text)]);
    if (this.ptx) parts.push(["PTX", () => ptx(this.ptx, this.editor.text)]);
    this.tabs.hidden = false;
    this.tabs.classList.remove("stale");
    this.tabs.replaceChildren(...tabbed(parts, chosen, () => this.editor.mark([])));
    this.conclude(result, verdict);
  }

  conclude(result, verdict) {
    const ran = result.error || `${plural(result.total.instructions, "warp instruction")} ran.`;
    if (!verdict) return this.say(`${ran} Checking …`, result.error ? "bad" : "");
    const n = verdict.findings.length;
    const checked = verdict.error ? (verdict.error === result.error ? "" : verdict.error)
      : n ? `The checks find ${n === 1 ? `a fault: ${verdict.findings[0].kind}, ${verdict.findings[0].summary}` : plural(n, "fault")}.`
        : verdict.undecided.length ? `The checks could not decide: ${verdict.undecided[0]}.` : "The checks find nothing wrong.";
    this.say(`${ran} ${checked}`, result.error || n ? "bad" : "good");
  }

  mark = (lines) => this.editor.mark(lines);

  // watch is the execution of the last run. The tabs are made again when the checks have answered: the
  // execution stays.
  watch(result) {
    if (this.watched?.request !== this.ran) this.watched = new Watch(this.ran, result.total.instructions, this.mark);
    return this.watched.element;
  }

  // warps is the picture of warps with its slider.
  warps(pictures) {
    const says = h("ul", { class: "says", "aria-live": "polite" });
    const time = timeRow({ label: "time", last: pictures.length - 1, words: (t) => `step ${t + 1} of ${pictures.length}`, moved: (t) => {
      picture.show(t);
      this.mark(picture.linesAt(t));
      says.replaceChildren(...picture.saysAt(t).map((x) => h("li", {}, x)));
    } });
    const picture = new Warps(pictures, time.go);
    const dropped = pictures.dropped.instructions > 0 && h("p", { class: "hint" }, `${plural(pictures.dropped.instructions, "instruction")} are left out: the launch is too long to draw.`);
    time.go(0);
    return h("div", {}, h("p", { class: "hint" }, "Each row is a warp of 32 lanes, lane 0 on top. Each warp's clock counts its instructions; those that meet at a barrier go on together."),
      picture.element, time.element, says, dropped);
  }

  reset() {
    cancel();
    this.editor.text = this.program.text;
    this.launchForm(this.program.launch);
    this.tabs.hidden = true;
    this.editor.note([]);
    this.say("");
  }

  async share() {
    const link = await linkTo({ text: this.editor.text, launch: this.launch });
    try {
      await navigator.clipboard.writeText(link);
      this.say("A link with the program is in the clipboard. The program is in the link itself: no server has it.");
    } catch {
      this.status.replaceChildren("The link: ", h("a", { href: link }, link.length > 90 ? link.slice(0, 90) + "…" : link));
    }
  }
}

// tabbed are tabs with their panels, which are made when they are looked at.
function tabbed(parts, chosen, changed) {
  const panel = h("div", { role: "tabpanel", class: "panel", tabindex: 0 });
  panel.id = unique("panel");
  const tabs = parts.map(([name, make], i) => h("button", { type: "button", role: "tab", id: unique("tab"), "aria-controls": panel.id, "data-tab": name.replace(/ \(\d+\)$/, ""),
    onclick: () => choose(i), onkeydown: (e) => {
      const by = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
      if (by) { choose((i + by + parts.length) % parts.length, true); e.preventDefault(); }
    } }, name));
  const choose = (i, focus) => {
    tabs.forEach((t, k) => { t.setAttribute("aria-selected", k === i); t.tabIndex = k === i ? 0 : -1; });
    panel.setAttribute("aria-labelledby", tabs[i].id);
    changed();
    panel.replaceChildren(parts[i][1]());
    if (focus) tabs[i].focus();
    tabs[i].scrollIntoView({ block: "nearest", inline: "nearest" });
  };
  const first = tabs.findIndex((t) => t.dataset.tab === chosen);
  choose(Math.max(first, 0));
  return [h("div", { role: "tablist", class: "tabs", "aria-label": "What the launch did" }, tabs), panel];
}

// results are the buffers before and after. A value that has changed stands out.
function results(r) {
  const list = r.buffers.map((b) => {
    const cells = b.after.slice(0, 256).map((v, i) => h("span", { class: b.before[i] === v ? "value" : "value changed", title: `${b.name}[${i}]${b.before[i] !== undefined ? `, was ${b.before[i]}` : ""}` }, v));
    return h("div", { class: "buffer" }, h("p", { class: "name" }, b.name, h("small", {}, ` ${plural(b.len, "value")}`)), h("div", { class: "values", tabindex: 0, role: "group", "aria-label": `Values of ${b.name}` }, cells, b.len > cells.length && h("span", {}, " …")));
  });
  return h("div", {}, r.error && h("p", { class: "bad" }, r.error), list, r.printed && h("pre", { class: "printed", tabindex: 0 }, r.printed));
}

function checks(v) {
  if (!v) return h("p", {}, "Checking …");
  if (v.error) return h("p", { class: "bad" }, v.error);
  if (!v.findings.length) return h("p", {}, v.undecided.length ? `Not decided: ${v.undecided.join("; ")}` : `${v.seen.toLocaleString("en")} accesses and barriers were looked at in two orders, and nothing is wrong.`);
  return h("div", {}, v.findings.map((f) => h("article", { class: "finding" },
    h("p", { class: "name" }, h("span", { class: "kind" }, f.kind), ` ${f.summary}`),
    f.object && h("p", {}, h("code", {}, f.object.element || (f.object.index >= 0 ? `${f.object.name}[${f.object.index}]` : f.object.name)), ` ${f.object.type ?? ""}`),
    h("ul", {}, f.places.map((w, i) => h("li", {}, h("b", {}, w.role), f.lines[i] ? ` at line ${f.lines[i]}` : "",
      w.thread ? `, thread (${w.thread.thread.join(",")}) of block (${w.thread.block.join(",")})` : w.threads ? `, ${plural(w.threads, "thread")}` : "",
      w.value ? `, value ${w.value}` : "", w.text && h("code", { class: "line" }, w.text), w.note && h("small", {}, w.note)))),
    f.why && h("p", {}, h("b", {}, "Why: "), f.why), f.fix && h("p", {}, h("b", {}, "What to do: "), f.fix))));
}

// counts is a table of counts by line.
function counts(r, text) {
  const lines = text.split("\n");
  const columns = [["instructions", "instructions"], ["globalSectors", "sectors"], ["globalIdealSectors", "at least"], ["sharedPasses", "passes"], ["sharedIdealPasses", "at least"], ["divergent", "divergent"]];
  const row = (name, c, code) => h("tr", {}, h("th", { scope: "row" }, name), columns.map(([k]) => h("td", {}, c[k] ? c[k].toLocaleString("en") : "")), h("td", { class: "source" }, h("code", {}, code)));
  return h("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "Counts by line" }, h("table", { class: "counts" },
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "line"), columns.map(([, n]) => h("th", { scope: "col" }, n)), h("th", { scope: "col" }, "program"))),
    h("tbody", {}, r.lines.map((l) => row(String(l.line), l, (lines[l.line - 1] ?? "").trim())), row("all", r.total, ""))));
}

// ptx is the PTX beside the lines of the program.
function ptx(list, text) {
  const lines = text.split("\n");
  return h("div", { class: "ptx" }, list.map((p) => h("div", { class: "ptx-line" },
    h("div", { class: "go-side" }, p.line ? h("span", { class: "line-number" }, String(p.line)) : "", h("code", {}, p.line ? (lines[p.line - 1] ?? "").trim() : "")),
    h("pre", { tabindex: 0 }, p.text.join("\n")))));
}
