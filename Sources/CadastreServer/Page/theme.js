// Loaded with blocking="render", so that the first picture already has the chosen colours.
const key = "cadastre.theme";
const order = ["system", "light", "dark"];
const dark = matchMedia("(prefers-color-scheme: dark)");
const listeners = new Set();

let choice = "system";
try {
  choice = localStorage.getItem(key) ?? "system";
} catch {
  // Storage may be switched off; the system's setting is used then.
}

/** Whether the page is dark now. */
export const isDark = () => choice === "dark" || (choice === "system" && dark.matches);

function apply() {
  document.documentElement.dataset.theme = isDark() ? "dark" : "light";
  for (const listener of listeners) listener();
}

/** Calls `listener` after each change of the colours. */
export const onThemeChange = (listener) => listeners.add(listener);

/** Connects the switch, which steps through system, light and dark. */
export function connectTheme(button) {
  const label = () => {
    button.setAttribute("aria-label", `Colours: ${choice}`);
    button.title = `Colours: ${choice}`;
    button.dataset.choice = choice;
  };
  label();
  button.addEventListener("click", () => {
    choice = order[(order.indexOf(choice) + 1) % order.length];
    try {
      localStorage.setItem(key, choice);
    } catch {
      // The choice then lasts until the page is closed.
    }
    label();
    apply();
  });
}

/** Returns the value of a colour of the style sheet. */
export const colour = (name) =>
  getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

dark.addEventListener("change", apply);
apply();
