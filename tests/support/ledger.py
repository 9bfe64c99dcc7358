"""What an API's objects have to be, by what was asked for and what was acknowledged; and clients that write and read them."""

import contextlib
import http.client
import json

JSON = "application/json"


class Api:
    """An API on the loopback: a connection per call. `connect(timeout=SECONDS)`: makes one, as Controller.connect_api."""

    def __init__(self, connect):
        self.connect = connect

    def call(self, method, path, body=None, content_type=JSON, timeout_s=30):
        """(status, object). OSError or http.client.HTTPException: whether it was done is not known."""
        with contextlib.closing(self.connect(timeout=timeout_s)) as connection:
            connection.request(method, path, None if body is None else json.dumps(body), {"Content-Type": content_type})
            answer = connection.getresponse()
            text = answer.read()
            return answer.status, json.loads(text)

    def get(self, path):
        status, answer = self.call("GET", path)
        assert status == 200, answer
        return answer


# Without an answer: it may have been done or not.
UNKNOWN = (OSError, http.client.HTTPException)


class Record:
    """One object that one client writes, each time with another value. `make` makes the object of a value, `value_of` reads it."""

    def __init__(self, api, folder, name, make, value_of):
        self._api, self._folder, self.path, self._make, self._value_of = api, folder, f"{folder}/{name}", make, value_of
        # The values that it may have; None: it is not there.
        self.possible = {None}
        self._generation = 0
        self.acknowledged = self.refused = self.unknown = 0

    def write(self, value, way="PUT"):
        """Creates it, replaces it or patches it; with None, deletes it."""
        if len(self.possible) > 1:
            with contextlib.suppress(*UNKNOWN):
                self.check()
            if len(self.possible) > 1:
                return
        exists = None not in self.possible
        if value is None:
            call = ("DELETE", self.path)
        elif not exists:
            call = ("POST", self._folder, self._make(value))
        elif way == "PATCH":
            call = ("PATCH", self.path, self._make(value), "application/merge-patch+json")
        else:
            call = ("PUT", self.path, self._make(value))
        try:
            if call[0] == "PUT":
                call[2]["metadata"]["resourceVersion"] = self._api.get(self.path)["metadata"]["resourceVersion"]
            status, answer = self._api.call(*call)
        except UNKNOWN:
            self.possible = self.possible | {value}
            self.unknown += 1
            return
        if status >= 300:
            # Nothing was done.
            assert status == 409 or status >= 500, (call, status, answer)
            self.refused += 1
            return
        self.acknowledged += 1
        if value is None:
            self.possible = {None}
            return
        assert self._value_of(answer) == value, answer
        generation = answer["metadata"].get("generation", 0)
        assert not exists or generation >= self._generation, (generation, self._generation, "a write was lost")
        self._generation = generation
        self.possible = {value}

    def check(self):
        """It is as was acknowledged. OSError, HTTPException: the API does not answer."""
        status, answer = self._api.call("GET", self.path)
        assert status in (200, 404), answer
        value = self._value_of(answer) if status == 200 else None
        assert value in self.possible, f"{self.path} is {value}, and was acknowledged as one of {self.possible}"
        generation = answer["metadata"].get("generation", 0)
        assert None in self.possible or generation >= self._generation, (generation, self._generation, "a write was lost")
        self.possible, self._generation = {value}, generation
        return value


class Watch:
    """What a client knows that has listed, and then follows the changes, again and again. Reads until told to stop."""

    def __init__(self, api, folder, value_of):
        self._api, self._folder, self._value_of = api, folder, value_of
        self.values = {}
        self.events = self.lists = 0
        self._revision = None

    def step(self, timeout_s):
        """One list or one watch. OSError, HTTPException: the API does not answer."""
        if self._revision is None:
            listed = self._api.get(self._folder)
            self.values = {self._key(item): self._value_of(item) for item in listed["items"]}
            self._revision = int(listed["metadata"]["resourceVersion"])
            self.lists += 1
        with contextlib.closing(self._api.connect(timeout=timeout_s + 30)) as connection:
            connection.request("GET", f"{self._folder}?watch=true&resourceVersion={self._revision}&timeoutSeconds={timeout_s}")
            answer = connection.getresponse()
            if answer.status == 410:
                self._revision = None
                return
            assert answer.status == 200, answer.read()
            for line in answer:
                if not line.endswith(b"\n"):
                    return  # broken off
                self._take(json.loads(line))
                if self._revision is None:
                    return

    @staticmethod
    def _key(item):
        return item["metadata"].get("namespace"), item["metadata"]["name"]

    def _take(self, event):
        item = event["object"]
        if event["type"] == "ERROR":
            assert item["code"] == 410, item
            self._revision = None
            return
        revision = int(item["metadata"]["resourceVersion"])
        assert revision > self._revision, (revision, self._revision, "events come in their order, and once")
        self._revision = revision
        known = self._key(item) in self.values
        assert known == (event["type"] != "ADDED"), (event, known)
        if event["type"] == "DELETED":
            del self.values[self._key(item)]
        else:
            self.values[self._key(item)] = self._value_of(item)
        self.events += 1
