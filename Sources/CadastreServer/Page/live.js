const firstDelay = 500;
const longestDelay = 10_000;

/**
 * Receives the commits of other programs. `onChange({ version, classes })` follows each commit;
 * `onStatus` receives "connected", "connecting" or "lost".
 *
 * The stream is open only while the page is visible. A browser has six connections to a host: streams of
 * pages in other tabs and in the back/forward cache would leave none for queries and tiles.
 */
export function connectLive(address, onChange, onStatus) {
  let delay = firstDelay;
  let wasConnected = false;
  let source = null;
  let timer = 0;

  const close = () => {
    clearTimeout(timer);
    source?.close();
    source = null;
  };

  const open = () => {
    close();
    source = new EventSource(address);
    source.addEventListener("open", () => {
      delay = firstDelay;
      onStatus("connected");
      // Commits without a connection were not reported.
      if (wasConnected) onChange({ version: null, classes: null });
      wasConnected = true;
    });
    source.addEventListener("change", (event) => onChange(JSON.parse(event.data)));
    source.addEventListener("error", () => {
      close();
      onStatus(wasConnected ? "lost" : "connecting");
      timer = setTimeout(open, delay);
      delay = Math.min(longestDelay, delay * 2);
    });
  };

  document.addEventListener("visibilitychange", () => (document.hidden ? close() : open()));
  addEventListener("pagehide", close);
  addEventListener("pageshow", (event) => event.persisted && open());
  onStatus("connecting");
  if (!document.hidden) open();
}
