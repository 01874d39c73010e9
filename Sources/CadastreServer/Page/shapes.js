// Lines and polygons of a tile: coordinates from 0 to 1 across the tile, x and y in turn.

/** Returns the least and the greatest x and y of some paths: left, top, right, bottom. */
export function boundsOf(paths) {
  const bounds = [Infinity, Infinity, -Infinity, -Infinity];
  for (const path of paths) {
    for (let index = 0; index < path.length; index += 1) {
      const axis = index % 2;
      bounds[axis] = Math.min(bounds[axis], path[index]);
      bounds[axis + 2] = Math.max(bounds[axis + 2], path[index]);
    }
  }
  return bounds;
}

/** Whether a position is inside an odd number of rings. */
function isInside(paths, x, y) {
  let inside = false;
  for (const path of paths) {
    for (let index = 0, last = path.length - 2; index < path.length; last = index, index += 2) {
      const [x1, y1, x2, y2] = [path[last], path[last + 1], path[index], path[index + 1]];
      if ((y1 > y) !== (y2 > y) && x < x1 + ((y - y1) / (y2 - y1)) * (x2 - x1)) inside = !inside;
    }
  }
  return inside;
}

function distanceToSegment(x, y, x1, y1, x2, y2) {
  const [dx, dy] = [x2 - x1, y2 - y1];
  const length = dx * dx + dy * dy;
  const share = length === 0 ? 0 : Math.max(0, Math.min(1, ((x - x1) * dx + (y - y1) * dy) / length));
  return Math.hypot(x1 + share * dx - x, y1 + share * dy - y);
}

/** Returns the distance of a position from a shape; infinite if it is more than `reach` outside of the bounds. */
export function distanceToShape({ isArea, paths, bounds }, x, y, reach) {
  const [left, top, right, bottom] = bounds;
  if (x < left - reach || x > right + reach || y < top - reach || y > bottom + reach) return Infinity;
  if (isArea && isInside(paths, x, y)) return 0;
  let best = Infinity;
  for (const path of paths) {
    const first = isArea ? path.length - 2 : 0;
    for (let index = isArea ? 0 : 2, last = first; index < path.length; last = index, index += 2) {
      best = Math.min(best, distanceToSegment(x, y, path[last], path[last + 1], path[index], path[index + 1]));
    }
  }
  return best;
}

/** Returns the middle of the bounds of a GeoJSON geometry in degrees; null without coordinates. */
export function middleOf(geometry) {
  const parts = geometry?.geometries ?? [geometry];
  const numbers = parts.flatMap((part) => part?.coordinates ?? []).flat(Infinity);
  if (numbers.length < 2) return null;
  const [left, top, right, bottom] = boundsOf([numbers]);
  return { longitude: (left + right) / 2, latitude: (top + bottom) / 2 };
}
