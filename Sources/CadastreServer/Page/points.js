// Sizes of dots, and the dot, line or polygon at a position.
import { distanceToShape } from "./shapes.js";

/** The border around the picture of a tile, for dots at its edge, in CSS pixels. */
export const margin = 16;

/** Returns the radius of a point or of an aggregate, in CSS pixels. */
export function radius(count, zoom) {
  const single = Math.max(1.1, Math.min(5, 1.1 + zoom * 0.35));
  return count <= 1 ? single : Math.min(11, single + 0.38 * Math.log2(count) * Math.min(1, 0.6 + zoom * 0.1));
}

/**
 * Returns the index and the distance of the feature of a tile that is nearest to a position in it (0 to 1).
 * The index is -1 if none is within `slack` pixels; `width` is the width of the tile on the screen.
 */
export function nearest(tile, x, y, zoom, slack, width) {
  let best = -1;
  let bestDistance = Infinity;
  for (let index = 0; index < tile.x.length; index += 1) {
    const shape = tile.shapes?.[index];
    const distance = shape
      ? distanceToShape(shape, x, y, slack / width) * width
      : Math.hypot((tile.x[index] - x) * width, (tile.y[index] - y) * width);
    const reach = shape ? slack : radius(tile.count[index], zoom) + slack;
    if (distance <= reach && distance < bestDistance) [best, bestDistance] = [index, distance];
  }
  return { index: best, distance: bestDistance };
}
