/** Connects a button with a menu of links or buttons; Escape and a click elsewhere close it. */
export function connectMenu(button, menu) {
  const set = (open) => {
    menu.hidden = !open;
    button.setAttribute("aria-expanded", String(open));
    if (open) menu.querySelector("a, button")?.focus();
  };
  button.addEventListener("click", () => set(menu.hidden));
  menu.addEventListener("click", () => set(false));
  menu.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      set(false);
      button.focus();
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const items = [...menu.querySelectorAll("a, button")];
    items[(items.indexOf(document.activeElement) + step + items.length) % items.length].focus();
  });
  document.addEventListener("pointerdown", (event) => {
    if (!menu.hidden && !menu.contains(event.target) && !button.contains(event.target)) set(false);
  });
}
