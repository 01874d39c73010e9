// Elements are built from text only: data from a store never reaches an HTML parser.

/** Returns the element with an id. */
export const byId = (id) => document.getElementById(id);

/** Creates an element with attributes, listeners (`onclick`) and children (elements or text). */
export function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

/** Returns a function that calls `body` once the calls have stopped for `milliseconds`. */
export function debounced(milliseconds, body) {
  let timer = 0;
  return (...values) => {
    clearTimeout(timer);
    timer = setTimeout(() => body(...values), milliseconds);
  };
}

/** Whether the user asks for less motion. */
export const reducedMotion = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** Shows a short message that screen readers announce. */
export function announce(text) {
  const place = byId("announcement");
  place.textContent = text;
  place.classList.add("shown");
  clearTimeout(announce.timer);
  announce.timer = setTimeout(() => place.classList.remove("shown"), 2500);
}
