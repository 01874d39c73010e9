import { circleOutline, continuousRing, denseRing, earthRadius } from "./geodesic.js";
import { project } from "./mercator.js";
import { regions } from "./predicate-text.js";
import { colour } from "./theme.js";

/** Adds a ring of positions to a path, on the world `world` to the east of the central one. */
export function traceRing(path, ring, map, world) {
  ring.forEach(([longitude, latitude], index) => {
    const [x, y] = project(longitude, latitude);
    path[index === 0 ? "moveTo" : "lineTo"](...map.toScreenExactly(x + world, y));
  });
  path.closePath();
}

function rings(region) {
  if (region.kind === "circle") {
    return region.radius > 0 && region.radius < Math.PI ? [circleOutline(region.center, region.radius)] : [];
  }
  if (region.kind === "box") {
    const [[a, b], [c, d]] = region.corners;
    let [west, east] = [a, c];
    // The corners of a box on the sphere may be on both sides of 180 degrees.
    if (!region.planar && west > east) east += 360;
    return [denseRing([[west, b], [east, b], [east, d], [west, d], [west, b]], region.planar)];
  }
  return region.rings.map((ring) => denseRing(ring, region.planar));
}

/** Closes a ring around a pole along the edge of the map. */
function aroundPole(ring) {
  const [first, last] = [ring[0], ring.at(-1)];
  if (Math.abs(last[0] - first[0]) < 359) return ring;
  const mean = ring.reduce((sum, [, latitude]) => sum + latitude, 0) / ring.length;
  const edge = mean >= 0 ? 90 : -90;
  return [...ring, [last[0], edge], [first[0], edge]];
}

/** Draws the regions of a predicate; `predicate` returns its text. */
export function regionOverlay(predicate) {
  let text = null;
  let shapes = [];
  return (context, map) => {
    if (text !== predicate()) {
      text = predicate();
      shapes = regions(text, earthRadius).map((region) =>
        rings(region).map((ring) => aroundPole(continuousRing(ring))));
    }
    for (const shape of shapes) {
      const path = new Path2D();
      for (let world = -2; world <= 2; world += 1) {
        for (const ring of shape) traceRing(path, ring, map, world);
      }
      context.fillStyle = context.strokeStyle = colour("region");
      context.globalAlpha = 0.1;
      context.fill(path, "evenodd");
      context.globalAlpha = 1;
      context.lineWidth = 1.75;
      context.stroke(path);
    }
  };
}
