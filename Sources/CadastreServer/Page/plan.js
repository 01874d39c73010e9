import { byId, element } from "./dom.js";
import * as format from "./format.js";

function figures(node) {
  const wrong = node.rows && node.estimatedRows
    && Math.max(node.rows / node.estimatedRows, node.estimatedRows / node.rows) >= 10;
  const cell = (name, text, extra) => element("span", { class: `figure ${extra ?? ""}` },
    element("span", { class: "label" }, name), element("span", {}, text));
  return element("span", { class: "figures" },
    cell("estimate", format.estimate(node.estimatedRows), wrong ? "wrong" : ""),
    cell("rows", node.rows === null || node.rows === undefined ? "–" : format.count(node.rows)),
    cell("time", format.time(node.milliseconds)));
}

function tree(node, longest) {
  const bar = element("span", { class: "plan-bar", "aria-hidden": "true" });
  bar.style.width = `${longest > 0 ? Math.min(100, (100 * (node.milliseconds ?? 0)) / longest) : 0}%`;
  return element("li", {},
    element("div", { class: "plan-node" }, bar,
      element("span", { class: "plan-name" }, node.node),
      element("span", { class: "plan-detail" }, node.detail ?? ""),
      figures(node)),
    node.children?.length ? element("ul", {}, ...node.children.map((child) => tree(child, longest))) : null);
}

const longestTime = (node) =>
  Math.max(node.milliseconds ?? 0, ...(node.children ?? []).map(longestTime));

/** Shows the plan of a query, with estimates, measured rows and times, and the rejected access paths. */
export function showPlan({ plan, text, rejected = [], milliseconds }) {
  const place = byId("plan-content");
  const hasReasons = rejected.some(({ reason }) => reason);
  place.replaceChildren(
    element("p", { class: "note" }, `Measured in ${format.time(milliseconds)}. `
      + "The last step is at the top. An estimate that is off by a factor of 10 or more is marked."),
    element("ul", { class: "plan-tree", "aria-label": "Plan" }, tree(plan, longestTime(plan))),
    element("h3", {}, "Rejected access paths"),
    rejected.length === 0
      ? element("p", { class: "note" }, "There was no other access path.")
      : element("table", { class: "rejected" },
        element("thead", {}, element("tr", {},
          element("th", { scope: "col" }, "Access path"),
          hasReasons ? element("th", { scope: "col" }, "Reason") : null,
          element("th", { scope: "col", class: "number" }, "Cost"))),
        element("tbody", {}, ...rejected.map((path) => element("tr", {},
          element("td", {}, path.path),
          hasReasons ? element("td", {}, path.reason ?? "") : null,
          element("td", { class: "number" }, format.estimate(path.cost)))))),
    element("details", {}, element("summary", {}, "As text"), element("pre", { tabindex: 0 }, text ?? "")));
}
