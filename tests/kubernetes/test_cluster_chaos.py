"""inferd-controller --cluster among faults: API servers that start anew, connections that are cut anywhere, controllers that are killed,
two of them at once, other writers; and many services from cold.

    INFERD_CHAOS_SECONDS=600 tests/run kubernetes/test_cluster_chaos.py -k among_faults
    INFERD_MANY_SERVICES=2000 INFERD_IDLE_SECONDS=60 tests/run kubernetes/test_cluster_chaos.py -k from_cold
"""

import concurrent.futures
import contextlib
import os
import random
import time

import pytest

from support.cluster import (WITH_INGRESSES, CutConnections, condition_of, configure, install_kserve, is_service_ready, lease_of, make_namespace,
                             raw_service, versions)
from support.cluster_api import (AUTOSCALERS, DEPLOYMENTS, GRAPHS, INFERENCE_SERVICES, INGRESSES, PODS, REPLICA_SETS, SERVICES, ApiError, ClusterApi,
                                 is_going, key_of)
from support.cluster_controller import ClusterController
from support.disturbances import pause
from support.kubelet import Kubelet
from support.kubernetes import Kubernetes
from support.pod_status import READY, crashed
from support.server import wait_until

SECONDS = float(os.environ.get("INFERD_CHAOS_SECONDS", "10"))
MANY = int(os.environ.get("INFERD_MANY_SERVICES", "50"))
SPACE = "chaos"
MADE = {DEPLOYMENTS: {"{}-predictor-default"}, SERVICES: {"{}", "{}-predictor-default"}, AUTOSCALERS: {"{}-predictor-default"}, INGRESSES: {"{}"}}
COMPARED = [*MADE, INFERENCE_SERVICES]


@pytest.fixture(name="server", scope="module")
def started_server(tmp_path_factory):
    """An API server of this file's own, for it is stopped at times."""
    with Kubernetes(tmp_path_factory.mktemp("chaos")) as server:
        api = ClusterApi(server)
        install_kserve(api, config=WITH_INGRESSES)
        make_namespace(api, SPACE)
        yield server


@pytest.fixture(name="api")
def made_api(server):
    return ClusterApi(server, manager="tests")


def differences(api, wanted, space=SPACE, graphs=()):
    """What is not as it is to be, with `wanted` services by name, each with its model's URI, and `graphs` by name; empty: nothing."""
    found = [f"{name} is not ready: {one and one.get('status')}" for name in graphs
             if condition_of(one := api.get(GRAPHS, space, name), "Ready") != "True"]
    for resource, names in MADE.items():
        there = {one["metadata"]["name"] for one in api.list(resource, space) if one["metadata"].get("ownerReferences")}
        due = {name.format(service) for service in wanted for name in names} | set(graphs)
        found += [f"{resource.plural} {name} is lost" for name in due - there] + [f"{resource.plural} {name} is left" for name in there - due]
    for deployment in api.list(DEPLOYMENTS, space):
        name = deployment["metadata"]["labels"].get("serving.kserve.io/inferenceservice")
        if name in wanted and wanted[name] not in str(deployment["spec"]["template"]):
            found.append(f"{name} has not the newest model")
    for name in wanted:
        if not is_service_ready(api, space, name):
            found.append(f"{name} is not ready: {(api.get(INFERENCE_SERVICES, space, name) or {}).get('status')}")
    return found


def await_order(api, wanted, space=SPACE, graphs=()):
    try:
        wait_until(lambda: not differences(api, wanted, space, graphs), "all is as it is to be", timeout_s=100)
    except AssertionError:
        raise AssertionError("\n".join(differences(api, wanted, space, graphs)[:20])) from None


def graph_of(service):
    """Of its own, that asks it."""
    return {"apiVersion": "serving.kserve.io/v1alpha1", "kind": "InferenceGraph",
            "metadata": {"name": f"{service}-graph", "namespace": SPACE, "annotations": {"serving.kserve.io/deploymentMode": "RawDeployment"}},
            "spec": {"nodes": {"root": {"routerType": "Sequence", "steps": [{"serviceName": service}]}}}}


class Through:
    """A server, reached by connections that can be cut."""

    def __init__(self, server, cut):
        self._server, self._cut = server, cut

    def kubeconfig(self):
        return self._server.kubeconfig(port=self._cut.port)


