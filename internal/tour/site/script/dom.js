// h makes an element: h("button", {class: "run", onclick}, "Run"). Texts are never HTML.
export function h(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

// s makes an element of an SVG picture.
export function s(name, attributes = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}

function fill(e, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) e.addEventListener(key.slice(2), value);
    else e.setAttribute(key, value === true ? "" : value);
  }
  e.append(...children.flat().filter((c) => c !== undefined && c !== null && c !== false));
  return e;
}

let count = 0;
export const unique = (prefix) => `${prefix}-${++count}`;

export const plural = (n, one, many = one + "s") => `${n.toLocaleString("en")} ${n === 1 ? one : many}`;

// lanesOf are the lanes of a mask.
export const lanesOf = (mask) => Array.from({ length: 32 }, (_, i) => i).filter((i) => (mask >>> i) & 1);

export const countLanes = (mask) => lanesOf(mask).length;
