"""inferd-controller --cluster among slips of its operators, by chance: rights that are taken, a configuration that is deleted or broken, webhooks and
APIs that are down, errors of every code at every call, controllers and gateways that are killed. A ledger shows that no object was deleted or rolled that its user
did not ask for.

    INFERD_CHAOS_SECONDS=600 tests/run kubernetes/test_slip_chaos.py

INFERD_CHAOS_WAYS=RawDeployment,Serverless leaves out services with revisions behind inferd's gateway (tags).
"""

import os
import random
import time

import pytest

from support.cluster import condition_of, is_service_ready
from support.cluster_api import CONFIG_MAPS, DEPLOYMENTS, GRAPHS, INFERENCE_SERVICES, KNATIVE_SERVICES, SECRETS, SERVICES
from support.disturbances import pause
from support.kubernetes import Kubernetes
from support.object_ledger import LABELS, MADE, ObjectLedger
from support.refusing_proxy import RefusingProxy
from support.server import wait_until
from support.slips import CONFIGURATION, MANAGED, SPACE, World, graph, in_mode, service

SECONDS = float(os.environ.get("INFERD_CHAOS_SECONDS", "20"))
CODES = (400, 401, 403, 404, 409, 410, 422, 429, 500, 502, 503, 504)
MOST = 10  # services
ACTIVE_MAX = 2  # slips at the same time
SECONDS_OF_A_ROLLOUT = 5  # there is one at least for each of these, or the chaos has shown nothing
# The model of each service of World.make_services, and its graphs.
FIRST = {"digits": "/models/digits", "late": "/models/late", "secretive": "s3://models/secretive"}
FIRST_GRAPHS = ["chain"]
WAYS = os.environ.get("INFERD_CHAOS_WAYS", "RawDeployment,Serverless,tags").split(",")
TAGS = {"serving.kserve.io/enable-tag-routing": "true"}  # by which a service in raw mode becomes revisions behind the gateway
TAKEN = ("apps/deployments", "/services", "/configmaps", "/pods", "/secrets", "autoscaling/horizontalpodautoscalers", "networking.k8s.io/ingresses",
         "serving.knative.dev/services", "serving.kserve.io/inferenceservices", "serving.kserve.io/inferencegraphs",
         "serving.kserve.io/clusterservingruntimes", "serving.kserve.io/inferenceservices/status")


class Chaos:
    """What users do, and what goes wrong meanwhile, by chance."""

    def __init__(self, world, gateways, proxy, ledger, chance):
        self._world, self._gateways, self._proxy, self._ledger, self._chance = world, gateways, proxy, ledger, chance
        self._api = world.api
        self.wanted = dict(FIRST)  # the model of each service, by its name
        self.graphs = set(FIRST_GRAPHS)
        self._numbers = iter(range(1_000_000))
        self._code = CODES[0]
        self._rate = 0.0
        # Each slip by its name: what begins it, and what ends it.
        self._slips = {
            "rights": (lambda: world.rights.take(*chance.sample(TAKEN, 3)), world.rights.give),
            "namespace": (lambda: world.rights.take_space(SPACE), lambda: world.rights.give_space(SPACE)),
            "configuration": (self._lose_configuration, lambda: world.configure(CONFIGURATION)),
            "webhook": (world.refuse_writes, lambda: world.refuse_writes(False)),
            "group": (lambda: world.fail_group(KNATIVE_SERVICES), lambda: world.fail_group(KNATIVE_SERVICES, False)),
            "secret": (lambda: self._api.delete(SECRETS, SPACE, "keys"), world.make_secret),
            "errors": (self._begin_errors, self._end_errors),
            "connections": (world.cut.refuse, lambda: world.cut.refuse(False)),
        }
        self._active = set()

    def step(self):
        # Slips are mended more often than they happen: if the controllers could never do what users ask for, nothing would be shown.
        chances = {self._make: 8, self._change: 8, self._delete: 3, self._make_graph: 2, self._slip: 5, self._mend: 9, self._cut: 2, self._kill: 2,
                   self._kill_gateway: 1}
        do = self._chance.choices(list(chances), list(chances.values()))[0]
        do()
        pause(self._chance, 0.6)

    def mend_all(self):
        for name in sorted(self._active):
            self._slips[name][1]()
        self._active.clear()

    # What users do.

    def _new_model(self):
        return f"/models/{next(self._numbers)}/end"

    def _make(self):
        if len(self.wanted) >= MOST:
            return
        name = f"s{next(self._numbers)}"
        self.wanted[name] = self._new_model()
        document = service(name)
        document["spec"]["predictor"]["model"]["storageUri"] = self.wanted[name]
        way = self._chance.choice(WAYS)
        if way == "tags":
            document["metadata"]["annotations"].update(TAGS)
        else:
            in_mode(document, way)
        print("make", name, way)
        self._ledger.ask(name)
        self._api.create(INFERENCE_SERVICES, document)

    def _one(self):
        """But for the one with credentials: without its Secret, a changed one would have none."""
        names = sorted(self.wanted.keys() - {"secretive"})
        return self._chance.choice(names) if names else None

    def _change(self):
        if name := self._one():
            self.wanted[name] = self._new_model()
            print("change", name)
            self._ledger.ask(name)
            self._api.patch(INFERENCE_SERVICES, SPACE, name, {"spec": {"predictor": {"model": {"storageUri": self.wanted[name]}}}})

    def _delete(self):
        if name := self._one():
            del self.wanted[name]
            print("delete", name)
            self._ledger.ask_deletion(name)
            self._api.delete(INFERENCE_SERVICES, SPACE, name)

    def _make_graph(self):
        if len(self.graphs) < 3:
            name = f"g{next(self._numbers)}"
            self.graphs.add(name)
            print("make", name)
            self._ledger.ask(name)
            self._api.create(GRAPHS, graph(name, self._chance.choice(["RawDeployment", "Serverless"])))

    # What goes wrong.

    def _slip(self):
        left = sorted(self._slips.keys() - self._active)
        if len(self._active) < ACTIVE_MAX and left:
            name = self._chance.choice(left)
            print("slip:", name)
            self._active.add(name)
            self._slips[name][0]()
            if self._chance.random() < 0.5:
                self._world.cut.cut()  # watches that have begun are not asked for rights again

    def _mend(self):
        if self._active:
            name = self._chance.choice(sorted(self._active))
            print("mend:", name)
            self._slips[name][1]()
            self._active.discard(name)

    def _lose_configuration(self):
        way = self._chance.randrange(4)
        if way == 0:
            self._api.delete(CONFIG_MAPS, MANAGED, "inferenceservice-config")
        else:
            self._world.configure([None, {"ingress": '{"ingressDomain": '}, {"deploy": '{"defaultDeploymentMode": "Nothing"}'}][way - 1])

    def _begin_errors(self):
        self._code, self._rate = self._chance.choice(CODES), self._chance.choice([0.1, 0.5, 1.0])
        print("errors:", self._code, self._rate)
        # Threads of the proxy ask, so that the order of their requests is not that of the seed.
        chance = random.Random(self._chance.random())
        self._proxy.fault = lambda method, path: (self._code, chance.random() < 0.3) if chance.random() < self._rate else None

    def _end_errors(self):
        self._proxy.fault = None

    def _cut(self):
        self._world.cut.cut()

    def _kill(self):
        one = self._chance.choice(self._world.controllers)
        print("kill")
        one.kill()
        pause(self._chance, 0.5)
        one.start()

    def _kill_gateway(self):
        one = self._chance.choice(self._gateways)
        print("kill", one.name)
        one.kill()
        pause(self._chance, 0.5)
        one.spawn()


