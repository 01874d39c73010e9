import { plainScale } from "./colours.js";
import { reducedMotion } from "./dom.js";
import { project, tileSize, unproject } from "./mercator.js";
import { Pictures } from "./pictures.js";
import { margin, nearest, radius } from "./points.js";
import { colour, onThemeChange } from "./theme.js";
import { Tiles } from "./tiles.js";

const maximumZoom = 18;

/**
 * A map on one canvas. The view is a centre on the unit square of Web Mercator and a zoom; the world is
 * 512 CSS pixels wide at zoom 0 and repeats to the east and west.
 */
export class PlaceMap extends EventTarget {
  center = { x: 0.5, y: 0.42 };
  zoom = 1;
  /** Draws above the points: `(context, map) => void`. */
  overlays = [];
  scale = plainScale();
  selected = null;
  hovered = null;
  /** Durations of the last frames in milliseconds, for measurements. */
  frameTimes = [];
  #flashes = [];
  #animation = null;
  #requested = false;
  #moved = false;

  constructor(canvas, basemap) {
    super();
    this.canvas = canvas;
    this.basemap = basemap;
    this.context = canvas.getContext("2d", { alpha: false });
    this.tiles = new Tiles((entry, previous) => {
      if (entry && previous) this.#flashChanges(entry, previous);
      if (!this.tiles.isLoading) this.dispatchEvent(new Event("loaded"));
      this.draw();
    });
    this.pictures = new Pictures(() => this.draw());
    new ResizeObserver(() => this.#resize()).observe(canvas.parentElement);
    onThemeChange(() => this.draw());
    this.#resize();
  }

  #resize() {
    const { clientWidth, clientHeight } = this.canvas.parentElement;
    this.ratio = Math.min(2, devicePixelRatio || 1);
    this.width = clientWidth;
    this.height = clientHeight;
    this.canvas.width = Math.round(clientWidth * this.ratio);
    this.canvas.height = Math.round(clientHeight * this.ratio);
    this.#clamp();
    this.#render();
  }

  get size() {
    return tileSize * 2 ** this.zoom;
  }

  get minimumZoom() {
    return Math.max(-1, Math.log2(this.height / tileSize) - 0.6);
  }

  /** Returns the position on the screen of a place on the unit square, on the world nearest to the centre. */
  toScreen(x, y) {
    const near = x - Math.round(x - this.center.x);
    return this.toScreenExactly(near, y);
  }

  /** Returns the position on the screen without choosing a world. */
  toScreenExactly(x, y) {
    return [
      this.width / 2 + (x - this.center.x) * this.size,
      this.height / 2 + (y - this.center.y) * this.size,
    ];
  }

  /** Returns longitude (perhaps beyond 180) and latitude of a position on the screen. */
  toPosition(left, top) {
    return unproject(
      this.center.x + (left - this.width / 2) / this.size,
      this.center.y + (top - this.height / 2) / this.size);
  }

  /** Returns the visible area `[west, south, east, north]`, limited to one world. */
  bounds() {
    const [west, north] = this.toPosition(0, 0);
    const [east, south] = this.toPosition(this.width, this.height);
    return east - west >= 360 ? [-180, south, 180, north] : [west, south, east, north];
  }

  /** Moves the view; without `animate` at once. */
  setView({ x = this.center.x, y = this.center.y, zoom = this.zoom }, { animate = false } = {}) {
    this.#animation = null;
    if (animate && !reducedMotion()) {
      const from = { ...this.center, zoom: this.zoom };
      this.#animation = { from, to: { x, y, zoom }, start: performance.now(), length: 220 };
      this.draw();
      return;
    }
    Object.assign(this.center, { x, y });
    this.zoom = zoom;
    this.#clamp();
    this.#moved = true;
    this.draw();
  }

  /** Changes the zoom so that the place at a position on the screen stays there. */
  zoomAround(left, top, zoom, options) {
    const bounded = this.#boundedZoom(zoom);
    const next = tileSize * 2 ** bounded;
    const [dx, dy] = [left - this.width / 2, top - this.height / 2];
    this.setView({
      x: this.center.x + dx / this.size - dx / next,
      y: this.center.y + dy / this.size - dy / next,
      zoom: bounded,
    }, options);
  }

  /** Moves the view by pixels. */
  panBy(dx, dy, options) {
    this.setView({ x: this.center.x + dx / this.size, y: this.center.y + dy / this.size }, options);
  }

