"""A headless Chromium, driven over its DevTools protocol."""

import base64
import contextlib
import json
import pathlib
import re
import subprocess
import tempfile
import time

from websockets.sync.client import connect

START_S = 60
ANSWER_S = 60


class Chromium:
    """A context manager for one browser with one page. Not thread-safe. Needs tools/install_deps --browser."""

    def __enter__(self):
        self._left = contextlib.ExitStack()
        self._profile = self._left.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True))
        self._process = subprocess.Popen(
            ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--remote-debugging-port=0",
             f"--user-data-dir={self._profile}", "about:blank"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self._left.callback(self._process.wait)
        self._left.callback(self._process.terminate)
        self._socket = self._left.enter_context(connect(self._address(), max_size=None))
        self._number = 0
        self._session = None
        self.requested = []  # the URLs of all requests so far
        self._events = []  # the names of the events since the last open()
        target = next(each for each in self.call("Target.getTargets")["targetInfos"] if each["type"] == "page")
        self._session = self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        self.call("Page.enable")
        self.call("Network.enable")
        return self

    def __exit__(self, *_):
        self._left.close()

    def _address(self):
        file = pathlib.Path(self._profile) / "DevToolsActivePort"
        deadline = time.monotonic() + START_S
        while not (file.exists() and re.fullmatch(r"\d+\n/\S+", file.read_text())):
            if self._process.poll() is not None or time.monotonic() > deadline:
                self._left.close()
                raise AssertionError("Chromium did not start")
            time.sleep(0.05)
        port, path = file.read_text().split("\n")
        return f"ws://127.0.0.1:{port}{path}"

    def _receive(self):
        message = json.loads(self._socket.recv(timeout=ANSWER_S))
        if message.get("method") == "Network.requestWillBeSent":
            self.requested.append(message["params"]["request"]["url"])
        return message

    def call(self, method, **parameters):
        """Returns the result of a DevTools method."""
        self._number += 1
        session = {"sessionId": self._session} if self._session else {}
        self._socket.send(json.dumps({"id": self._number, "method": method, "params": parameters, **session}))
        while (message := self._receive()).get("id") != self._number:
            self._events.append(message.get("method"))
        assert "error" not in message, (method, message)
        return message["result"]

    def open(self, url):
        """Opens a page, and returns when it is loaded."""
        self._events.clear()
        self.call("Page.navigate", url=url)
        while "Page.loadEventFired" not in self._events:
            self._events.append(self._receive().get("method"))

    def size(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def evaluate(self, script):
        """Returns the value of a JavaScript expression, or of the promise that it is."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def screenshot(self, file):
        file.write_bytes(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))
