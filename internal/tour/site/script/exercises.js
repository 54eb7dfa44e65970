// Exercises: a statement, an editor, hidden tests. What is solved is kept in the browser.
import { ask, begin, cancel, patience, wasEnded } from "./engine.js";
import { Bench } from "./bench.js";
import { h, plural } from "./dom.js";

const key = "gridstride-tour";

function progress() {
  try {
    return JSON.parse(localStorage.getItem(key)) ?? {};
  } catch {
    return {};
  }
}

function keep(name, value) {
  const all = progress();
  all[name] = { ...all[name], ...value };
  try {
    localStorage.setItem(key, JSON.stringify(all));
  } catch { /* the browser keeps nothing: the page works without */ }
}

// exercises shows the list, or the exercise that the fragment names.
export function exercises(place, course) {
  const show = () => {
    cancel();
    const e = course.find((x) => `#${x.name}` === location.hash);
    place.replaceChildren(...(e ? one(course, e) : overview(course)));
    if (e) { scrollTo(0, 0); document.title = `${e.title} · gridstride tour`; }
  };
  addEventListener("hashchange", show);
  show();
}

function overview(course) {
  const done = progress();
  const n = course.filter((e) => done[e.name]?.solved).length;
  return [h("h1", {}, "Exercises"), h("p", {}, `${n} of ${plural(course.length, "exercise")} solved. What you write stays in this browser.`),
    h("ol", { class: "exercises" }, course.map((e) => h("li", {}, h("a", { href: `#${e.name}` }, e.title),
      done[e.name]?.solved && h("span", { class: "solved" }, done[e.name].par ? "solved, at par" : "solved"))))];
}

function one(course, e) {
  const i = course.indexOf(e), next = course[i + 1];
  const bench = new Bench({ text: progress()[e.name]?.text ?? e.start, launch: e.launch }, { name: e.title });
  bench.program = { text: e.start, launch: e.launch };
  const outcome = h("div", { class: "outcome", role: "status", "aria-live": "polite" });
  const statement = h("div", { class: "statement" });
  statement.innerHTML = e.statement; // made by go/doc/comment, which escapes it
  const explained = h("details", { hidden: !progress()[e.name]?.solved }, h("summary", {}, "A solution, explained"));
  const explanation = h("div", {});
  explanation.innerHTML = e.explanation; // as above
  explained.append(explanation, h("pre", { class: "code go", tabindex: 0 }, h("code", {}, e.solution)));
  const button = h("button", { type: "button", class: "primary", onclick: () => grade(e, bench, outcome, explained, button) }, "Test");
  bench.element.querySelector(".buttons").prepend(button);
  begin().catch(() => {});
  return [h("p", { class: "crumbs" }, h("a", { href: "#" }, "All exercises"), ` · ${i + 1} of ${course.length}`), h("h1", {}, e.title), statement,
    ...e.hints.map((text, k) => h("details", {}, h("summary", {}, `Hint ${k + 1}`), h("p", {}, text))),
    bench.element, outcome, explained, next && h("p", { class: "next" }, h("a", { href: `#${next.name}` }, `Next: ${next.title}`))].filter(Boolean);
}

async function grade(e, bench, outcome, explained, button) {
  cancel();
  keep(e.name, { text: bench.editor.text });
  button.textContent = "Testing …";
  try {
    const { graded } = await ask({ do: "exercise", text: bench.editor.text, exercise: { want: e.want, tests: e.tests, limits: e.limits, close: e.close } }, 2 * patience);
    const failed = graded.tests.find((t) => !t.ok);
    const over = graded.limits.filter((l) => !l.ok && !l.par);
    if (graded.errors.length) bench.compiled({ errors: graded.errors, kernels: [] });
    outcome.replaceChildren(
      h("p", { class: graded.passed ? "good" : "bad" }, graded.passed ? "Solved." : failed ? `Not yet. ${failed.name}: ${failed.why}` : over.length ? "The results are right, but it costs too much." : "It does not compile."),
      h("ul", { class: "tests" }, graded.tests.map((t) => h("li", { class: t.ok ? "ok" : "no" }, t.name)),
        graded.limits.map((l) => h("li", { class: l.ok ? "ok" : "no" }, `${l.got.toLocaleString("en")} ${l.count}, ${l.par ? "par" : "at most"} ${l.most.toLocaleString("en")}`))));
    if (graded.passed) {
      keep(e.name, { solved: true, par: graded.limits.every((l) => l.ok) });
      explained.hidden = false;
    }
  } catch (err) {
    if (!wasEnded(err)) outcome.replaceChildren(h("p", { class: "bad" }, err.message));
  } finally {
    button.textContent = "Test";
  }
}
