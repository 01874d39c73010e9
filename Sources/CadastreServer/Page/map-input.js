// Pointers, wheel and keys on the map. A drawing tool that is active receives the events first.

const isTap = (a, b) => Math.hypot(a.left - b.left, a.top - b.top) < 5;

function position(canvas, event) {
  const box = canvas.getBoundingClientRect();
  return { left: event.clientX - box.left, top: event.clientY - box.top };
}

/** Connects a map; `tools` may take events, `onPick`, `onHover` and `onLeave` receive the others. */
export function connectMapInput(map, tools, { onPick, onHover, onLeave }) {
  const { canvas } = map;
  const pointers = new Map();
  let origin = null;
  let pinch = null;

  canvas.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    const place = position(canvas, event);
    canvas.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, place);
    if (pointers.size === 2) {
      pinch = pinchOf(pointers);
      tools.cancelDrag();
    } else {
      origin = place;
      if (tools.active) tools.down(place);
    }
  });

  canvas.addEventListener("pointermove", (event) => {
    const place = position(canvas, event);
    const previous = pointers.get(event.pointerId);
    if (!previous) {
      if (tools.active) tools.move(place);
      else if (event.pointerType !== "touch") onHover(place);
      return;
    }
    pointers.set(event.pointerId, place);
    if (pinch && pointers.size === 2) {
      const next = pinchOf(pointers);
      map.panBy(pinch.left - next.left, pinch.top - next.top);
      map.zoomAround(next.left, next.top, map.zoom + Math.log2(next.distance / pinch.distance));
      pinch = next;
    } else if (tools.active) tools.move(place);
    else if (!pinch && (canvas.classList.contains("dragging") || !isTap(origin, place))) {
      canvas.classList.add("dragging");
      onLeave();
      map.panBy(previous.left - place.left, previous.top - place.top);
    }
  });

  const end = (event, cancelled) => {
    if (!pointers.delete(event.pointerId)) return;
    const place = position(canvas, event);
    const wasPinch = pinch !== null;
    if (pointers.size === 0) pinch = null;
    canvas.classList.remove("dragging");
    if (wasPinch || cancelled || pointers.size > 0) return;
    if (tools.active) tools.up(place, isTap(origin, place));
    else if (isTap(origin, place)) onPick(place);
  };
  canvas.addEventListener("pointerup", (event) => end(event, false));
  canvas.addEventListener("pointercancel", (event) => end(event, true));
  canvas.addEventListener("pointerleave", onLeave);

  canvas.addEventListener("dblclick", (event) => {
    if (tools.active) return tools.finish();
    const place = position(canvas, event);
    map.zoomAround(place.left, place.top, map.zoom + (event.shiftKey ? -1 : 1), { animate: true });
  });

  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    onLeave();
    const place = position(canvas, event);
    const lines = event.deltaMode === 1 ? event.deltaY * 20 : event.deltaY;
    const step = Math.max(-1, Math.min(1, -lines / (event.ctrlKey ? 100 : 300)));
    map.zoomAround(place.left, place.top, map.zoom + step);
  }, { passive: false });

  canvas.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const distance = event.shiftKey ? 240 : 80;
    const animate = { animate: !tools.active };
    const middle = [map.width / 2, map.height / 2];
    const actions = {
      ArrowLeft: () => map.panBy(-distance, 0, animate),
      ArrowRight: () => map.panBy(distance, 0, animate),
      ArrowUp: () => map.panBy(0, -distance, animate),
      ArrowDown: () => map.panBy(0, distance, animate),
      "+": () => map.zoomAround(...middle, map.zoom + 1, animate),
      "=": () => map.zoomAround(...middle, map.zoom + 1, animate),
      "-": () => map.zoomAround(...middle, map.zoom - 1, animate),
      Enter: () => (tools.active ? tools.keyPoint() : onPick({ left: middle[0], top: middle[1], slack: 24 })),
      " ": () => tools.active && tools.keyPoint(),
      Backspace: () => tools.active && tools.removeLast(),
      Escape: () => tools.cancel(),
    };
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
    if (tools.active) tools.move({ left: middle[0], top: middle[1] }, true);
  });
}

function pinchOf(pointers) {
  const [a, b] = [...pointers.values()];
  return {
    left: (a.left + b.left) / 2, top: (a.top + b.top) / 2,
    distance: Math.max(1, Math.hypot(a.left - b.left, a.top - b.top)),
  };
}
