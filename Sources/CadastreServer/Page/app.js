import { AggregatePanel } from "./aggregate-panel.js";
import { api, Latest } from "./api.js";
import { Basemap } from "./basemap.js";
import { announce, byId, debounced, element } from "./dom.js";
import { DrawTools } from "./draw-tools.js";
import * as format from "./format.js";
import { earthRadius } from "./geodesic.js";
import { connectLive } from "./live.js";
import { MapColours } from "./map-colours.js";
import { connectMapInput } from "./map-input.js";
import { PlaceMap } from "./map.js";
import { connectMenu } from "./menu.js";
import { project, unproject, wrapLongitude } from "./mercator.js";
import { PlaceFinder } from "./place-finder.js";
import { showPlan } from "./plan.js";
import { PredicateBox } from "./predicate-box.js";
import { fieldText, literal, withCondition, withoutRegion, withRegion } from "./predicate-text.js";
import { regionOverlay } from "./region-overlay.js";
import { Results } from "./results.js";
import { scaleBar } from "./scale-bar.js";
import { middleOf } from "./shapes.js";
import { connectSplitter } from "./splitter.js";
import { onStateChange, state, update } from "./state.js";
import { ResultTable } from "./table.js";
import { connectTabs } from "./tabs.js";
import { connectTheme } from "./theme.js";
import { Tooltip } from "./tooltip.js";

let store = { name: "", version: 0, classes: [] };
const currentClass = () => store.classes.find(({ name }) => name === state.class);
const properties = () => currentClass()?.properties ?? [];
const geometryField = () => currentClass()?.geometry ?? null;
/** The name of the position in a predicate. */
const regionField = () => fieldText(geometryField());

const basemap = new Basemap();
const map = new PlaceMap(byId("map"), basemap);
const table = new ResultTable();
const tooltip = new Tooltip(byId("tooltip"));
const finder = new PlaceFinder();
const colours = new MapColours(map);
const box = new PredicateBox((text) => run(text));
const results = new Results(table, box, {
  properties,
  area: () => {
    const [west, south, east, north] = map.bounds();
    return [east - west >= 360 ? west : wrapLongitude(west), south, east - west >= 360 ? east : wrapLongitude(east), north]
      .map((degrees) => degrees.toFixed(6)).join(",");
  },
});
const aggregates = new AggregatePanel((property, value) =>
  run(withCondition(box.text, `${fieldText(property.name)} == ${literal(value, property.type)}`)));
const plans = new Latest();
const checks = new Latest();
map.overlays.push(regionOverlay(() => state.predicate), scaleBar(byId("scale")));
const tools = new DrawTools(
  map, { circle: byId("draw-circle"), box: byId("draw-box"), polygon: byId("draw-polygon") }, byId("draw-hint"),
  (condition) => {
    run(withRegion(box.text, regionField(), condition(regionField()), earthRadius));
    byId("predicate").scrollTop = byId("predicate").scrollHeight;
  });
const showPanel = connectTabs(byId("tabs"), (name) => update({ panel: name }));

/** Runs a predicate: all panels follow. */
function run(text) {
  box.text = text;
  box.remember(text);
  const changed = update({ predicate: text, selected: "" }, { step: true });
  if (!changed.has("predicate")) loadAll();
}

function useTiles({ keep = false } = {}) {
  const property = properties().some(({ name }) => name === state.colour) ? state.colour : "";
  const source = { class: state.class, predicate: state.predicate, property, version: store.version };
  map.tiles.setSource(geometryField() ? api.tileAddress(source) : null, property, { keep });
  map.draw();
}

async function loadPlan() {
  try {
    const result = await plans.run((signal) => api.explain({
      class: state.class, predicate: state.predicate, sort: state.sort, order: state.sort ? state.order : "",
      limit: state.limit,
    }, signal));
    if (result) showPlan(result);
  } catch (error) {
    byId("plan-content").replaceChildren(element("p", { class: "problem" }, error.message));
  }
}

function loadPanel() {
  showPanel(state.panel);
  if (state.panel === "plan") loadPlan();
  if (state.panel === "aggregate") aggregates.load(properties(), currentClass()?.primaryKey);
}

/** Checks the predicate before it runs, and marks its error. */
async function isValid() {
  const { predicate } = state;
  if (predicate.trim() === "") return true;
  const result = await checks.run((signal) => api.check({ class: state.class, predicate }, signal)).catch(() => null);
  if (result && !result.valid) box.showError(result.error);
  return result === null || result?.valid === true;
}

async function loadAll() {
  finder.clear();
  showDownloads();
  map.selected = map.hovered = null;
  table.select(null);
  // Map and panels keep the objects of the last valid predicate.
  const worked = (await isValid()) && (await results.load());
  byId("main").classList.toggle("stale", !worked);
  if (!worked) return;
  useTiles();
  colours.update(properties());
  loadPanel();
  restoreSelection();
}

