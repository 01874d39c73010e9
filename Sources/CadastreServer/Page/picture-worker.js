// Draws the dots of a tile into a picture, beside the page. Moving the map then copies pictures.
import { tileSize } from "./mercator.js";
import { margin, radius } from "./points.js";

/** Returns small pictures of dots, one for each colour and size, which are copied faster than circles are drawn. */
function stamps(colours, ratio) {
  const made = new Map();
  return (colour, size) => {
    const step = Math.round(size * 4);
    const key = colour * 1000 + step;
    let stamp = made.get(key);
    if (!stamp) {
      const half = Math.ceil((step / 4) * ratio) + 1;
      stamp = { canvas: new OffscreenCanvas(2 * half, 2 * half), half };
      const context = stamp.canvas.getContext("2d");
      context.fillStyle = colours[colour];
      context.beginPath();
      context.arc(half, half, (step / 4) * ratio, 0, 2 * Math.PI);
      context.fill();
      made.set(key, stamp);
    }
    return stamp;
  };
}

function draw({ x, y, count, colourIndex, colours, zoom, ratio }) {
  const size = Math.round((tileSize + 2 * margin) * ratio);
  const picture = new OffscreenCanvas(size, size);
  const context = picture.getContext("2d");
  const stamp = stamps(colours, ratio);
  context.globalAlpha = 0.85;
  for (let index = 0; index < x.length; index += 1) {
    const { canvas, half } = stamp(colourIndex[index], radius(count[index], zoom));
    // Whole pixels keep the dots sharp.
    context.drawImage(
      canvas,
      Math.round((x[index] * tileSize + margin) * ratio) - half,
      Math.round((y[index] * tileSize + margin) * ratio) - half);
  }
  return picture.transferToImageBitmap();
}

addEventListener("message", ({ data }) => {
  const picture = draw(data);
  postMessage({ request: data.request, picture }, [picture]);
});
