import { api, Latest } from "./api.js";
import { Completion } from "./completion.js";
import { byId, debounced, element } from "./dom.js";
import { PredicateHistory } from "./predicate-history.js";
import { tokens } from "./predicate-text.js";

/** The field of the predicate: colours, completion, errors at their place, and history. */
export class PredicateBox {
  #input = byId("predicate");
  #mirror = byId("predicate-mirror");
  #message = byId("predicate-message");
  #historyList = byId("history-list");
  #historyButton = byId("history-button");
  #completion;
  #history = new PredicateHistory("", "");
  #class = "";
  #error = null;
  #checks = new Latest();
  #completions = new Latest();
  #onRun;

  /** `onRun(text)` runs the predicate. */
  constructor(onRun) {
    this.#onRun = onRun;
    const input = this.#input;
    this.#completion = new Completion(input, byId("completions"), (start, end, text) => this.#insert(start, end, text));
    this.#checkSoon = debounced(250, () => this.#check());
    this.#completeSoon = debounced(70, () => this.#complete());
    input.addEventListener("input", () => {
      this.#error = null;
      this.#render();
      this.#checkSoon();
      this.#completeSoon();
    });
    input.addEventListener("keydown", (event) => this.#key(event));
    input.addEventListener("blur", () => this.#completion.close());
    input.addEventListener("scroll", () => {
      this.#mirror.scrollTop = input.scrollTop;
    });
    new ResizeObserver(() => this.#fit()).observe(input.parentElement);
    this.#connectHistory();
  }

  #checkSoon;
  #completeSoon;

  get text() {
    return this.#input.value;
  }

  /** Shows a predicate without running it. */
  set text(text) {
    if (this.#input.value === text) return;
    this.#input.value = text;
    this.#error = null;
    this.#completion.close();
    this.#render();
    if (text.trim()) this.#checkSoon();
    else this.showError(null);
  }

  /** Uses the fields and the history of a class. */
  setClass(store, name) {
    this.#class = name;
    this.#history = new PredicateHistory(store, name);
  }

  /** Remembers a predicate that was run. */
  remember(text) {
    this.#history.add(text);
  }

  focus() {
    this.#input.focus();
  }

  /** Marks an error `{ message, offset, length }` at its place, or removes the mark. */
  showError(error) {
    this.#error = error;
    this.#message.textContent = error ? error.message : "";
    this.#message.hidden = !error;
    this.#input.setAttribute("aria-invalid", String(Boolean(error)));
    this.#render();
  }

  async #check() {
    const predicate = this.text;
    if (predicate.trim() === "") return this.showError(null);
    const result = await this.#checks
      .run((signal) => api.check({ class: this.#class, predicate }, signal))
      .catch(() => undefined);
    if (!result || predicate !== this.text) return;
    // A predicate that is not complete yet is no error while it is typed.
    const isIncomplete = !result.valid && result.error.offset >= predicate.trimEnd().length
      && document.activeElement === this.#input;
    this.showError(result.valid || isIncomplete ? null : result.error);
  }

  async #complete() {
    if (document.activeElement !== this.#input) return;
    const predicate = this.text;
    const cursor = this.#input.selectionStart;
    const result = await this.#completions
      .run((signal) => api.complete({ class: this.#class, predicate, cursor }, signal))
      .catch(() => undefined);
    if (!result || predicate !== this.text || document.activeElement !== this.#input) return;
    // The word at the cursor is not a completion of itself.
    const typed = predicate.slice(result.start, result.start + result.length);
    const items = result.items.filter((item) => item.text !== typed);
    this.#completion.show({ ...result, items }, this.#caret(result.start));
  }

  #insert(start, end, text) {
    const after = this.text.slice(end);
    const space = after.startsWith(" ") || text.endsWith("(") ? "" : " ";
    this.#input.setRangeText(text + space, start, end, "end");
    this.#input.dispatchEvent(new Event("input"));
  }

  #key(event) {
    if (this.#completion.key(event)) return event.preventDefault();
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      this.#completion.close();
      this.#onRun(this.text);
    } else if (event.key === " " && event.ctrlKey) {
      event.preventDefault();
      this.#complete();
    } else if (event.altKey && (event.key === "ArrowUp" || event.key === "ArrowDown")) {
      event.preventDefault();
      const entry = this.#history.move(event.key === "ArrowUp" ? 1 : -1, this.text);
      if (entry !== null) this.text = entry;
    }
  }

  /** The position below a character, within the frame of the field. */
  #caret(offset) {
    const range = document.createRange();
    const walker = document.createTreeWalker(this.#mirror, NodeFilter.SHOW_TEXT);
    let rest = offset;
    let node = walker.nextNode();
    while (node && rest > node.length) {
      rest -= node.length;
      node = walker.nextNode();
    }
    const frame = this.#input.parentElement.getBoundingClientRect();
    if (!node) return { left: 0, top: frame.height };
    range.setStart(node, rest);
    const box = range.getClientRects()[0] ?? range.getBoundingClientRect();
    // The list does not cover the message of an error.
    const bottom = this.#message.hidden ? frame.top : this.#message.getBoundingClientRect().bottom;
    return {
      left: box.left - frame.left,
      top: Math.max(bottom - frame.top, Math.min(frame.height, box.bottom - frame.top + 6)),
    };
  }

  #render() {
    const { text } = this;
    const error = this.#error;
    const from = error?.offset ?? -1;
    const to = error ? from + Math.max(1, error.length ?? 1) : -1;
    const parts = [];
    let position = 0;
    const add = (start, end, kind) => {
      // A token is split where the error begins or ends.
      const cuts = [start, ...[from, to].filter((cut) => cut > start && cut < end), end];
      for (let index = 0; index + 1 < cuts.length; index += 1) {
        const wrong = cuts[index] >= from && cuts[index] < to;
        parts.push(element("span", { class: `token-${kind}${wrong ? " error" : ""}` },
          text.slice(cuts[index], cuts[index + 1])));
      }
    };
    for (const token of tokens(text)) {
      if (token.start > position) add(position, token.start, "space");
      add(token.start, token.end, token.kind);
      position = token.end;
    }
    if (position < text.length) add(position, text.length, "space");
    if (error && from >= text.length) parts.push(element("span", { class: "error" }, "\u00a0"));
    // A last line that is empty has a height only with a character in it.
    this.#mirror.replaceChildren(...parts, "\u200b");
    this.#fit();
  }

  #fit() {
    this.#input.style.height = "auto";
    this.#input.style.height = `${Math.min(this.#input.scrollHeight, 150)}px`;
  }

  #connectHistory() {
    const [button, list] = [this.#historyButton, this.#historyList];
    const close = (focus) => {
      list.hidden = true;
      button.setAttribute("aria-expanded", "false");
      if (focus) button.focus();
    };
    button.addEventListener("click", () => {
      if (!list.hidden) return close(true);
      const { entries } = this.#history;
      list.replaceChildren(...(entries.length === 0
        ? [element("li", { role: "none", class: "empty" }, "No predicate was run yet.")]
        : entries.map((entry) => element("li", { role: "none" }, element("button", {
          type: "button", role: "menuitem",
          onclick: () => {
            close(false);
            this.text = entry;
            this.#onRun(entry);
            this.focus();
          },
        }, entry)))));
      list.hidden = false;
      button.setAttribute("aria-expanded", "true");
      list.querySelector("button")?.focus();
    });
    list.addEventListener("keydown", (event) => {
      if (event.key === "Escape") return close(true);
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (!step) return;
      event.preventDefault();
      const buttons = [...list.querySelectorAll("button")];
      const index = buttons.indexOf(document.activeElement) + step;
      buttons[(index + buttons.length) % buttons.length]?.focus();
    });
    document.addEventListener("pointerdown", (event) => {
      if (!list.hidden && !list.contains(event.target) && !button.contains(event.target)) close(false);
    });
  }
}
