"""A stand-in for Kubernetes' API that needs no installation. It stores, lists, watches and patches objects of any kind, without checks. An
apply is a merge. It is for tests of a client's reads and writes. For a cluster's decisions, use the real server (support.kubernetes)."""

import contextlib
import copy
import datetime
import http.server
import itertools
import json
import socket
import threading
import urllib.parse
import uuid

from support.kubernetes import write_kubeconfig


BOOKMARKS_S = 0.2  # the interval of a watch's bookmarks, at which a client that is ending notices


def merged(old, new):
    """Returns `old` after a merge patch (RFC 7396)."""
    if not isinstance(new, dict):
        return copy.deepcopy(new)
    result = dict(old) if isinstance(old, dict) else {}
    for name, value in new.items():
        if value is None:
            result.pop(name, None)
        else:
            result[name] = merged(result.get(name), value)
    return result


def patched(document, operations):
    """Returns the document after a JSON patch (RFC 6902). Applies adds, replacements and removals, and ignores other operations."""
    document = copy.deepcopy(document)
    for operation in operations:
        *way, last = [part.replace("~1", "/").replace("~0", "~") for part in operation["path"].split("/")[1:]]
        place = document
        for part in way:
            place = place[int(part)] if isinstance(place, list) else place.setdefault(part, {})
        key = last if isinstance(place, dict) else len(place) if last == "-" else int(last)
        if operation["op"] == "remove":
            del place[key]
        elif operation["op"] == "add" and isinstance(place, list):
            place.insert(key, operation["value"])
        elif operation["op"] in ("add", "replace"):
            place[key] = operation["value"]
    return document


def selects(query, document):
    labels = document["metadata"].get("labels") or {}
    for one in filter(None, query.get("labelSelector", "").split(",")):
        name, equals, value = one.replace("==", "=").partition("=")
        if (labels.get(name) != value) if equals else (name not in labels):
            return False
    field, _, value = query.get("fieldSelector", "").partition("=")
    return field != "metadata.name" or document["metadata"]["name"] == value


class Refused(Exception):
    def __init__(self, code, reason, kind="", name=""):
        super().__init__(reason)
        self.status = {"apiVersion": "v1", "kind": "Status", "status": "Failure", "code": code, "reason": reason,
                       "message": f'{kind} "{name}": {reason}', "details": {"kind": kind, "name": name}}


