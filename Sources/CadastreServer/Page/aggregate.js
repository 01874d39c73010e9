import { byId, element } from "./dom.js";
import * as format from "./format.js";

/** Shows groups as bars; `onPick(value)` receives the value of a bar that is clicked. */
export function showAggregate({ groups, milliseconds }, { name: field, type }, onPick) {
  const place = byId("aggregate-content");
  if (groups.length === 0) {
    place.replaceChildren(element("p", { class: "note" }, "No object matches."));
    return;
  }
  const results = groups.map(({ result }) => Number(result ?? 0));
  const largest = Math.max(...results.map(Math.abs), 0);
  const bars = groups.map(({ value, count, result }, index) => {
    const name = value === null ? "null" : format.value(value, type);
    const exact = format.result(result);
    const bar = element("span", { class: "bar", "aria-hidden": "true" });
    bar.style.width = `${largest > 0 ? (100 * Math.abs(results[index])) / largest : 0}%`;
    return element("li", {}, element("button", {
      type: "button", class: "bar-row", title: `Add the condition ${field} == ${name}`,
      "aria-label": `${name}: ${exact}, ${format.count(count)} objects. Add as a condition.`,
      onclick: () => onPick(value),
    },
      element("span", { class: `bar-name${value === null ? " null" : ""}` }, name),
      element("span", { class: "bar-track" }, bar),
      element("span", { class: "bar-value" }, exact)));
  });
  place.replaceChildren(
    element("ol", { class: "bars" }, ...bars),
    element("p", { class: "note" },
      `${format.count(groups.length)} groups in ${format.time(milliseconds)}. Click a bar to add it as a condition.`));
}
