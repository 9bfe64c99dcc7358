"""A slip of an operator is no outage: inferd-controller --cluster with the rights of deploy/ on a real API server, from which one thing after the
other is taken. What stands for services and graphs stays as it is, in each test, while something is missing and afterwards."""

import pytest

from support.cluster_api import (CLUSTER_RUNTIMES, CONFIG_MAPS, DEFINITIONS, DEPLOYMENTS, EVENTS, GRAPHS, INFERENCE_SERVICES,
                                 KNATIVE_SERVICES, REPLICA_SETS, SECRETS)
from support.kubernetes import Kubernetes
from support.server import wait_until
from support.slips import (CONFIGURATION, DOWN, MANAGED, OTHER, RUNTIME, SPACE, World, difference, graph, in_mode, install_definitions,
                           is_served, service)

pytestmark = pytest.mark.timeout(400)


@pytest.fixture(name="world", scope="module")
def made_world(tmp_path_factory):
    """With an API server of this file's own, since definitions are deleted. A controller that may change one service a minute, unless its user asks."""
    with Kubernetes(tmp_path_factory.mktemp("slips")) as server:
        with World(server, "--change-at-once", "1", "--change-share", "0", "--change-per-minute", "1") as world:
            world.make_services()
            yield world


class Unharmed:
    """What stood before the slip."""

    def __init__(self, world):
        self._world = world
        self._before = world.standing()

    def check(self, decided=True):
        """Nothing was deleted or rolled, though all was decided about anew, unless the controller waits."""
        if decided:
            self._world.decide_again()
        assert not difference(self._before, self._world.standing())


@pytest.fixture(name="unharmed")
def checked(world):
    """At its end all is as it was, with nothing in doubt and all services ready."""
    unharmed = Unharmed(world)
    yield unharmed
    world.await_no_doubt()
    unharmed.check()
    for name, space in (("digits", SPACE), ("late", SPACE), ("secretive", SPACE), ("elsewhere", OTHER)):
        world.await_ready(name, space=space)
    world.await_ready("chain", GRAPHS)


def test_rights_that_are_taken_from_a_controller_at_work(world, unharmed):
    world.rights.take("apps/deployments", "/services", "/configmaps", "serving.knative.dev/services", "serving.kserve.io/clusterservingruntimes")
    world.cut.cut()  # the watches, which the API server would let go on
    for about in (DEPLOYMENTS.kind, CLUSTER_RUNTIMES.kind, "inferd-gateway"):
        world.await_doubt(about)
    unharmed.check()
    world.rights.give()


def test_rights_that_are_missing_at_the_start(world, unharmed):
    world.rights.take("/services", "serving.kserve.io/clusterservingruntimes")
    world.restart(waits=True)
    world.await_waiting()
    unharmed.check(decided=False)
    world.rights.give()
    wait_until(world.is_ready, "the controller is ready", 100)


def test_a_group_of_apis_that_answers_503(world, unharmed):
    world.fail_group(KNATIVE_SERVICES)
    world.cut.cut()
    world.await_doubt(KNATIVE_SERVICES.group)
    world.decide_again()
    world.restart(waits=True)
    world.await_waiting()
    world.fail_group(KNATIVE_SERVICES, False)
    wait_until(world.is_ready, "the controller is ready", 100)


def test_a_configuration_that_is_deleted(world, unharmed):
    world.api.delete(CONFIG_MAPS, MANAGED, "inferenceservice-config")
    for restarts in (False, True):
        if restarts:
            world.restart()
        for name, resource in (("digits", INFERENCE_SERVICES), ("late", INFERENCE_SERVICES), ("chain", GRAPHS)):
            wait_until(lambda name=name, resource=resource: world.condition(name, "ConfigCurrent", resource).get("status") == "False",
                       f"{name} says that its configuration is an old one", 100)
        unharmed.check()
    world.configure(CONFIGURATION)
    wait_until(lambda: not world.condition("digits", "ConfigCurrent"), "its configuration is the newest", 100)


@pytest.mark.parametrize("data", [{"ingress": '{"ingressDomain": "elsewhere.test"'}, None], ids=["malformed", "empty"])
def test_a_configuration_that_is_broken(world, unharmed, data):
    world.configure(data)
    wait_until(lambda: world.condition("digits", "ConfigCurrent").get("status") == "False", "its configuration is said to be an old one", 100)
    unharmed.check()
    assert "models.test" in world.api.get(INFERENCE_SERVICES, SPACE, "digits")["status"]["url"]
    world.configure(CONFIGURATION)
    wait_until(lambda: not world.condition("digits", "ConfigCurrent"), "its configuration is the newest", 100)


def test_a_definition_that_is_deleted(world, unharmed):
    """With it go all ClusterServingRuntimes, and so the runtime of all services."""
    world.api.delete(DEFINITIONS, None, f"{CLUSTER_RUNTIMES.plural}.{CLUSTER_RUNTIMES.group}")
    wait_until(lambda: not is_served(world.api, CLUSTER_RUNTIMES), "the definition is gone", 100)
    world.await_doubt(CLUSTER_RUNTIMES.kind)
    unharmed.check()
    world.restart(waits=True)
    world.await_waiting()
    unharmed.check(decided=False)
    install_definitions(world.api)
    world.api.apply(CLUSTER_RUNTIMES, RUNTIME)
    wait_until(world.is_ready, "the controller is ready", 100)