class KeptCluster(contextlib.AbstractContextManager):
    """Use as a context manager. `objects` is {plural: {(namespace, name): document}}. `tokens` has the tokens that clients sent."""

    def __init__(self):
        self.objects = {}
        self.tokens = set()
        self._versions = itertools.count(1)
        self._version = 0
        self._changes = []  # (version, plural, type, document)
        self._changed = threading.Condition()
        self._ended = False
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self.port = self._server.server_address[1]

    def __enter__(self):
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, kind, error, trace):
        with self._changed:
            self._ended = True
            self._changed.notify_all()
        self._server.shutdown()
        self._server.server_close()

    def write_kubeconfig(self, path, token):
        return write_kubeconfig(path, f"http://127.0.0.1:{self.port}", {"token": token})

    def create(self, plural, document):
        """Creates an object, like a user."""
        return self._store(plural, document["metadata"].get("namespace", ""), document)

    def all(self, plural):
        with self._changed:
            return copy.deepcopy(list(self.objects.get(plural, {}).values()))

    def find(self, plural, namespace, name):
        """Returns the object, or None if it does not exist."""
        with self._changed:
            return copy.deepcopy(self.objects.get(plural, {}).get((namespace, name)))

    def _store(self, plural, namespace, document, dry=False):
        with self._changed:
            document = copy.deepcopy(document)
            metadata = document["metadata"]
            if namespace:
                metadata["namespace"] = namespace
            metadata.setdefault("name", metadata.get("generateName", "") + uuid.uuid4().hex[:5])
            now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
            metadata = document["metadata"] = {"uid": str(uuid.uuid4()), "generation": 1, "creationTimestamp": now, **metadata}
            if dry:
                return document
            self._version = next(self._versions)
            metadata["resourceVersion"] = str(self._version)
            kept = self.objects.setdefault(plural, {})
            key = (metadata.get("namespace", ""), metadata["name"])
            self._changes.append((self._version, plural, "MODIFIED" if key in kept else "ADDED", document))
            kept[key] = document
            self._changed.notify_all()
            return document

    def _delete(self, plural, key):
        with self._changed:
            document = self.objects.get(plural, {}).pop(key, None)
            if document is None:
                raise Refused(404, "NotFound", plural, key[1])
            self._version = next(self._versions)
            self._changes.append((self._version, plural, "DELETED", document))
            self._changed.notify_all()

    def _change(self, plural, namespace, name, change, subresource, dry, creates=None):
        with self._changed:
            old = self.objects.get(plural, {}).get((namespace, name))
            if old is None and creates is None:
                raise Refused(404, "NotFound", plural, name)
            new = change(copy.deepcopy(old) if old is not None else creates)
            if old is not None and subresource == "status":
                new = {**old, "status": new.get("status", {})}
            elif old is not None:
                new = {**new, **({"status": old["status"]} if "status" in old else {})}
                # Fields that only the server sets.
                own = {field: old["metadata"][field] for field in ("uid", "creationTimestamp", "generation", "resourceVersion")}
                new["metadata"] = {**new["metadata"], **own}
                if new == old:
                    return old
                if new.get("spec") != old.get("spec"):
                    new["metadata"]["generation"] = own["generation"] + 1
            return self._store(plural, namespace, new, dry)

    def _watch(self, plural, namespace, query, write):
        at = int(query.get("resourceVersion") or 0)
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._ended or self._version > at, timeout=BOOKMARKS_S)
                if self._ended:
                    return
                due = [(kind, document) for version, changed, kind, document in self._changes if version > at and changed == plural]
                at = self._version
                due = due or [("BOOKMARK", {"metadata": {"resourceVersion": str(at)}})]
            for kind, document in due:
                here = not namespace or document["metadata"].get("namespace") == namespace
                if kind == "BOOKMARK" or (here and selects(query, document)):
                    write(json.dumps({"type": kind, "object": document}).encode() + b"\n")

    def _list(self, plural, namespace, query):
        with self._changed:
            items = [document for (space, _), document in self.objects.get(plural, {}).items()
                     if (not namespace or space == namespace) and selects(query, document)]
            return {"apiVersion": "v1", "kind": "List", "metadata": {"resourceVersion": str(self._version or 1)}, "items": copy.deepcopy(items)}

    def _answer(self, method, way, query, body, content):
        namespace, plural, name, subresource = way
        if plural is None or method == "GET" and name and self.find(plural, namespace, name) is None:
            raise Refused(404, "NotFound", plural or "", name or "")
        dry = "dryRun" in query
        if method == "GET":
            return self.find(plural, namespace, name) if name else self._list(plural, namespace, query)
        if method == "POST":
            if (namespace, body["metadata"].get("name")) in self.objects.get(plural, {}):
                raise Refused(409, "AlreadyExists", plural, body["metadata"]["name"])
            return self._store(plural, namespace, body, dry)
        if method == "PUT":
            return self._change(plural, namespace, name, lambda _: body, subresource, dry)
        if method == "PATCH":
            change = (lambda old: patched(old, body)) if "json-patch" in content else (lambda old: merged(old, body))
            return self._change(plural, namespace, name, change, subresource, dry, {} if "apply-patch" in content else None)
        self._delete(plural, (namespace, name))
        return {"apiVersion": "v1", "kind": "Status", "status": "Success"}

    def _handler(self):
        cluster = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def setup(self):
                super().setup()
                self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

            def log_message(self, *_):
                pass

            def way(self, path):
                """Returns (namespace, plural, name, subresource). There is no plural if the request is about the API itself."""
                parts = path.strip("/").split("/")
                parts = parts[2:] if parts[0] == "api" else parts[3:]
                namespace = ""
                if parts[:1] == ["namespaces"] and len(parts) > 2:
                    namespace, parts = parts[1], parts[2:]
                return (namespace, *(parts + [None] * 3)[:3])

            def respond(self):
                cluster.tokens.add(self.headers.get("Authorization", ""))
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                path, _, query = self.path.partition("?")
                query = dict(urllib.parse.parse_qsl(query))
                way = self.way(path)
                if "watch" in query:
                    self.send_response(200)
                    self.send_header("Content-Type", "application/json")
                    self.end_headers()
                    self.close_connection = True
                    with contextlib.suppress(OSError):
                        cluster._watch(way[1], way[0], query, self.wfile.write)
                    return
                try:
                    code, said = 200, cluster._answer(self.command, way, query, json.loads(body or b"{}"), self.headers.get("Content-Type", ""))
                except Refused as refused:
                    code, said = refused.status["code"], refused.status
                text = json.dumps(said).encode()
                self.send_response(code)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = respond

        return Handler
