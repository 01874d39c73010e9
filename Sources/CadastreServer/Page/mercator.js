// Web Mercator on the unit square: x from 0 at 180° west to 1 at 180° east, y from 0 in the north.

/** The latitude at the edge of the square, in degrees. */
export const latitudeLimit = 85.0511287798066;

/** The width of a tile on the screen at its own zoom, in CSS pixels. */
export const tileSize = 512;

/** Returns the position of a longitude and latitude in degrees. */
export function project(longitude, latitude) {
  const bounded = Math.max(-latitudeLimit, Math.min(latitudeLimit, latitude));
  const sine = Math.sin((bounded * Math.PI) / 180);
  return [longitude / 360 + 0.5, 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)];
}

/** Returns longitude and latitude in degrees; the longitude may be beyond 180 on a repeated world. */
export function unproject(x, y) {
  return [(x - 0.5) * 360, (Math.atan(Math.sinh(Math.PI * (1 - 2 * y))) * 180) / Math.PI];
}

/** Returns a longitude between -180 and 180. */
export const wrapLongitude = (longitude) =>
  longitude >= -180 && longitude <= 180 ? longitude : ((((longitude + 180) % 360) + 360) % 360) - 180;
