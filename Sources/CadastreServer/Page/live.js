const firstDelay = 500;
const longestDelay = 10_000;

/**
 * Receives the commits of other programs. `onChange({ version, classes })` follows each commit;
 * `onStatus` receives "connected", "connecting" or "lost".
 */
export function connectLive(address, onChange, onStatus) {
  let delay = firstDelay;
  let wasConnected = false;

  const open = () => {
    const source = new EventSource(address);
    source.addEventListener("open", () => {
      delay = firstDelay;
      onStatus("connected");
      // Commits during a lost connection were not reported.
      if (wasConnected) onChange({ version: null, classes: null });
      wasConnected = true;
    });
    source.addEventListener("change", (event) => onChange(JSON.parse(event.data)));
    source.addEventListener("error", () => {
      source.close();
      onStatus(wasConnected ? "lost" : "connecting");
      setTimeout(open, delay);
      delay = Math.min(longestDelay, delay * 2);
    });
  };

  onStatus("connecting");
  open();
}
