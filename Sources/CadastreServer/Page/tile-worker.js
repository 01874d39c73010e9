// Fetches and decodes tiles beside the page, so that the map stays fluent.
import { decodeTile } from "./mvt.js";

const running = new Map();

async function load({ key, address, property }) {
  const controller = new AbortController();
  running.set(key, controller);
  try {
    const response = await fetch(address, { signal: controller.signal });
    if (!response.ok) throw new Error(`status ${response.status}`);
    const tile = decodeTile(await response.arrayBuffer(), property);
    postMessage({ key, tile }, [tile.x.buffer, tile.y.buffer, tile.id.buffer, tile.count.buffer]);
  } catch (error) {
    postMessage({ key, error: controller.signal.aborted ? "cancelled" : error.message });
  } finally {
    running.delete(key);
  }
}

addEventListener("message", ({ data }) => {
  if (data.cancel) running.get(data.cancel)?.abort();
  else load(data);
});
