"""A small client of the WebDriver protocol, with the standard library only."""

import base64
import json
import socket
import subprocess
import time
import urllib.error
import urllib.request

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
# Code points of WebDriver for keys without a character.
KEYS = {
    "Backspace": "\ue003", "Tab": "\ue004", "Enter": "\ue007", "Shift": "\ue008", "Control": "\ue009",
    "Alt": "\ue00a", "Escape": "\ue00c", "Space": " ", "End": "\ue010", "Home": "\ue011", "ArrowLeft": "\ue012",
    "ArrowUp": "\ue013", "ArrowRight": "\ue014", "ArrowDown": "\ue015",
}


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class WebDriverError(Exception):
    """An error that the driver reports."""


class Browser:
    """A headless Chromium behind chromedriver."""

    def __init__(self, width=1280, height=800):
        self.port = free_port()
        self.process = subprocess.Popen(
            ["chromedriver", f"--port={self.port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        self.session = None
        options = {
            "args": ["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--lang=en",
                     "--disable-dev-shm-usage", f"--window-size={width},{height}"],
        }
        always = {"browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
        deadline = time.monotonic() + 30
        while True:
            try:
                self.session = self.call("POST", "/session", {"capabilities": {"alwaysMatch": always}})["sessionId"]
                break
            except OSError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.1)
        self.resize(width, height)

    def call(self, method, path, body=None):
        data = json.dumps(body or {}).encode() if method == "POST" else None
        address = f"http://127.0.0.1:{self.port}"
        if self.session:
            address += f"/session/{self.session}"
        request = urllib.request.Request(
            address + path, data=data, method=method, headers={"Content-Type": "application/json"}
        )
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                return json.load(response)["value"]
        except urllib.error.HTTPError as error:
            value = json.load(error)["value"]
            raise WebDriverError(f"{value['error']}: {value['message'].splitlines()[0]}") from None

    def close(self):
        try:
            self.call("DELETE", "")
        finally:
            self.process.terminate()
            self.process.wait(10)

    # The page.

    def open(self, address):
        self.call("POST", "/url", {"url": address})

    def reload(self):
        self.call("POST", "/refresh")

    @property
    def address(self):
        return self.call("GET", "/url")

    def run(self, script, *arguments):
        """Runs a script in the page and returns what it returns."""
        return self.call("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def command(self, name, **parameters):
        """Sends a command of the DevTools protocol."""
        return self.call("POST", "/goog/cdp/execute", {"cmd": name, "params": parameters})

    def resize(self, width, height, scale=1):
        self.command(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=False
        )

    def media(self, **features):
        """Emulates media features, such as `prefers_color_scheme="dark"`."""
        named = [{"name": name.replace("_", "-"), "value": value} for name, value in features.items()]
        self.command("Emulation.setEmulatedMedia", features=named)

    def log(self):
        """Returns the messages of the console since the last call."""
        return self.call("POST", "/se/log", {"type": "browser"})

    def screenshot(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("GET", "/screenshot")))

    # Elements.

    def find(self, selector):
        return self.call("POST", "/element", {"using": "css selector", "value": selector})[ELEMENT]

    def text(self, selector):
        return self.run("return document.querySelector(arguments[0])?.textContent ?? null", selector)

    def texts(self, selector):
        return self.run("return [...document.querySelectorAll(arguments[0])].map(node => node.textContent)", selector)

    def attribute(self, selector, name):
        return self.run("return document.querySelector(arguments[0])?.getAttribute(arguments[1])", selector, name)

    def visible(self, selector):
        return self.run("return Boolean(document.querySelector(arguments[0])?.checkVisibility())", selector)

    def center(self, selector):
        box = self.run(
            "const box = document.querySelector(arguments[0]).getBoundingClientRect();"
            "return [box.left + box.width / 2, box.top + box.height / 2]", selector)
        return round(box[0]), round(box[1])

    def click(self, selector):
        """Clicks an element; one that the page replaced after it was found is looked for again."""
        for attempt in range(3):
            try:
                return self.call("POST", f"/element/{self.find(selector)}/click")
            except WebDriverError as error:
                if attempt == 2 or "stale element" not in str(error):
                    raise

    def choose(self, selector, value):
        """Chooses an option of a select as a user does."""
        self.run(
            "const node = document.querySelector(arguments[0]); node.value = arguments[1];"
            "node.dispatchEvent(new Event('change', { bubbles: true }))", selector, value)

    # Keys and pointer.

    def keys(self, *keys, held=()):
        """Presses keys by name, or text character by character."""
        strokes = []
        for key in keys:
            strokes += [KEYS[key]] if key in KEYS else list(key)
        actions = [{"type": "keyDown", "value": KEYS[name]} for name in held]
        for stroke in strokes:
            actions += [{"type": "keyDown", "value": stroke}, {"type": "keyUp", "value": stroke}]
        actions += [{"type": "keyUp", "value": KEYS[name]} for name in reversed(held)]
        self.call("POST", "/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": actions}]})

    def pointer(self, *steps):
        """Moves and presses the mouse: `("move", x, y)`, `("down",)`, `("up",)`, `("pause", seconds)`."""
        actions = []
        for step in steps:
            if step[0] == "move":
                actions.append({"type": "pointerMove", "duration": 30, "x": round(step[1]), "y": round(step[2])})
            elif step[0] == "pause":
                actions.append({"type": "pause", "duration": int(step[1] * 1000)})
            else:
                actions.append({"type": "pointerDown" if step[0] == "down" else "pointerUp", "button": 0})
        self.call("POST", "/actions", {"actions": [{
            "type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": actions}]})

    def wheel(self, x, y, delta):
        self.call("POST", "/actions", {"actions": [{"type": "wheel", "id": "wheel", "actions": [
            {"type": "scroll", "x": x, "y": y, "deltaX": 0, "deltaY": delta, "duration": 0, "origin": "viewport"}]}]})

    # Waiting.

    def wait(self, condition, message="the condition did not become true", seconds=30):
        """Waits until `condition()` is true, and returns its value."""
        deadline = time.monotonic() + seconds
        while True:
            value = condition()
            if value:
                return value
            if time.monotonic() > deadline:
                raise AssertionError(message() if callable(message) else message)
            time.sleep(0.03)
