// A row with a slider for time, with a button for a step back and one forward.
import { h, unique } from "../dom.js";

// timeRow makes one. words are what a place is called, and moved is called with the place.
export function timeRow({ label, last, words, moved }) {
  const id = unique("time");
  const slider = h("input", { type: "range", id, min: 0, max: Math.max(last, 0), value: 0, oninput: () => go(Number(slider.value)) });
  const go = (t) => {
    slider.value = Math.max(0, Math.min(last, t));
    slider.setAttribute("aria-valuetext", words(Number(slider.value)));
    moved(Number(slider.value));
  };
  const step = (by) => go(Number(slider.value) + by);
  const element = h("div", { class: "time" }, h("label", { for: id }, label), h("button", { type: "button", "aria-label": "one step back", onclick: () => step(-1) }, "◀"), slider,
    h("button", { type: "button", "aria-label": "one step forward", onclick: () => step(1) }, "▶"));
  return { element, go };
}
