import { announce } from "./dom.js";
import { angle, circleOutline, denseRing, continuousRing, earthRadius } from "./geodesic.js";
import { project, wrapLongitude } from "./mercator.js";
import { boxCondition, circleCondition, polygonCondition } from "./predicate-text.js";
import { colour } from "./theme.js";
import { traceRing } from "./region-overlay.js";

const hints = {
  circle: "Circle: drag from the centre, or set the centre and the edge with two clicks. Escape cancels.",
  box: "Box: drag from corner to corner, or click two corners. Escape cancels.",
  polygon: "Polygon: click the corners; double click or click the first corner to close. Escape cancels.",
};
const keyHint = " With keys: arrows move the map, Enter sets a point in the middle.";

/** The tools that draw a circle, a box or a polygon as a condition. */
export class DrawTools {
  active = null;
  #map;
  #buttons;
  #hint;
  #onDone;
  #points = [];
  #current = null;
  #dragging = false;
  #keyboard = false;

  /** `buttons` maps kinds to buttons; `onDone(makeCondition)` receives a function of the field's name. */
  constructor(map, buttons, hint, onDone) {
    this.#map = map;
    this.#buttons = buttons;
    this.#hint = hint;
    this.#onDone = onDone;
    for (const [kind, button] of Object.entries(buttons)) {
      button.addEventListener("click", (event) => {
        this.select(this.active === kind ? null : kind);
        // A click without a pointer comes from the keyboard.
        if (this.active && event.detail === 0) {
          this.move({ left: map.width / 2, top: map.height / 2 }, true);
        }
        if (this.active) map.canvas.focus();
      });
    }
    map.overlays.push((context) => this.#render(context));
  }

  /** Activates a tool, or none. */
  select(kind) {
    this.active = kind;
    this.#reset();
    for (const [name, button] of Object.entries(this.#buttons)) {
      button.setAttribute("aria-pressed", String(name === kind));
    }
    this.#map.canvas.classList.toggle("drawing", kind !== null);
    this.#hint.hidden = kind === null;
    if (kind) this.#hint.textContent = hints[kind] + keyHint;
  }

  #reset() {
    this.#points = [];
    this.#current = null;
    this.#dragging = false;
    this.#keyboard = false;
    this.#map.draw();
  }

  cancel() {
    if (this.active) this.select(null);
  }

  /** Forgets a drag that became a gesture of two fingers. */
  cancelDrag() {
    if (this.#dragging) this.#reset();
  }

  #positionOf({ left, top }) {
    return this.#map.toPosition(left, top);
  }

  down(place) {
    this.#keyboard = false;
    if (this.active !== "polygon" && this.#points.length === 0) {
      this.#points = [this.#positionOf(place)];
      this.#dragging = true;
    }
    this.#current = this.#positionOf(place);
    this.#map.draw();
  }

  move(place, keyboard = false) {
    this.#keyboard = keyboard;
    this.#current = this.#positionOf(place);
    this.#showMeasure();
    this.#map.draw();
  }

  up(place, tap) {
    this.#current = this.#positionOf(place);
    if (this.active === "polygon") this.#addCorner();
    else if (this.#dragging) {
      this.#dragging = false;
      if (!tap) this.finish();
    } else this.finish();
    this.#map.draw();
  }

  /** Sets a point in the middle of the map. */
  keyPoint() {
    const place = { left: this.#map.width / 2, top: this.#map.height / 2 };
    this.#keyboard = true;
    this.#current = this.#positionOf(place);
    if (this.active === "polygon") {
      if (this.#isNear(this.#points.at(-1)) && this.#points.length >= 3) this.finish();
      else this.#addCorner();
    } else if (this.#points.length === 0) {
      this.#points = [this.#current];
      announce("First point set.");
    } else this.finish();
    this.#map.draw();
  }

  removeLast() {
    this.#points.pop();
    this.#map.draw();
  }

  #isNear(position) {
    if (!position || !this.#current) return false;
    const [a, b] = [this.#map.toScreen(...project(...position)), this.#map.toScreen(...project(...this.#current))];
    return Math.hypot(a[0] - b[0], a[1] - b[1]) < 10;
  }

  #addCorner() {
    if (this.#points.length >= 3 && this.#isNear(this.#points[0])) return this.finish();
    // The second click of a double click is at the corner of the first one.
    if (this.#points.length > 0 && this.#isNear(this.#points.at(-1))) return;
    this.#points.push(this.#current);
    announce(`Corner ${this.#points.length} set.`);
  }

  #showMeasure() {
    if (this.active === "circle" && this.#points.length === 1) {
      const radius = angle(this.#points[0], this.#current) * earthRadius;
      this.#hint.textContent = `Radius ${(radius / 1000).toPrecision(3)} km`;
    }
  }

  /** Ends the drawing if it has enough points. */
  finish() {
    const points = this.#points;
    const last = this.#current;
    let condition = null;
    if (this.active === "circle" && points.length === 1 && !this.#isNear(points[0])) {
      const center = [wrapLongitude(points[0][0]), points[0][1]];
      const radius = angle(points[0], last) * earthRadius;
      condition = (field) => circleCondition(field, center, radius);
    } else if (this.active === "box" && points.length === 1 && !this.#isNear(points[0])) {
      const [west, east] = [points[0][0], last[0]].sort((a, b) => a - b);
      const [south, north] = [points[0][1], last[1]].sort((a, b) => a - b);
      const all = east - west >= 360;
      condition = (field) => boxCondition(
        field, [all ? -180 : wrapLongitude(west), south], [all ? 180 : wrapLongitude(east), north]);
    } else if (this.active === "polygon" && points.length >= 3) {
      const ring = points.map(([longitude, latitude]) => [wrapLongitude(longitude), latitude]);
      condition = (field) => polygonCondition(field, ring);
    }
    if (!condition) return;
    this.select(null);
    this.#onDone(condition);
  }

  #outline() {
    const [first] = this.#points;
    if (!first || !this.#current) return null;
    if (this.active === "circle") return circleOutline(first, angle(first, this.#current));
    if (this.active === "box") {
      const [w, s] = first;
      const [e, n] = this.#current;
      return denseRing([[w, s], [e, s], [e, n], [w, n], [w, s]], true);
    }
    return denseRing([...this.#points, this.#current, first], false);
  }

  #render(context) {
    if (!this.active) return;
    const outline = this.#outline();
    context.strokeStyle = context.fillStyle = colour("region");
    context.lineWidth = 2;
    if (outline) {
      const path = new Path2D();
      // The outline stays on the world where the user draws.
      traceRing(path, continuousRing(outline), this.#map, this.#worldOf(outline));
      context.globalAlpha = 0.12;
      context.fill(path, "evenodd");
      context.globalAlpha = 1;
      context.setLineDash([6, 4]);
      context.stroke(path);
      context.setLineDash([]);
    }
    for (const point of this.#points) {
      const [left, top] = this.#map.toScreenExactly(...project(...point));
      context.beginPath();
      context.arc(left, top, 4, 0, 2 * Math.PI);
      context.fill();
    }
    if (this.#keyboard) {
      const [left, top] = [this.#map.width / 2, this.#map.height / 2];
      context.beginPath();
      context.moveTo(left - 12, top);
      context.lineTo(left + 12, top);
      context.moveTo(left, top - 12);
      context.lineTo(left, top + 12);
      context.stroke();
    }
  }

  /** The number of worlds between the outline, which begins within ±180°, and the first point drawn. */
  #worldOf(outline) {
    return Math.round((this.#points[0][0] - outline[0][0]) / 360);
  }
}