class Chaos:
    """What goes wrong, one thing at a time, by chance."""

    def __init__(self, server, cut, controllers, kubelet, chance):
        self.api = ClusterApi(server, manager="tests")
        self._server, self._cut, self._controllers, self._kubelet, self._chance = server, cut, controllers, kubelet, chance
        self.wanted = {}
        self.graphs = set()  # their names
        self.templates = {}  # how many there have been of each service that is there
        self._numbers = iter(range(1_000_000))

    def step(self):
        chances = {self._make: 10, self._make_graph: 4, self._change: 10, self._delete: 5, self._delete_graph: 2, self._cut_all: 4,
                   self._cut_within_documents: 4, self._kill: 6, self._restart_server: 1, self._disturb: 6, self._crash: 2}
        do = self._chance.choices(list(chances), list(chances.values()))[0]
        print(do.__name__)
        do()
        pause(self._chance, 0.3)

    def _make(self):
        if len(self.wanted) < 20:
            name = f"s{next(self._numbers)}"
            self.wanted[name] = f"/models/{next(self._numbers)}/{name}"
            self.templates[name] = 1
            self.api.create(INFERENCE_SERVICES, raw_service(name, SPACE, self.wanted[name]))

    def _one(self):
        return self._chance.choice(sorted(self.wanted)) if self.wanted else None

    def _change(self):
        if name := self._one():
            self.wanted[name] = f"/models/{next(self._numbers)}/{name}"
            self.templates[name] += 1
            self.api.patch(INFERENCE_SERVICES, SPACE, name, {"spec": {"predictor": {"model": {"storageUri": self.wanted[name]}}}})

    def _delete(self):
        if name := self._one():
            del self.wanted[name], self.templates[name]
            self.api.delete(INFERENCE_SERVICES, SPACE, name)
            self._drop_graph(f"{name}-graph")

    def _make_graph(self):
        """Before or behind what its service has become."""
        if (name := self._one()) and f"{name}-graph" not in self.graphs:
            self.graphs.add(f"{name}-graph")
            self.api.create(GRAPHS, graph_of(name))

    def _delete_graph(self):
        if self.graphs:
            self._drop_graph(self._chance.choice(sorted(self.graphs)))

    def _drop_graph(self, name):
        if name in self.graphs:
            self.graphs.discard(name)
            self.api.delete(GRAPHS, SPACE, name)

    def _cut_all(self):
        self._cut.cut()
        if self._chance.random() < 0.3:
            self._cut.refuse()
            pause(self._chance, 1)
            self._cut.refuse(False)

    def _cut_within_documents(self):
        self._cut.cut_after(self._chance.randrange(20_000))
        pause(self._chance, 1)
        self._cut.cut_after(None)

    def _kill(self):
        one = self._chance.choice(self._controllers)
        one.kill()
        pause(self._chance, 0.5)
        one.start()

    def _restart_server(self):
        self._server.stop()
        pause(self._chance, 1)
        self._server.start()

    def _disturb(self):
        """Another writer changes, or deletes, what was made, or the service itself."""
        if not (name := self._one()):
            return
        made = f"{name}-predictor-default"
        with contextlib.suppress(ApiError):  # it may not be there yet
            way = self._chance.randrange(5)
            if way == 0:
                self.api.delete(self._chance.choice([SERVICES, AUTOSCALERS, DEPLOYMENTS]), SPACE, made)
                self.templates[name] += 1  # a Deployment that is made anew counts its pods anew
            elif way == 1:
                self.api.patch(SERVICES, SPACE, made, {"spec": {"selector": {"app": "another"}}})
            elif way == 2:
                self.api.patch(AUTOSCALERS, SPACE, made, {"spec": {"maxReplicas": 7}})
            elif way == 3:
                self.api.patch(INFERENCE_SERVICES, SPACE, name, {"status": {"conditions": [], "url": "http://wrong"}}, "status")
            else:
                self.api.patch(INFERENCE_SERVICES, SPACE, name, {"metadata": {"labels": {"touched": str(next(self._numbers))}}})
                self.templates[name] += 1

    def _crash(self):
        if name := self._one():
            self._kubelet.pods_become(f"{name}-predictor", crashed(1, "by chance"))
            pause(self._chance, 0.3)
            self._kubelet.pods_become(f"{name}-predictor", READY)


