import { element } from "./dom.js";

/** The list of completions below a text field: the combobox pattern of ARIA. */
export class Completion {
  #input;
  #list;
  #items = [];
  #active = -1;
  #range = [0, 0];
  #onAccept;

  /** `onAccept(start, end, text)` receives the range to replace. */
  constructor(input, list, onAccept) {
    this.#input = input;
    this.#list = list;
    this.#onAccept = onAccept;
    // The field keeps the focus when an option is pressed.
    list.addEventListener("pointerdown", (event) => event.preventDefault());
    list.addEventListener("click", (event) => {
      const option = event.target.closest("[role=option]");
      if (option) this.#accept(Number(option.dataset.index));
    });
  }

  get isOpen() {
    return !this.#list.hidden;
  }

  /** Shows items at a position within the frame of the field. */
  show({ start, length, items }, { left, top }) {
    this.#items = items;
    this.#range = [start, start + length];
    this.#active = -1;
    if (items.length === 0) return this.close();
    this.#list.replaceChildren(...items.map((item, index) =>
      element("li", { role: "option", id: `completion-${index}`, "data-index": index, "aria-selected": "false" },
        element("span", { class: `kind kind-${item.kind}`, "aria-hidden": "true" }, item.kind.slice(0, 1)),
        element("span", { class: "text" }, item.text),
        element("span", { class: "detail" }, item.detail || item.kind))));
    this.#list.hidden = false;
    this.#list.scrollTop = 0;
    const room = this.#input.parentElement.clientWidth - this.#list.offsetWidth;
    this.#list.style.left = `${Math.max(0, Math.min(left - 30, room))}px`;
    this.#list.style.top = `${top}px`;
    this.#input.setAttribute("aria-expanded", "true");
    this.#input.removeAttribute("aria-activedescendant");
  }

  close() {
    this.#list.hidden = true;
    this.#active = -1;
    this.#input.setAttribute("aria-expanded", "false");
    this.#input.removeAttribute("aria-activedescendant");
  }

  #activate(index) {
    const options = this.#list.children;
    options[this.#active]?.setAttribute("aria-selected", "false");
    this.#active = (index + options.length) % options.length;
    options[this.#active].setAttribute("aria-selected", "true");
    options[this.#active].scrollIntoView({ block: "nearest" });
    this.#input.setAttribute("aria-activedescendant", `completion-${this.#active}`);
  }

  #accept(index) {
    const item = this.#items[index];
    this.close();
    this.#onAccept(...this.#range, item.text);
  }

  /** Handles a key of the field; returns whether the key is used. */
  key(event) {
    if (!this.isOpen || event.ctrlKey || event.metaKey || event.altKey) return false;
    const last = this.#list.children.length - 1;
    if (event.key === "ArrowDown") this.#activate(this.#active + 1);
    else if (event.key === "ArrowUp") this.#activate(this.#active < 0 ? last : this.#active - 1);
    else if (event.key === "Escape") this.close();
    else if ((event.key === "Enter" || event.key === "Tab") && this.#active >= 0) this.#accept(this.#active);
    else return false;
    return true;
  }
}