  /** Shows an area `[west, south, east, north]`. */
  fit([west, south, east, north], options) {
    const [left, top] = project(west, north);
    const [right, bottom] = project(east < west ? east + 360 : east, south);
    const zoom = Math.log2(Math.min(
      (this.width - 60) / Math.max(right - left, 1e-6),
      (this.height - 60) / Math.max(bottom - top, 1e-6)) / tileSize);
    this.setView(
      { x: (left + right) / 2, y: (top + bottom) / 2, zoom: Math.min(this.#boundedZoom(zoom), 12) }, options);
  }

  /** Moves the view so that a place is visible, if it is not. */
  reveal(longitude, latitude) {
    const [x, y] = project(longitude, latitude);
    const [left, top] = this.toScreen(x, y);
    if (left > 30 && top > 30 && left < this.width - 30 && top < this.height - 30) return;
    this.setView({ x, y }, { animate: true });
  }

  #boundedZoom(zoom) {
    return Math.max(this.minimumZoom, Math.min(maximumZoom, zoom));
  }

  #clamp() {
    this.zoom = this.#boundedZoom(this.zoom);
    const half = this.height / 2 / this.size;
    this.center.y = half >= 0.5 ? 0.5 : Math.max(half, Math.min(1 - half, this.center.y));
    this.center.x -= Math.floor(this.center.x);
  }

  /** The zoom of the tiles on the screen. */
  get tileZoom() {
    return Math.max(0, Math.round(this.zoom));
  }

  #visibleTiles() {
    const z = this.tileZoom;
    const worlds = 2 ** z;
    const size = this.size / worlds;
    const [left, top] = this.toScreenExactly(0, 0);
    const result = [];
    const lastRow = Math.min(worlds - 1, Math.floor((this.height - top) / size));
    for (let row = Math.max(0, Math.floor(-top / size)); row <= lastRow; row += 1) {
      for (let column = Math.floor(-left / size); left + column * size < this.width; column += 1) {
        const x = ((column % worlds) + worlds) % worlds;
        result.push({ z, x, y: row, left: left + column * size, top: top + row * size, size });
      }
    }
    const middle = (tile) => Math.hypot(
      tile.left + size / 2 - this.width / 2, tile.top + size / 2 - this.height / 2);
    return result.sort((a, b) => middle(a) - middle(b));
  }

  /** Draws before the next frame. */
  draw() {
    if (this.#requested) return;
    this.#requested = true;
    requestAnimationFrame(() => {
      this.#requested = false;
      this.#render();
    });
  }

  #step(now) {
    if (!this.#animation) return;
    const { from, to, start, length } = this.#animation;
    const share = Math.min(1, (now - start) / length);
    const eased = 1 - (1 - share) ** 3;
    const zoom = from.zoom + (to.zoom - from.zoom) * eased;
    // The centre follows the size of the world, so that the fixed place of a zoom stays fixed.
    const change = 2 ** -to.zoom - 2 ** -from.zoom;
    const moved = Math.abs(change) < 1e-15 ? eased : (2 ** -zoom - 2 ** -from.zoom) / change;
    this.center.x = from.x + (to.x - from.x) * moved;
    this.center.y = from.y + (to.y - from.y) * moved;
    this.zoom = zoom;
    if (share >= 1) {
      this.#animation = null;
      this.#clamp();
    }
    this.#moved = true;
    this.draw();
  }

  #render() {
    const start = performance.now();
    if (this.width === 0 || this.height === 0) return;
    this.#step(start);
    const { context, ratio } = this;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const [left, top] = this.toScreenExactly(0, 0);
    this.basemap.draw(context, { width: this.width, height: this.height, left, top, size: this.size }, ratio);
    this.#renderTiles();
    this.#renderFlashes(start);
    for (const overlay of this.overlays) overlay(context, this);
    this.#renderMarks();
    this.frameTimes.push(performance.now() - start);
    if (this.frameTimes.length > 600) this.frameTimes.shift();
    if (this.#moved && !this.#animation) {
      this.#moved = false;
      this.dispatchEvent(new Event("moved"));
    }
  }

