"""A headless Chromium, driven through a pipe by its DevTools protocol.

Nothing but Python's own library: commands go to the browser's descriptor 3 as JSON that ends with a
zero byte, answers and events come from its descriptor 4.
"""
import base64
import json
import os
import shutil
import subprocess
import tempfile
import time

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
KEYS = {"Enter": (13, "\r"), "Tab": (9, ""), "Escape": (27, ""), "ArrowDown": (40, ""), "ArrowUp": (38, ""),
        "ArrowLeft": (37, ""), "ArrowRight": (39, ""), "Home": (36, ""), "End": (35, ""), "PageDown": (34, "")}


def find_browser():
    return next((path for path in map(shutil.which, PROGRAMS) if path), None)


class PageError(Exception):
    """A script of the page, or of the test in it, failed."""


class Browser:
    """One window. `errors` are messages of the console and exceptions, `requests` all addresses."""

    def __init__(self):
        self.folder = tempfile.mkdtemp()
        to_read, self.to_browser = os.pipe()
        self.from_browser, to_write = os.pipe()

        def hand_over():
            # Each end is first moved out of the way of the numbers that the browser expects.
            ends = [os.dup(to_read), os.dup(to_write)]
            ends = [os.dup(end) if end in (3, 4) else end for end in ends]
            os.dup2(ends[0], 3)
            os.dup2(ends[1], 4)

        self.process = subprocess.Popen(
            [find_browser(), "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
             "--no-first-run", "--disable-background-networking", "--disable-component-update",
             "--remote-debugging-pipe", "--user-data-dir=" + self.folder, "about:blank"],
            preexec_fn=hand_over, close_fds=False, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(to_write)
        self.buffer = b""
        self.number = 0
        self.session = None
        self.errors, self.requests, self.loaded = [], [], False
        self._attach()

    def _attach(self):
        targets = self.command("Target.getTargets")["targetInfos"]
        page = next(target for target in targets if target["type"] == "page")
        self.session = self.command("Target.attachToTarget", targetId=page["targetId"],
                                    flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.command(domain + ".enable")

    def close(self):
        os.close(self.to_browser)  # the browser ends when nobody is left
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _receive(self):
        while b"\0" not in self.buffer:
            more = os.read(self.from_browser, 1 << 20)
            if not more:
                raise PageError("the browser has ended")
            self.buffer += more
        text, _, self.buffer = self.buffer.partition(b"\0")
        return json.loads(text)

    def _notice(self, event):
        method, details = event.get("method"), event.get("params", {})
        if method == "Runtime.exceptionThrown":
            thrown = details["exceptionDetails"]
            self.errors.append(thrown.get("exception", {}).get("description", thrown["text"]))
        elif method == "Runtime.consoleAPICalled" and details["type"] in ("error", "warning", "assert"):
            self.errors.append(str([argument.get("value") for argument in details["args"]]))
        elif method == "Log.entryAdded":
            self.errors.append(details["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(details["request"]["url"])
        elif method == "Page.loadEventFired":
            self.loaded = True

    def command(self, method, **details):
        self.number += 1
        message = {"id": self.number, "method": method, "params": details}
        if self.session:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.to_browser, data):]
        while True:
            answer = self._receive()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise PageError(f"{method}: {answer['error']}")
                return answer["result"]
            self._notice(answer)

    def resize(self, width, height, dark=False, touch=False):
        self.command("Emulation.setDeviceMetricsOverride", width=width, height=height,
                     deviceScaleFactor=1, mobile=touch)
        self.command("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def _navigate(self, url):
        self.loaded = False
        self.command("Page.navigate", url=url)
        while not self.loaded:
            self._notice(self._receive())

    def open(self, path, fragment=""):
        """Opens a file and returns the seconds until it is loaded and drawn."""
        self._navigate("about:blank")  # another fragment of the same page would load nothing
        self.errors.clear()
        self.requests.clear()
        begin = time.monotonic()
        self._navigate("file://" + os.path.abspath(path) + fragment)
        self.settle()
        return time.monotonic() - begin

    def settle(self):
        """Waits until what was done is drawn."""
        self.run("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))")

    def run(self, script):
        """The value of an expression in the page."""
        result = self.command("Runtime.evaluate", expression=script, returnByValue=True,
                              awaitPromise=True, userGesture=True)
        if "exceptionDetails" in result:
            thrown = result["exceptionDetails"]
            raise PageError(thrown.get("exception", {}).get("description", thrown["text"]))
        return result["result"].get("value")

    def click(self, selector):
        """Clicks into the middle of an element, as a hand would."""
        place = self.run(f"""(() => {{
            const found = document.querySelector({json.dumps(selector)});
            if (!found) throw new Error("no " + {json.dumps(selector)});
            found.scrollIntoView({{block: "nearest", inline: "nearest"}});
            const box = found.getBoundingClientRect();
            return [box.left + box.width / 2, box.top + box.height / 2];
        }})()""")
        self.click_at(*place)

    def click_at(self, x, y):
        self.command("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        for kind in ("mousePressed", "mouseReleased"):
            self.command("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)
        self.settle()

    def type(self, selector, text):
        self.run(f"(() => {{ const field = document.querySelector({json.dumps(selector)}); field.focus(); "
                 "field.select(); })()")
        if text:
            self.command("Input.insertText", text=text)
        else:
            self.key("Backspace")
        self.settle()

    def key(self, name):
        code, text = KEYS.get(name, (8, ""))
        for kind in ("keyDown", "keyUp"):
            self.command("Input.dispatchKeyEvent", type=kind, key=name, code=name,
                         windowsVirtualKeyCode=code, text=text if kind == "keyDown" else "")
        self.settle()

    def choose(self, selector, value):
        self.run(f"(() => {{ const field = document.querySelector({json.dumps(selector)}); "
                 f"field.value = {json.dumps(value)}; field.dispatchEvent(new Event('change', {{bubbles: true}})); }})()")
        self.settle()

    def screenshot(self, path):
        data = self.command("Page.captureScreenshot", format="png")["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))
