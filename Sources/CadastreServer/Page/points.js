// Draws the points of a tile into a picture of its own. Moving the map then copies pictures.
import { tileSize } from "./tiles.js";

/** The border around a picture, for points at the edge of a tile. */
export const margin = 16;

/** Returns the radius of a point or of an aggregate, in CSS pixels. */
export function radius(count, zoom) {
  const single = Math.max(1.1, Math.min(5, 1.1 + zoom * 0.35));
  return count <= 1 ? single : Math.min(11, single + 0.38 * Math.log2(count) * Math.min(1, 0.6 + zoom * 0.1));
}

/** Returns the picture of a tile, drawn again if scale, zoom or pixel ratio differ. */
export function picture(entry, scale, zoom, ratio) {
  const level = Math.round(zoom);
  if (entry.picture && entry.pictureScale === scale && entry.pictureLevel === level) return entry.picture;
  const canvas = entry.picture ?? document.createElement("canvas");
  canvas.width = canvas.height = Math.round((tileSize + 2 * margin) * ratio);
  const context = canvas.getContext("2d");
  context.scale(ratio, ratio);
  context.translate(margin, margin);
  draw(context, entry.tile, scale, level);
  Object.assign(entry, { picture: canvas, pictureScale: scale, pictureLevel: level });
  return canvas;
}

function draw(context, tile, scale, zoom) {
  const paths = scale.colours.map(() => new Path2D());
  for (let index = 0; index < tile.x.length; index += 1) {
    const path = paths[scale.index(tile.value ? tile.value[index] : null, tile.count[index])];
    const size = radius(tile.count[index], zoom);
    const [x, y] = [tile.x[index] * tileSize, tile.y[index] * tileSize];
    // Small points are squares: they look the same and are drawn faster.
    if (size < 1.8) path.rect(x - size, y - size, 2 * size, 2 * size);
    else {
      path.moveTo(x + size, y);
      path.arc(x, y, size, 0, 2 * Math.PI);
    }
  }
  context.globalAlpha = 0.82;
  paths.forEach((path, index) => {
    context.fillStyle = scale.colours[index];
    context.fill(path);
  });
}

/** Returns the index of the point of a tile nearest to a position in it (0 to 1), or -1. */
export function nearest(tile, x, y, zoom, slack, scale) {
  let best = -1;
  let bestDistance = Infinity;
  for (let index = 0; index < tile.x.length; index += 1) {
    const distance = Math.hypot((tile.x[index] - x) * scale, (tile.y[index] - y) * scale);
    const reach = radius(tile.count[index], zoom) + slack;
    if (distance <= reach && distance < bestDistance) [best, bestDistance] = [index, distance];
  }
  return { index: best, distance: bestDistance };
}