def differences(api, chaos):
    """What is not as it is to be."""
    found = [f"{name} is not ready: {api.get(INFERENCE_SERVICES, SPACE, name).get('status')}" for name in chaos.wanted
             if not is_service_ready(api, SPACE, name)]
    found += [f"{name} is not ready" for name in chaos.graphs if condition_of(api.get(GRAPHS, SPACE, name), "Ready") != "True"]
    templates = {}
    for resource in MADE:
        for one in api.list(resource, SPACE):
            owner = next((one["metadata"]["labels"][label] for label in LABELS if label in one["metadata"].get("labels", {})), None)
            if owner is None:
                continue
            if owner not in chaos.wanted and owner not in chaos.graphs:
                found.append(f"{resource.plural} {one['metadata']['name']} is left")
            if resource in (DEPLOYMENTS, KNATIVE_SERVICES):
                templates[owner] = templates.get(owner, "") + str(one["spec"]["template"])
    return found + [f"{name} has not the newest model" for name, model in chaos.wanted.items() if model not in templates.get(name, "")]


@pytest.mark.timeout(SECONDS + 400)
def test_no_slip_deletes_or_rolls_what_nobody_asked_for(tmp_path):
    seed = int(os.environ.get("INFERD_CHAOS_SEED", "0")) or random.randrange(1 << 32)
    print(f"INFERD_CHAOS_SEED={seed}")
    with Kubernetes(tmp_path) as server, RefusingProxy(server) as proxy, World(server, proxy=proxy, controllers=2) as world, \
            ObjectLedger(server, SPACE) as ledger:
        world.api.create(SERVICES, {"metadata": {"name": "inferd-gateway", "namespace": MANAGED}, "spec": {"ports": [{"port": 80}]}})
        for name in (*FIRST, *FIRST_GRAPHS):
            ledger.ask(name)
        world.make_services()
        for one in world.controllers:
            one._ready = False
        gateways = [world.start_gateway(f"gateway-{number}") for number in range(2)]
        chaos = Chaos(world, gateways, proxy, ledger, random.Random(seed))
        try:
            end = time.monotonic() + SECONDS
            while time.monotonic() < end:
                chaos.step()
                assert not ledger.unasked()
            chaos.mend_all()
            begun = time.monotonic()
            wait_until(lambda: not differences(world.api, chaos), "all is as it is to be", timeout_s=150, every_s=1)
            print(f"converged after {time.monotonic() - begun:.1f} s; {ledger.counts()}")
            assert not ledger.unasked()
            assert ledger.counts()["rollouts"] >= SECONDS / SECONDS_OF_A_ROLLOUT
            for one in gateways:
                wait_until(one.is_ready, f"{one.name} is ready")
            for one in world.controllers:
                assert one.process.poll() is None
        except AssertionError as error:
            for one in (*world.controllers, *gateways):
                print(one.log()[-10_000:])
            raise AssertionError("\n".join([str(error), *differences(world.api, chaos)[:20]])) from error