  #renderTiles() {
    const visible = this.#visibleTiles();
    this.tiles.keepOnly(new Set(visible.map(({ z, x, y }) => `${z}/${x}/${y}`)));
    for (const place of visible) {
      const entry = this.tiles.get(place.z, place.x, place.y);
      if (entry) this.pictures.request(entry, this.scale, place.z, this.ratio);
      if (entry?.picture) this.#copy(entry.picture, place);
      else this.#renderSubstitute(place);
    }
  }

  #copy(image, { left, top, size }) {
    const border = (margin * size) / tileSize;
    this.context.drawImage(image, left - border, top - border, size + 2 * border, size + 2 * border);
  }

  /** Shows the part of a loaded tile of a lower zoom, or loaded tiles of the next zoom. */
  #renderSubstitute(place) {
    for (let step = 1; step <= 5 && place.z - step >= 0; step += 1) {
      const [x, y] = [place.x >> step, place.y >> step];
      const entry = this.tiles.peek(place.z - step, x, y);
      if (!entry?.picture) continue;
      const size = place.size * 2 ** step;
      this.context.save();
      this.context.beginPath();
      this.context.rect(place.left, place.top, place.size, place.size);
      this.context.clip();
      this.#copy(entry.picture, {
        left: place.left - (place.x - (x << step)) * place.size,
        top: place.top - (place.y - (y << step)) * place.size,
        size,
      });
      this.context.restore();
      return;
    }
    const half = place.size / 2;
    for (const [column, row] of [[0, 0], [1, 0], [0, 1], [1, 1]]) {
      const entry = this.tiles.peek(place.z + 1, place.x * 2 + column, place.y * 2 + row);
      if (entry?.picture) {
        this.#copy(entry.picture, { left: place.left + column * half, top: place.top + row * half, size: half });
      }
    }
  }

  /** Remembers the points that a commit added or moved, for a short highlight. */
  #flashChanges(entry, previous) {
    if (entry.z !== previous.z || entry.tile.x.length > 20_000) return;
    const known = new Map();
    const place = (tile, index) => `${tile.x[index]},${tile.y[index]},${tile.count[index]}`;
    for (let index = 0; index < previous.tile.id.length; index += 1) {
      known.set(previous.tile.id[index], place(previous.tile, index));
    }
    const worlds = 2 ** entry.z;
    const start = performance.now();
    for (let index = 0; index < entry.tile.id.length && this.#flashes.length < 400; index += 1) {
      if (known.get(entry.tile.id[index]) === place(entry.tile, index)) continue;
      this.#flashes.push({
        x: (entry.x + entry.tile.x[index]) / worlds, y: (entry.y + entry.tile.y[index]) / worlds, start,
        size: radius(entry.tile.count[index], entry.z),
      });
    }
  }

  #renderFlashes(now) {
    const length = 1600;
    this.#flashes = this.#flashes.filter(({ start }) => now - start < length);
    if (this.#flashes.length === 0) return;
    this.context.strokeStyle = colour("flash");
    this.context.lineWidth = 2;
    for (const { x, y, start, size } of this.#flashes) {
      const share = Math.max(0, (now - start) / length);
      const [left, top] = this.toScreen(x, y);
      this.context.globalAlpha = reducedMotion() ? 1 : 1 - share;
      this.context.beginPath();
      this.context.arc(left, top, size + 3 + (reducedMotion() ? 0 : share * 12), 0, 2 * Math.PI);
      this.context.stroke();
    }
    this.context.globalAlpha = 1;
    this.draw();
  }

  #renderMarks() {
    const ring = (mark, name, size) => {
      if (!mark || mark.isShape) return;
      const [left, top] = this.toScreen(...project(mark.longitude, mark.latitude));
      this.context.beginPath();
      this.context.arc(left, top, size, 0, 2 * Math.PI);
      this.context.strokeStyle = colour("halo");
      this.context.lineWidth = 5;
      this.context.stroke();
      this.context.strokeStyle = colour(name);
      this.context.lineWidth = 2.5;
      this.context.stroke();
    };
    ring(this.hovered, "hover-mark", 8);
    ring(this.selected, "select-mark", 9);
  }

  /** Returns the point, aggregate or shape at a position on the screen, or null. */
  pointAt(left, top, slack = 4) {
    let best = null;
    for (const place of this.#visibleTiles()) {
      if (left < place.left - margin || top < place.top - margin) continue;
      if (left > place.left + place.size + margin || top > place.top + place.size + margin) continue;
      const entry = this.tiles.get(place.z, place.x, place.y);
      if (!entry) continue;
      const { tile } = entry;
      const { index, distance } = nearest(
        tile, (left - place.left) / place.size, (top - place.top) / place.size, place.z, slack, place.size);
      if (index < 0 || (best && best.distance <= distance)) continue;
      const worlds = 2 ** place.z;
      // A shape is found where the pointer is, because its middle can be outside of it.
      const isShape = Boolean(tile.shapes?.[index]);
      const x = isShape ? (left - place.left) / place.size : tile.x[index];
      const y = isShape ? (top - place.top) / place.size : tile.y[index];
      const [longitude, latitude] = unproject((place.x + x) / worlds, (place.y + y) / worlds);
      best = {
        distance, longitude, latitude, id: tile.id[index], count: tile.count[index], isShape,
        value: tile.value ? tile.value[index] : null,
        left: place.left + x * place.size, top: place.top + y * place.size,
      };
    }
    return best;
  }
}