@pytest.mark.timeout(SECONDS + 240)
def test_nothing_is_lost_or_left_among_faults(server, api):
    seed = int(os.environ.get("INFERD_CHAOS_SEED", "0")) or random.randrange(1 << 32)
    print(f"INFERD_CHAOS_SEED={seed}")
    with Kubelet(server) as kubelet, CutConnections(server.port) as cut, contextlib.ExitStack() as ending:
        controllers = [ClusterController(Through(server, cut), "--namespace", SPACE, "--leader-elect", ready=False) for _ in range(2)]
        for one in controllers:
            one.start()
            ending.callback(one.kill)
        chaos = Chaos(server, cut, controllers, kubelet, random.Random(seed))
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            chaos.step()
        for one in controllers:
            assert one.process.poll() is None, one.log()[-20_000:]
        try:
            await_order(api, chaos.wanted, graphs=chaos.graphs)
        except BaseException:
            for one in controllers:
                print(one.log()[-20_000:])
            raise
        # No rollout but for a change.
        for name, most in chaos.templates.items():
            sets = [one for one in api.list(REPLICA_SETS, SPACE, f"serving.kserve.io/inferenceservice={name}") if not is_going(one)]
            assert len(sets) <= most, (name, [one["metadata"]["name"] for one in sets])
        # With the services goes all that was made for them.
        for name in list(chaos.wanted):
            api.delete(INFERENCE_SERVICES, SPACE, name)
        for name in chaos.graphs:
            api.delete(GRAPHS, SPACE, name)
        await_order(api, {})
        wait_until(lambda: not api.list(PODS, SPACE) and not api.list(REPLICA_SETS, SPACE), "the pods are gone")


def test_a_second_controller_takes_over_and_does_nothing_twice(server, api):
    space = "handover"
    make_namespace(api, space)
    configure(api, space, WITH_INGRESSES)
    options = ["--namespace", space, "--controller-namespace", space, "--leader-elect"]
    with Kubelet(server), ClusterController(server, *options) as first:
        api.create(INFERENCE_SERVICES, raw_service("kept", space, "/models/kept"))
        await_order(api, {"kept": "/models/kept"}, space)
        holder = lease_of(api, space).get("holderIdentity")
        assert holder
        with ClusterController(server, *options):
            before = versions(api, space, COMPARED)
            first.kill()
            begun = time.monotonic()
            wait_until(lambda: lease_of(api, space).get("holderIdentity") not in (None, "", holder), "the second has the lease")
            print(f"taken over after {time.monotonic() - begun:.1f} s")
            api.create(INFERENCE_SERVICES, raw_service("new", space, "/models/new"))
            await_order(api, {"kept": "/models/kept", "new": "/models/new"}, space)
            after = versions(api, space, COMPARED)
            assert {key: after[key] for key in before} == before
        # It ends in good order, and what it made stays.
        assert set(versions(api, space, COMPARED)) == set(after)
        for name in ("kept", "new"):
            api.delete(INFERENCE_SERVICES, space, name)
        await_order(api, {}, space)


def processor_time_s(controller):
    """That it has used so far."""
    with open(f"/proc/{controller.process.pid}/stat", encoding="ascii") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measure_idling(controller):
    """Where that is asked for: how much of a processor a controller takes that has nothing to do."""
    seconds = float(os.environ.get("INFERD_IDLE_SECONDS", "0"))
    if seconds > 0:
        begun = processor_time_s(controller)
        time.sleep(seconds)
        print(f"idle: {(processor_time_s(controller) - begun) / seconds:.4f} of a processor")


@pytest.mark.timeout(120 + MANY)
def test_many_services_from_cold(server, api):
    space = "many"
    make_namespace(api, space)
    names = [f"many-{number}" for number in range(MANY)]

    def make(name):
        api.create(INFERENCE_SERVICES, raw_service(name, space, f"/models/{name}"))

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        list(pool.map(make, names))
    with Kubelet(server) as kubelet:
        begun = time.monotonic()
        with ClusterController(server, "--namespace", space) as controller:
            def all_are_made():
                return len(api.list(DEPLOYMENTS, space)) == MANY and len(api.list(INGRESSES, space)) == MANY

            def all_are_ready():
                return sum(condition_of(one, "Ready") == "True" for one in api.list(INFERENCE_SERVICES, space)) == MANY

            # To list thousands takes the API server long enough for the controller to wait for it.
            every_s = MANY / 1000
            for done, what in ((all_are_made, "all objects are made"), (all_are_ready, "all services are ready")):
                wait_until(done, what, timeout_s=100 + MANY, every_s=every_s)
                print(f"{MANY} services: {what} after {time.monotonic() - begun:.1f} s, with {processor_time_s(controller):.1f} s of processor time")
            wait_until(lambda: not differences(api, {name: f"/models/{name}" for name in names}, space), "all is as it is to be", timeout_s=100)
            # Four objects, and a status for each step on their way.
            assert controller.writes() <= 12 * MANY, controller.metrics()
            before = versions(api, space, COMPARED)
            measure_idling(controller)
            assert versions(api, space, COMPARED) == before
            for name in names:
                api.delete(INFERENCE_SERVICES, space, name)
            wait_until(lambda: not any(api.list(resource, space) for resource in [*MADE, PODS]), "nothing is left", timeout_s=100 + MANY, every_s=every_s)
        assert not [one for one in kubelet.mirror.all(PODS) if key_of(one)[0] == space]