function showDownloads() {
  for (const kind of ["csv", "geojson"]) {
    byId(`download-${kind}`).href = api.downloadAddress({
      class: state.class, predicate: state.predicate, sort: state.sort, order: state.sort ? state.order : "", format: kind,
    });
  }
  byId("download-geojson").hidden = !geometryField();
}

function showClass() {
  byId("class").value = state.class;
  const fields = properties();
  box.setClass(store.name, state.class);
  byId("sort").replaceChildren(
    element("option", { value: "" }, "store order"),
    ...fields.filter(({ collection, type }) => !collection && !["point", "geometry", "object", "data", "any"].includes(type))
      .map(({ name }) => element("option", { value: name }, name)));
  colours.showFields(fields);
  aggregates.showFields(fields);
  for (const kind of ["circle", "box", "polygon"]) byId(`draw-${kind}`).disabled = !geometryField();
  byId("draw-clear").disabled = !geometryField();
  byId("map-note").hidden = Boolean(geometryField());
  byId("map-note").textContent = `Class ${state.class} has no position.`;
}

function showControls() {
  byId("sort").value = state.sort;
  byId("order").dataset.order = state.order;
  byId("order").setAttribute("aria-label", state.order === "desc" ? "Order: descending" : "Order: ascending");
  byId("order").disabled = !state.sort;
  byId("limit").value = String(state.limit);
  byId("in-view").checked = state.inView;
}

function showStore() {
  document.title = `${store.name} – Cadastre`;
  byId("store-name").textContent = store.name;
  byId("class").replaceChildren(...store.classes.map(({ name, count }) =>
    element("option", { value: name }, `${name} (${format.count(count)})`)));
  byId("class").value = state.class;
}

function showView() {
  const [longitude, latitude, zoom] = state.view.split(",").map(Number);
  if (!state.view || ![longitude, latitude, zoom].every(Number.isFinite)) return false;
  const [x, y] = project(longitude, latitude);
  map.setView({ x, y, zoom });
  return true;
}

// Selection: one row or point, marked on the map and in the table.

const positionOf = (entry) => middleOf(entry?.geometry);

function select(entry, { fromMap = false } = {}) {
  table.select(entry, { scroll: true });
  map.selected = positionOf(entry);
  if (map.selected && !fromMap) map.reveal(map.selected.longitude, map.selected.latitude);
  update({ selected: entry ? String(entry.key) : "" });
  map.draw();
  if (entry) announce(`Selected ${entry.id}`);
}

function restoreSelection() {
  const entry = state.selected ? table.entry(state.selected) : null;
  if (!entry) return;
  table.select(entry, { scroll: true });
  map.selected = positionOf(entry);
  map.draw();
}

async function pick({ left, top, slack }) {
  const point = map.pointAt(left, top, slack);
  if (!point) return select(null, { fromMap: true });
  if (point.count > 1) return map.zoomAround(point.left, point.top, map.zoom + 2, { animate: true });
  const known = table.entry(point.id);
  const entry = known ?? (await finder.find(map, point))?.entry;
  if (entry) select(entry, { fromMap: true });
}

const describe = debounced(90, async (point, position) => {
  if (map.hovered?.id !== point.id) return;
  const known = table.entry(point.id);
  const found = known ? { columns: results.columns, entry: known } : await finder.find(map, point);
  if (found && map.hovered?.id === point.id) tooltip.showRow(found.columns, found.entry, properties(), position);
});

function hover(place) {
  const point = map.pointAt(place.left, place.top);
  map.canvas.classList.toggle("over-point", Boolean(point));
  if (map.hovered?.id === point?.id) return;
  map.hovered = point;
  map.draw();
  table.hover(point && point.count === 1 ? point.id : null);
  if (!point) return tooltip.hide();
  tooltip.showPoint(point, state.colour, colours.isNumeric, point);
  if (point.count === 1) describe(point, { left: point.left, top: point.top });
}

function leave() {
  if (!map.hovered) return;
  map.hovered = null;
  tooltip.hide();
  table.hover(null);
  map.draw();
}

table.addEventListener("select", ({ detail }) => select(detail));
table.addEventListener("hover", ({ detail }) => {
  map.hovered = positionOf(detail);
  map.draw();
});
table.addEventListener("sort", ({ detail: field }) => {
  const again = state.sort === field;
  if (again && state.order === "desc") update({ sort: "", order: "asc" }, { step: true });
  else update({ sort: field, order: again ? "desc" : "asc" }, { step: true });
});
connectMapInput(map, tools, { onPick: pick, onHover: hover, onLeave: leave });

