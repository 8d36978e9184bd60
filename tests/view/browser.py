"""A browser without a window, driven over its debugging pipe; the standard library alone."""

import base64
import json
import os
import pathlib
import select
import shutil
import subprocess
import tempfile
import time

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")


class BrowserError(Exception):
    """The browser is missing, gone, slow, or a script failed in it."""


def find_browser():
    """The program, or None."""
    for name in (os.environ.get("LMC_BROWSER"), *NAMES):
        found = shutil.which(name) if name else None
        if found:
            return found
    return None


class Browser:
    """One process; pages are opened in it one after the other."""

    def __init__(self, seconds=60):
        program = find_browser()
        if program is None:
            raise BrowserError("there is no chromium-headless-shell")
        self.seconds = seconds
        self.folder = tempfile.mkdtemp(prefix="lmc-view-")
        to_child, self.write = os.pipe()
        self.read, from_child = os.pipe()

        def redirect():
            # Copies out of the way first: one end may be where the other has to go.
            ends = [os.dup2(to_child, 1003), os.dup2(from_child, 1004)]
            os.dup2(ends[0], 3)
            os.dup2(ends[1], 4)
            os.close(1003)
            os.close(1004)

        command = [program, "--headless", "--no-sandbox", "--remote-debugging-pipe", "--enable-unsafe-swiftshader",
                   "--hide-scrollbars", "--disable-background-networking", "--disable-component-update",
                   "--no-first-run", "--disable-extensions", "--mute-audio", "--disable-dev-shm-usage",
                   f"--user-data-dir={self.folder}", "about:blank"]
        self.process = subprocess.Popen(command, close_fds=False, preexec_fn=redirect, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_child)
        os.close(from_child)
        self.pending = b""
        self.number = 0
        self.events = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        for end in (self.write, self.read):
            os.close(end)
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def message(self, deadline):
        while b"\0" not in self.pending:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.read], [], [], left)[0]:
                raise BrowserError("the browser does not answer")
            more = os.read(self.read, 1 << 20)
            if not more:
                raise BrowserError("the browser is gone")
            self.pending += more
        text, self.pending = self.pending.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, session=None, **params):
        self.number += 1
        number = self.number
        request = {"id": number, "method": method, "params": params}
        if session:
            request["sessionId"] = session
        data = json.dumps(request).encode() + b"\0"
        while data:
            data = data[os.write(self.write, data):]
        deadline = time.monotonic() + self.seconds
        while True:
            answer = self.message(deadline)
            if answer.get("id") != number:
                self.events.append(answer)
                continue
            if "error" in answer:
                raise BrowserError(f"{method}: {answer['error'].get('message')}")
            return answer["result"]

    def open(self, file, width=1120, height=900, dark=False, webgl=True, mobile=False):
        return Page(self, pathlib.Path(file), width, height, dark, webgl, mobile)


class Page:
    """A file as a reader sees it."""

    def __init__(self, browser, file, width, height, dark, webgl, mobile):
        self.browser = browser
        self.target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = browser.call("Target.attachToTarget", targetId=self.target, flatten=True)["sessionId"]
        browser.events.clear()
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=mobile)
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        if not webgl:
            self.call("Page.addScriptToEvaluateOnNewDocument",
                      source="HTMLCanvasElement.prototype.getContext = (f => function (kind, ...rest) {"
                             " return /webgl/.test(kind) ? null : f.call(this, kind, ...rest); })"
                             "(HTMLCanvasElement.prototype.getContext)")
        self.url = file.resolve().as_uri()
        self.call("Page.navigate", url=self.url)
        deadline = time.monotonic() + browser.seconds
        while not self.value("document.readyState === 'complete' && location.href !== 'about:blank'"):
            if time.monotonic() > deadline:
                raise BrowserError("the page is not loaded")
            time.sleep(0.02)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.browser.call("Target.closeTarget", targetId=self.target)

    def call(self, method, **params):
        return self.browser.call(method, self.session, **params)

    def value(self, expression):
        """Of an expression in the page; a promise is waited for."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise BrowserError(details.get("exception", {}).get("description") or details.get("text"))
        return answer["result"].get("value")

    def key(self, key, code, shift=False):
        text = {"text": key} if len(key) == 1 else {}
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=code, modifiers=8 if shift else 0,
                      windowsVirtualKeyCode={"Space": 32, "ArrowLeft": 37, "ArrowRight": 39}.get(code, 0),
                      **(text if kind == "keyDown" else {}))

    def move(self, x, y):
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def frames(self, count=2):
        self.value(f"new Promise(done => {{ let n = {count};"
                   " const f = () => n-- > 0 ? requestAnimationFrame(f) : done(true); f(); }})".replace("}})", "})"))

    def screenshot(self, file, whole=True):
        self.frames()
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)["data"]
        pathlib.Path(file).write_bytes(base64.b64decode(data))

    def troubles(self):
        """Exceptions, errors on the console, requests for anything but the file itself."""
        found = []
        for event in self.browser.events:
            if event.get("sessionId") != self.session:
                continue
            method, params = event.get("method"), event.get("params", {})
            if method == "Runtime.exceptionThrown":
                details = params["exceptionDetails"]
                found.append("exception: " + (details.get("exception", {}).get("description") or details["text"]))
            elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "assert"):
                found.append("console: " + " ".join(str(a.get("value")) for a in params["args"]))
            elif method == "Log.entryAdded" and params["entry"]["level"] == "error":
                found.append("log: " + params["entry"]["text"])
            elif method == "Network.requestWillBeSent":
                url = params["request"]["url"]
                if url != self.url and not url.startswith(("data:", "blob:")):
                    found.append("request: " + url)
        return found