def test_a_definition_that_is_not_served(world, unharmed):
    """The API server has the services still, and answers 404 to who lists them."""
    name = f"{INFERENCE_SERVICES.plural}.{INFERENCE_SERVICES.group}"
    versions = world.api.get(DEFINITIONS, None, name)["spec"]["versions"]
    world.api.patch(DEFINITIONS, None, name, {"spec": {"versions": [{**one, "served": False} for one in versions]}})
    wait_until(lambda: not is_served(world.api, INFERENCE_SERVICES), "the services are not served", 100)
    world.await_doubt(INFERENCE_SERVICES.kind)
    unharmed.check()
    world.restart(waits=True)
    world.await_waiting()
    unharmed.check(decided=False)
    world.api.patch(DEFINITIONS, None, name, {"spec": {"versions": versions}})
    wait_until(lambda: is_served(world.api, INFERENCE_SERVICES), "the services are served", 100)
    wait_until(world.is_ready, "the controller is ready", 100)


def test_a_webhook_that_is_down(world):
    """It refuses all writes of what a service becomes. The service goes on as it was, and is brought to its newest state once it can be."""
    before = world.standing()
    world.refuse_writes()
    world.api.patch(INFERENCE_SERVICES, SPACE, "digits", {"spec": {"predictor": {"model": {"storageUri": "/models/newer"}}}})
    wait_until(lambda: DOWN in world.controller.log(), "the controller hears of the webhook", 100)
    assert not difference(before, world.standing())
    assert world.condition("digits", "PredictorReady")["status"] == "True"
    world.refuse_writes(False)
    wait_until(lambda: "/models/newer" in str(world.api.get(DEPLOYMENTS, SPACE, "digits-predictor-default")["spec"]), "the change is there", 100)
    world.await_ready("digits")
    # Its user has asked for one roll, and that is all.
    [(plural, _, _, name)] = difference(before, world.standing())
    assert plural == REPLICA_SETS.plural and name.startswith("digits-predictor-default-")


def test_a_secret_that_is_deleted(world, unharmed):
    world.api.delete(SECRETS, SPACE, "keys")
    world.restart()  # secrets are read once a minute
    world.await_reason("secretive", "PredictorReady", "CredentialsMissing")
    unharmed.check()
    world.make_secret()
    world.restart()


def test_a_namespace_that_is_forbidden(world, unharmed):
    world.rights.take_space(OTHER)
    world.restart(waits=True)
    world.make(service("fresh"))
    world.await_ready("fresh")  # the others are served
    assert OTHER in world.controller.log()
    world.api.delete(INFERENCE_SERVICES, SPACE, "fresh")
    wait_until(lambda: not [one for one in world.standing() if one[3].startswith("fresh")], "nothing of it is left", 100)
    unharmed.check()
    world.rights.give_space(OTHER)
    wait_until(lambda: OTHER not in str(world.doubts()), "it can be listed", 100)


def held(world):
    """The events that say that a change is held."""
    return [one["message"] for one in world.api.list(EVENTS, SPACE) if one["reason"] == "ChangeHeld"]


def test_the_guard_holds_no_move_that_users_ask_for(world):
    """Five services and graphs move at once to Knative and back, before a controller that starts anew on the way. One service a minute would be let
    through, were it not for their users."""
    services, graphs = [f"moves-{number}" for number in range(3)], [f"moves-graph-{number}" for number in range(2)]
    for name in services:
        world.make(service(name))
    for name in graphs:
        world.make(graph(name), GRAPHS)

    def await_all(mode):
        for names, resource, component in ((services, INFERENCE_SERVICES, "{}-predictor-default"), (graphs, GRAPHS, "{}")):
            for name in names:
                here, there = (KNATIVE_SERVICES, DEPLOYMENTS) if mode == "Serverless" else (DEPLOYMENTS, KNATIVE_SERVICES)
                made = component.format(name)
                wait_until(lambda made=made, here=here: world.api.get(here, SPACE, made), f"{made} is made in the new way", 100)
                wait_until(lambda made=made, there=there: world.api.get(there, SPACE, made) is None, f"{made} of the old way is gone", 100)
                world.await_ready(name, resource)
    await_all("RawDeployment")
    for mode in ("Serverless", "RawDeployment"):
        for name in services:
            world.api.patch(INFERENCE_SERVICES, SPACE, name, in_mode({"metadata": {}}, mode))
        for name in graphs:
            world.api.patch(GRAPHS, SPACE, name, in_mode({"metadata": {}}, mode))
        # Both sides are there.
        wait_until(lambda mode=mode: world.api.get(KNATIVE_SERVICES if mode == "Serverless" else DEPLOYMENTS, SPACE, f"{services[0]}-predictor-default"),
                   "the move has begun", 100)
        world.restart()
        await_all(mode)
        assert not held(world)
    for name in services:
        world.api.delete(INFERENCE_SERVICES, SPACE, name)
    for name in graphs:
        world.api.delete(GRAPHS, SPACE, name)
    wait_until(lambda: not [one for one in world.standing() if one[3].startswith("moves")], "nothing of them is left", 100)


def test_the_guard_does_hold_what_nobody_asked_for(world):
    """The other half of the test above: the same controller holds a change of the configuration that would roll several services."""
    before = world.standing()
    changed = {**RUNTIME["spec"], "containers": [{**RUNTIME["spec"]["containers"][0], "image": "server:slip"}]}
    world.api.patch(CLUSTER_RUNTIMES, None, RUNTIME["metadata"]["name"], {"spec": changed})
    wait_until(lambda: held(world), "changes are held", 100)
    world.api.patch(CLUSTER_RUNTIMES, None, RUNTIME["metadata"]["name"], {"spec": RUNTIME["spec"]})
    wait_until(lambda: not [one for one in ("digits", "late", "secretive") if world.condition(one, "ObjectsCurrent")], "none waits", 100)
    rolled = {key[3].rpartition("-")[0] for key in difference(before, world.standing()) if key[0] == REPLICA_SETS.plural}
    assert len(rolled) <= 2, rolled
