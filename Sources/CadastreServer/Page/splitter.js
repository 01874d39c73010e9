const key = "cadastre.split";
const clamp = (share) => Math.max(20, Math.min(80, share));

/** Connects the separator between map and panels; it is moved by the pointer or by arrow keys. */
export function connectSplitter(separator, container) {
  const set = (share) => {
    const bounded = clamp(share);
    container.style.setProperty("--split", `${bounded}%`);
    separator.setAttribute("aria-valuenow", String(Math.round(bounded)));
    try {
      localStorage.setItem(key, String(bounded));
    } catch {
      // Without storage the share lasts until the page is closed.
    }
  };
  let stored = NaN;
  try {
    stored = Number(localStorage.getItem(key) ?? NaN);
  } catch {
    // The share of the style sheet is used.
  }
  if (Number.isFinite(stored)) set(stored);

  separator.addEventListener("pointerdown", (event) => {
    separator.setPointerCapture(event.pointerId);
    event.preventDefault();
  });
  separator.addEventListener("pointermove", (event) => {
    if (!separator.hasPointerCapture(event.pointerId)) return;
    const box = container.getBoundingClientRect();
    set((100 * (event.clientX - box.left)) / box.width);
  });
  separator.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -4, ArrowRight: 4 }[event.key];
    if (!step) return;
    event.preventDefault();
    set(Number(separator.getAttribute("aria-valuenow")) + step);
  });
}
