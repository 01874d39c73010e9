// Outlines on the sphere, with the Earth's radius of the store.

/** The radius of the Earth in metres. */
export const earthRadius = 6_378_100;

const radians = Math.PI / 180;

const vector = ([longitude, latitude]) => {
  const cosine = Math.cos(latitude * radians);
  return [
    cosine * Math.cos(longitude * radians),
    cosine * Math.sin(longitude * radians),
    Math.sin(latitude * radians),
  ];
};

const position = ([x, y, z]) => [
  Math.atan2(y, x) / radians,
  Math.atan2(z, Math.hypot(x, y)) / radians,
];

const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [
  a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0],
];

/** Returns the angle between two positions in radians. */
export function angle(a, b) {
  const [from, to] = [vector(a), vector(b)];
  return Math.atan2(Math.hypot(...cross(from, to)), dot(from, to));
}

/** Returns the outline of a circle with a radius in radians, as a closed ring. */
export function circleOutline([longitude, latitude], radius, steps = 128) {
  const sine = Math.sin(latitude * radians);
  const cosine = Math.cos(latitude * radians);
  return Array.from({ length: steps + 1 }, (_, index) => {
    const bearing = (2 * Math.PI * index) / steps;
    const targetSine = sine * Math.cos(radius) + cosine * Math.sin(radius) * Math.cos(bearing);
    const turn = Math.atan2(
      Math.sin(bearing) * Math.sin(radius) * cosine,
      Math.cos(radius) - sine * targetSine);
    return [longitude + turn / radians, Math.asin(Math.max(-1, Math.min(1, targetSine))) / radians];
  });
}

/** Returns the positions of the great circle from `a` to `b`, without `b`. */
function greatCircle(a, b) {
  const [from, to] = [vector(a), vector(b)];
  const total = angle(a, b);
  const steps = Math.max(1, Math.ceil(total / (2 * radians)));
  if (total < 1e-12 || Math.PI - total < 1e-9) return [a];
  return Array.from({ length: steps }, (_, index) => {
    const share = (index / steps) * total;
    const [p, q] = [Math.sin(total - share) / Math.sin(total), Math.sin(share) / Math.sin(total)];
    return position([0, 1, 2].map((axis) => p * from[axis] + q * to[axis]));
  });
}

function straightLine(a, b) {
  const steps = Math.max(1, Math.ceil(Math.abs(b[1] - a[1]) / 2));
  return Array.from({ length: steps }, (_, index) => {
    const share = index / steps;
    return [a[0] + (b[0] - a[0]) * share, a[1] + (b[1] - a[1]) * share];
  });
}

/** Returns a ring with positions added along its edges: great circles, or straight lines in degrees. */
export function denseRing(ring, planar) {
  const result = [];
  for (let index = 0; index + 1 < ring.length; index += 1) {
    result.push(...(planar ? straightLine : greatCircle)(ring[index], ring[index + 1]));
  }
  if (ring.length > 0) result.push(ring[ring.length - 1]);
  return result;
}

/** Returns a ring whose longitudes do not jump at 180 degrees. */
export function continuousRing(ring) {
  let offset = 0;
  return ring.map(([longitude, latitude], index) => {
    if (index > 0) {
      const step = longitude - ring[index - 1][0];
      if (step > 180) offset -= 360;
      else if (step < -180) offset += 360;
    }
    return [longitude + offset, latitude];
  });
}