const followMap = debounced(250, () => {
  const [longitude, latitude] = unproject(map.center.x, map.center.y);
  update({ view: `${longitude.toFixed(5)},${latitude.toFixed(5)},${map.zoom.toFixed(2)}` });
  if (state.inView) results.load();
});
map.addEventListener("moved", followMap);

// Controls.

byId("query").addEventListener("submit", (event) => {
  event.preventDefault();
  run(box.text);
});
byId("class").addEventListener("change", (event) => update({
  class: event.target.value, predicate: "", sort: "", order: "asc", colour: "", by: "", of: "", selected: "",
}, { step: true }));
byId("sort").addEventListener("change", (event) => update({ sort: event.target.value }, { step: true }));
byId("order").addEventListener("click", () => update({ order: state.order === "asc" ? "desc" : "asc" }, { step: true }));
byId("draw-clear").addEventListener("click", () => run(withoutRegion(box.text, regionField(), earthRadius)));
byId("zoom-in").addEventListener("click", () => map.zoomAround(map.width / 2, map.height / 2, map.zoom + 1, { animate: true }));
byId("zoom-out").addEventListener("click", () => map.zoomAround(map.width / 2, map.height / 2, map.zoom - 1, { animate: true }));
byId("zoom-all").addEventListener("click", () => map.fit(currentClass()?.extent ?? [-180, -60, 180, 75], { animate: true }));
byId("share").addEventListener("click", async () => {
  try {
    await navigator.clipboard.writeText(location.href);
    announce("The address is copied. It shows this query, table and map.");
  } catch {
    announce("The address of the page shows this query, table and map. Copy it from the address bar.");
  }
});
connectMenu(byId("download-button"), byId("download-menu"));
connectTheme(byId("theme"));
connectSplitter(byId("splitter"), byId("main"));

addEventListener("keydown", (event) => {
  const typing = event.target.closest?.("input, textarea, select");
  if (event.key !== "/" || typing || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  box.focus();
});

onStateChange((changed) => {
  if (changed.has("class")) showClass();
  // Other changes, such as a moved map, leave a predicate that is being typed.
  if (changed.has("class") || changed.has("predicate")) box.text = state.predicate;
  showControls();
  if (changed.has("class")) {
    loadAll();
    if (!changed.has("view")) map.fit(currentClass()?.extent ?? [-180, -60, 180, 75]);
    return;
  }
  if (changed.has("predicate")) loadAll();
  else if (["sort", "order", "limit", "inView"].some((name) => changed.has(name))) {
    showDownloads();
    results.load().then(restoreSelection);
    if (state.panel === "plan") loadPlan();
  }
  if (changed.has("colour") && !changed.has("predicate")) {
    useTiles({ keep: false });
    colours.update(properties());
  }
  if (["panel", "by", "function", "of"].some((name) => changed.has(name))) loadPanel();
});
addEventListener("popstate", () => showView());

// Live changes.

const statusTexts = { connected: "Live", connecting: "Connecting …", lost: "Connection lost" };

function showStatus(status) {
  byId("status").dataset.status = status;
  byId("status-text").textContent = statusTexts[status];
}

const reload = debounced(60, async (version) => {
  const before = results.total;
  try {
    store = { ...(await api.store()) };
  } catch {
    return;
  }
  if (version) store.version = version;
  showStore();
  finder.clear();
  useTiles({ keep: true });
  const selected = state.selected;
  await results.load({ keepPage: true, live: true });
  if (selected) restoreSelection();
  if (state.panel !== "results") loadPanel();
  for (const id of ["status", "count"]) flash(byId(id));
  if (before !== results.total) announce(`The store changed: ${format.count(results.total)} objects match.`);
});

function flash(node) {
  node.classList.remove("changed");
  // Reading the size starts the animation again.
  void node.offsetWidth;
  node.classList.add("changed");
}

async function start() {
  basemap.load(byId("map").dataset.countries).then(() => map.draw(), () => {});
  try {
    store = await api.store();
  } catch (error) {
    announce(`The store cannot be read: ${error.message}`);
    byId("map-note").hidden = false;
    byId("map-note").textContent = error.message;
    return;
  }
  if (!currentClass()) {
    const first = store.classes.find(({ geometry }) => geometry) ?? store.classes[0];
    if (!first) {
      byId("map-note").hidden = false;
      byId("map-note").textContent = "The store has no classes.";
      return;
    }
    update({ class: first.name });
  } else {
    showClass();
    loadAll();
  }
  box.text = state.predicate;
  showStore();
  showControls();
  showPanel(state.panel);
  if (!showView()) map.fit(currentClass()?.extent ?? [-180, -60, 180, 75]);
  connectLive("explorer/changes", ({ version, classes }) => {
    // Objects of other classes may be reached by links; all commits reload.
    reload(classes ? version : null);
  }, showStatus);
}

/** For measurements from the developer tools: `cadastre.map.frameTimes`. */
globalThis.cadastre = { map };

start();
