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
    const svg = s("svg", { viewBox: "0 0 360 196", class: "picture", role: "img", "aria-label": this.words(order, sequence) });
    sides.forEach((side, i) => {
      const y = 26 + i * 80, x = sequence[0] === i ? 8 : 202;
      svg.append(s("text", { x: 8, y: y - 10, class: "who" }, who(side)), s("line", { x1: 8, y1: y + 22, x2: 352, y2: y + 22, class: "lifeline" }),
        s("rect", { x, y, width: 150, height: 44, rx: 6, class: `event side${i}` }),
        s("text", { x: x + 10, y: y + 19, class: "event-text" }, short(`${side.kind === "read" ? "reads" : "writes"} ${order.values[i]}`)),
        s("text", { x: x + 10, y: y + 36, class: "event-text" }, `line ${side.line}`));
    });
    const [a, b] = sequence.map((i) => 48 + i * 80);
    svg.append(s("path", { d: `M158 ${a} C182 ${a} 176 ${b} 198 ${b}`, class: "then" }),
      s("path", { d: `M191 ${b - 5} l8 5 l-8 5`, class: "then" }), s("text", { x: 8, y: 192, class: "side-left" }, "time →"));
    this.figure.replaceChildren(h("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "Picture of the race" }, svg), h("figcaption", {}, h("code", {}, sides[sequence[0]].text), " and then ", h("code", {}, sides[sequence[1]].text),
      order.result ? [". The kernel leaves ", h("strong", {}, order.result), "."] : "."));
  }

  words(order, sequence) {
    return sequence.map((i) => `${who(this.race.sides[i])} ${this.race.sides[i].kind}s ${order.values[i]} at line ${this.race.sides[i].line}`).join(", then ") + ".";
  }
}

const short = (text) => (text.length > 19 ? text.slice(0, 18) + "…" : text);
