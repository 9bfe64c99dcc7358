"""What became of the objects of services and graphs, beside what their users asked for."""

import collections
import contextlib
import re
import threading

from support.cluster_api import (AUTOSCALERS, CONFIG_MAPS, DEPLOYMENTS, INGRESSES, KNATIVE_SERVICES, REPLICA_SETS, SERVICES, ClusterApi, Mirror, key_of)

LABELS = ("serving.kserve.io/inferenceservice", "serving.kserve.io/inferencegraph")
MADE = [DEPLOYMENTS, SERVICES, AUTOSCALERS, INGRESSES, CONFIG_MAPS, KNATIVE_SERVICES, REPLICA_SETS]


class ObjectLedger(contextlib.AbstractContextManager):
    """Follows all objects of services and graphs in a namespace. Use as a context manager. Names of owners are never used twice.

    An owner has at most one set of pods (a ReplicaSet, whether of a Deployment, a revision or Knative) for each state of it that its user asked
    for. An object is deleted only with its owner, or, if it belongs to a revision, behind a newer one. A controller that has not heard yet that an
    owner is deleted may make its objects again; the garbage collector deletes them."""

    def __init__(self, kubernetes, space):
        self._space = space
        self._lock = threading.Lock()
        self._asked = collections.Counter()  # states, by owner
        self._deleted = set()  # owners
        self._sets = collections.defaultdict(dict)  # names of ReplicaSets, by owner and uid
        self._lost = []  # (owner, what)
        self._mirror = Mirror(ClusterApi(kubernetes), MADE, self._changed)

    def __enter__(self):
        self._mirror.start()
        return self

    def __exit__(self, kind, error, trace):
        self._mirror.stop()

    def ask(self, owner):
        """Call before the owner is created, or given another state."""
        with self._lock:
            self._asked[owner] += 1

    def ask_deletion(self, owner):
        with self._lock:
            self._deleted.add(owner)

    def unasked(self):
        """What nobody asked for, as texts."""
        with self._lock:
            found = [f"{what} of {owner} was deleted" for owner, what in self._lost if not self._may_lose(owner, what)]
            return found + [f"{owner} was asked to be {self._asked[owner]} things, and was rolled out as {sorted(sets.values())}"
                            for owner, sets in self._sets.items() if owner not in self._deleted and len(sets) > self._asked[owner]]

    def counts(self):
        with self._lock:
            return {"states asked for": sum(self._asked.values()), "deletions asked for": len(self._deleted),
                    "rollouts": sum(map(len, self._sets.values())), "objects deleted": len(self._lost)}

    def _may_lose(self, owner, what):
        return owner in self._deleted or (self._asked[owner] > 1 and re.search(r"-\d{5}$| (latest|prev)-", what))

    def _changed(self, resource, old, new):
        document = new or old
        labels = document["metadata"].get("labels", {})
        owner = next((labels[label] for label in LABELS if label in labels), None)
        if owner is None or key_of(document)[0] != self._space:
            return
        with self._lock:
            if resource == REPLICA_SETS:
                self._sets[owner][document["metadata"]["uid"]] = document["metadata"]["name"]
            elif old is not None and (new is None or new["metadata"]["uid"] != old["metadata"]["uid"]):
                self._lost.append((owner, f"{resource.plural} {old['metadata']['name']}"))
