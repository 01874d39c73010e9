// Draws the shapes and dots of a tile into a picture, beside the page. Moving the map then copies pictures.
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

/** Draws lines and polygons; those of the border belong to the tiles beside this one. */
function drawShapes(context, { shapes, colourIndex, colours, ratio }) {
  const [side, border] = [tileSize * ratio, margin * ratio];
  context.save();
  context.beginPath();
  context.rect(border, border, side, side);
  context.clip();
  context.lineJoin = "round";
  shapes.forEach((shape, index) => {
    if (!shape) return;
    context.beginPath();
    for (const path of shape.paths) {
      context.moveTo(border + path[0] * side, border + path[1] * side);
      for (let place = 2; place < path.length; place += 2) {
        context.lineTo(border + path[place] * side, border + path[place + 1] * side);
      }
      if (shape.isArea) context.closePath();
    }
    context.fillStyle = context.strokeStyle = colours[colourIndex[index]];
    if (shape.isArea) {
      context.globalAlpha = 0.35;
      context.fill("evenodd");
    }
    context.globalAlpha = 0.9;
    context.lineWidth = (shape.isArea ? 1.2 : 2) * ratio;
    context.stroke();
  });
  context.restore();
}

function draw(request) {
  const { x, y, count, shapes, colourIndex, colours, zoom, ratio } = request;
  const size = Math.round((tileSize + 2 * margin) * ratio);
  const picture = new OffscreenCanvas(size, size);
  const context = picture.getContext("2d");
  if (shapes) drawShapes(context, request);
  const stamp = stamps(colours, ratio);
  context.globalAlpha = 0.85;
  for (let index = 0; index < x.length; index += 1) {
    if (shapes?.[index]) continue;
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
