import { project, latitudeLimit } from "./mercator.js";
import { colour } from "./theme.js";

const onSeam = ([longitude]) => Math.abs(longitude) > 179.999;

/** The outlines of countries and the graticule below the points. */
export class Basemap {
  #countries = [];

  /** Loads the outlines of countries. */
  async load(address) {
    const { features } = await (await fetch(address)).json();
    this.#countries = features.map(({ geometry }) => {
      const fill = new Path2D();
      const stroke = new Path2D();
      const box = [1, 1, 0, 0];
      const polygons = geometry.type === "Polygon" ? [geometry.coordinates] : geometry.coordinates;
      for (const ring of polygons.flat()) addRing(ring, fill, stroke, box);
      return { fill, stroke, box };
    });
  }

  /** Draws into a context for a view `{ width, height, left, top, size }`; `size` is the world's width. */
  draw(context, view, ratio) {
    context.fillStyle = colour("water");
    context.fillRect(0, 0, view.width, view.height);
    const land = colour("land");
    const border = colour("border-line");
    const first = Math.floor(-view.left / view.size) - 1;
    const last = Math.ceil((view.width - view.left) / view.size);
    for (let world = first; world <= last; world += 1) {
      const left = view.left + world * view.size;
      if (left + view.size < 0 || left > view.width) continue;
      const shown = this.#countries.filter(({ box }) =>
        left + box[2] * view.size >= 0 && left + box[0] * view.size <= view.width
        && view.top + box[3] * view.size >= 0 && view.top + box[1] * view.size <= view.height);
      context.save();
      context.setTransform(view.size * ratio, 0, 0, view.size * ratio, left * ratio, view.top * ratio);
      context.fillStyle = land;
      for (const { fill } of shown) context.fill(fill, "evenodd");
      context.strokeStyle = border;
      context.lineWidth = 0.8 / view.size;
      for (const { stroke } of shown) context.stroke(stroke);
      context.restore();
    }
    drawGraticule(context, view);
  }
}

function addRing(ring, fill, stroke, box) {
  ring.forEach((position, index) => {
    const [x, y] = project(position[0], position[1]);
    box[0] = Math.min(box[0], x);
    box[1] = Math.min(box[1], y);
    box[2] = Math.max(box[2], x);
    box[3] = Math.max(box[3], y);
    fill[index === 0 ? "moveTo" : "lineTo"](x, y);
    // An outline cut at 180 degrees shows no line there.
    const gap = index === 0 || (onSeam(position) && onSeam(ring[index - 1]));
    stroke[gap ? "moveTo" : "lineTo"](x, y);
  });
  fill.closePath();
}

function drawGraticule(context, view) {
  const steps = [30, 15, 10, 5, 2, 1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01];
  const step = steps.find((size) => (size / 360) * view.size < 260) ?? 0.01;
  const line = new Path2D();
  const west = Math.ceil(((0 - view.left) / view.size - 0.5) * 360 / step);
  const east = Math.floor(((view.width - view.left) / view.size - 0.5) * 360 / step);
  for (let index = west; index <= east; index += 1) {
    const x = Math.round(view.left + ((index * step) / 360 + 0.5) * view.size) + 0.5;
    line.moveTo(x, Math.max(0, view.top));
    line.lineTo(x, Math.min(view.height, view.top + view.size));
  }
  const parallels = Math.floor(latitudeLimit / step);
  for (let index = -parallels; index <= parallels; index += 1) {
    const y = Math.round(view.top + project(0, index * step)[1] * view.size) + 0.5;
    if (y < 0 || y > view.height) continue;
    line.moveTo(0, y);
    line.lineTo(view.width, y);
  }
  context.strokeStyle = colour("graticule");
  context.lineWidth = 1;
  context.stroke(line);
}
