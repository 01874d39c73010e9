/** Connects a list of tabs; arrow keys move between them. Returns a function that shows a panel by name. */
export function connectTabs(list, onSelect) {
  const tabs = [...list.querySelectorAll("[role=tab]")];
  const show = (name) => {
    for (const tab of tabs) {
      const selected = tab.dataset.panel === name;
      tab.setAttribute("aria-selected", String(selected));
      tab.tabIndex = selected ? 0 : -1;
      document.getElementById(tab.getAttribute("aria-controls")).hidden = !selected;
    }
  };
  list.addEventListener("click", (event) => {
    const tab = event.target.closest("[role=tab]");
    if (tab) onSelect(tab.dataset.panel);
  });
  list.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const next = tabs[(tabs.indexOf(document.activeElement) + step + tabs.length) % tabs.length];
    onSelect(next.dataset.panel);
    next.focus();
  });
  return show;
}
