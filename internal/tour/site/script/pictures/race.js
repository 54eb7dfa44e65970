// A race: its two accesses, in the order in which one goes first and in the other, with a switch.
import { h, s, unique } from "../dom.js";

const place = (t) => t.filter((n, i) => i === 0 || n > 0 || t.slice(i).some((k) => k > 0)).join(",");
const who = (side) => `block ${place(side.block)}, thread ${place(side.thread)} (warp ${side.warp})`;

export class Race {
  constructor(race, mark) {
    this.race = race;
    this.mark = mark;
    const name = unique("order");
    const choices = race.orders.map((o, i) => h("label", { class: "choice" },
      h("input", { type: "radio", name, value: i, checked: i === 0, onchange: () => this.draw(o) }),
      ` the ${race.sides[o.first].kind} of line ${race.sides[o.first].line} first`));
    this.figure = h("figure", { class: "race" });
    this.element = h("div", {}, h("fieldset", { class: "switch" }, h("legend", {}, "Which access is first?"), choices), this.figure);
    if (race.orders.length === 1) {
      this.element.append(h("p", { class: "hint" }, `In the orders that were tried (${race.tried.join(", ")}) the accesses went this way only. Nothing in the program forbids the other.`));
    }
    this.draw(race.orders[0]);
  }

  draw(order) {
    const sides = this.race.sides;
    this.mark(sides.map((x) => x.line));
    const sequence = [order.first, 1 - order.first];
    const svg = s("svg", { viewBox: "0 0 660 190", class: "picture", role: "img", "aria-label": this.words(order, sequence) });
    sides.forEach((side, i) => {
      const y = 40 + i * 78;
      svg.append(s("text", { x: 8, y: y - 14, class: "who" }, who(side)), s("line", { x1: 8, y1: y + 12, x2: 640, y2: y + 12, class: "lifeline" }));
      const x = sequence[0] === i ? 60 : 360;
      svg.append(s("rect", { x, y: y - 4, width: 240, height: 34, rx: 6, class: `event side${i}` }),
        s("text", { x: x + 12, y: y + 17, class: "event-text" }, short(`${side.kind === "read" ? "reads" : "writes"} ${order.values[i]} · line ${side.line}`)));
    });
    const a = 40 + sequence[0] * 78, b = 40 + sequence[1] * 78;
    svg.append(s("path", { d: `M300 ${a + 13} C330 ${a + 13} 330 ${b + 13} 356 ${b + 13}`, class: "then" }),
      s("path", { d: `M350 ${b + 8} l8 5 l-8 5`, class: "then" }), s("text", { x: 8, y: 184, class: "side-left" }, "time →"));
    this.figure.replaceChildren(h("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "Picture of the race" }, svg), h("figcaption", {}, h("code", {}, sides[sequence[0]].text), " and then ", h("code", {}, sides[sequence[1]].text),
      order.result ? [". The kernel leaves ", h("strong", {}, order.result), "."] : "."));
  }

  words(order, sequence) {
    return sequence.map((i) => `${who(this.race.sides[i])} ${this.race.sides[i].kind}s ${order.values[i]} at line ${this.race.sides[i].line}`).join(", then ") + ".";
  }
}

const short = (text) => (text.length > 34 ? text.slice(0, 33) + "…" : text);
