"""Clients that write and read an API's objects, and records of the values that the objects may have, by the requests and acknowledgements."""

import contextlib
import http.client
import json

JSON = "application/json"


class Api:
    """An API on the loopback, with one connection per call. `connect(timeout=SECONDS)` makes a connection, like Controller.connect_api."""

    def __init__(self, connect):
        self.connect = connect

    def call(self, method, path, body=None, content_type=JSON, timeout_s=30):
        """Makes a call, and returns (status, object). After an OSError or http.client.HTTPException, its effect is unknown."""
        with contextlib.closing(self.connect(timeout=timeout_s)) as connection:
            connection.request(method, path, None if body is None else json.dumps(body), {"Content-Type": content_type})
            answer = connection.getresponse()
            text = answer.read()
            return answer.status, json.loads(text)

    def get(self, path):
        status, answer = self.call("GET", path)
        assert status == 200, answer
        return answer


# There is no answer, so the write may have happened or not.
UNKNOWN = (OSError, http.client.HTTPException)


class Record:
    """One object that one client writes, each time with a new value. `make` makes the object of a value, and `value_of` reads the value."""

    def __init__(self, api, folder, name, make, value_of):
        self._api, self._folder, self.path, self._make, self._value_of = api, folder, f"{folder}/{name}", make, value_of
        # The values that the object may have. None means that it does not exist.
        self.possible = {None}
        self._generation = 0
        self.acknowledged = self.refused = self.unknown = 0

    def write(self, value, way="PUT"):
        """Creates, replaces or patches the object. Deletes it if the value is None."""
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
            # The write did not happen.
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
        """Checks that the object is as acknowledged. Raises OSError or HTTPException if the API does not answer."""
        status, answer = self._api.call("GET", self.path)
        assert status in (200, 404), answer
        value = self._value_of(answer) if status == 200 else None
        assert value in self.possible, f"{self.path} is {value}, and was acknowledged as one of {self.possible}"
        generation = answer["metadata"].get("generation", 0)
        assert None in self.possible or generation >= self._generation, (generation, self._generation, "a write was lost")
        self.possible, self._generation = {value}, generation
        return value


class Watch:
    """The state of a client that lists the objects and then watches their changes, repeatedly, until it is stopped."""

    def __init__(self, api, folder, value_of):
        self._api, self._folder, self._value_of = api, folder, value_of
        self.values = {}
        self.events = self.lists = 0
        self._revision = None

    def step(self, timeout_s):
        """Makes one list or one watch. Raises OSError or HTTPException if the API does not answer."""
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
                    return  # the watch was broken off
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
