import { earthRadius } from "./geodesic.js";
import { unproject } from "./mercator.js";

const widest = 110;

/** Shows the length of a bar in the middle of the map, as a round number of kilometres or metres. */
export function scaleBar(place) {
  let shown = "";
  return (_, map) => {
    const key = `${map.size} ${map.center.y}`;
    if (shown === key) return;
    shown = key;
    const [, latitude] = unproject(map.center.x, map.center.y);
    const perPixel = (2 * Math.PI * earthRadius * Math.cos((latitude * Math.PI) / 180)) / map.size;
    const power = 10 ** Math.floor(Math.log10(perPixel * widest));
    const metres = power * [5, 2, 1].find((factor) => factor * power <= perPixel * widest);
    place.textContent = metres >= 1000 ? `${metres / 1000} km` : `${metres} m`;
    place.style.width = `${metres / perPixel}px`;
  };
}
