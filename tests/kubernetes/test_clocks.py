"""inferd-controller --cluster on a machine whose clock jumps while it runs."""

import datetime
import json

import pytest

from support.cluster import install_kserve, is_service_ready, make_namespace, raw_service
from support.cluster_api import CONFIG_MAPS, DEPLOYMENTS, INFERENCE_SERVICES, INGRESSES, LEASES, SERVICES, ClusterApi, key_of
from support.cluster_controller import ClusterController
from support.jumping_clock import JumpingClock
from support.kubelet import Kubelet
from support.server import wait_until

SPACE = "clocks"
OPTIONS = ("--namespace", SPACE, "--controller-namespace", SPACE, "--leader-elect")
HOUR_S = 3600
CONFIGURED = {"ingress": json.dumps({"ingressDomain": "example.com", "ingressClassName": "tests"})}


@pytest.fixture(name="api", scope="module")
def made_api(kubernetes):
    api = ClusterApi(kubernetes, manager="tests")
    install_kserve(api, config=CONFIGURED)
    make_namespace(api, SPACE)
    api.apply(CONFIG_MAPS, {"metadata": {"name": "inferenceservice-config", "namespace": SPACE}, "data": CONFIGURED})
    with Kubelet(kubernetes):
        yield api
        for service in api.list(INFERENCE_SERVICES, SPACE):
            api.delete(INFERENCE_SERVICES, SPACE, service["metadata"]["name"])


def lease(api):
    """Its holder, and how many seconds it was renewed after the present, by this machine's clock."""
    for one in api.list(LEASES, SPACE):
        renewed = datetime.datetime.fromisoformat(one["spec"]["renewTime"].replace("Z", "+00:00"))
        return one["spec"].get("holderIdentity"), (renewed - datetime.datetime.now(datetime.timezone.utc)).total_seconds()
    return None, 0


def versions(api):
    return {(resource.plural, *key_of(one)): one["metadata"]["resourceVersion"]
            for resource in (DEPLOYMENTS, SERVICES, INGRESSES, INFERENCE_SERVICES) for one in api.list(resource, SPACE)}


def serve(api, name):
    api.create(INFERENCE_SERVICES, raw_service(name, SPACE, f"/models/{name}"))
    wait_until(lambda: is_service_ready(api, SPACE, name), f"{name} is ready")


def test_a_leader_whose_clock_jumps_leads_on(kubernetes, api, tmp_path):
    clock = JumpingClock(tmp_path)
    with ClusterController(kubernetes, *OPTIONS, environment=clock.environment) as first:
        serve(api, "before")
        holder, _ = lease(api)
        with ClusterController(kubernetes, *OPTIONS) as second:
            for number, ahead_s in enumerate((36 * HOUR_S, 0, -60)):
                before = versions(api)
                clock.jump(ahead_s)
                # For longer than a lease is good for: several renewals.
                wait_until(lambda ahead_s=ahead_s: abs(lease(api)[1] - ahead_s) < 30, "the lease is renewed by that clock")
                serve(api, f"after-{number}")
                assert lease(api)[0] == holder and second.metrics()["inferd_controller_leader"] == 0
                after = versions(api)
                assert {key: after[key] for key in before} == before, "nothing was written anew"
            # What stands in the lease is a time long after the present.
            clock.jump(36 * HOUR_S)
            wait_until(lambda: lease(api)[1] > 35 * HOUR_S, "the lease is renewed by that clock")
            first.kill()
            wait_until(lambda: second.metrics()["inferd_controller_leader"] == 1, "the other leads", 60)
            serve(api, "of-the-second")


def test_a_clock_before_the_api_servers_certificate_ends_with_the_lease_at_another(kubernetes, api, tmp_path):
    clock = JumpingClock(tmp_path)
    with ClusterController(kubernetes, *OPTIONS, environment=clock.environment) as first:
        wait_until(lambda: first.metrics()["inferd_controller_leader"] == 1, "it leads", 60)
        with ClusterController(kubernetes, *OPTIONS) as second:
            clock.jump(-40 * 24 * HOUR_S)
            kubernetes.stop()
            kubernetes.start()  # no connection of before is left
            wait_until(lambda: second.metrics()["inferd_controller_leader"] == 1, "the one with the right clock leads", 60)
            serve(api, "while-wrong")
            assert first.metrics()["inferd_controller_leader"] == 0 and first.process.poll() is None, first.log()
            assert "certificate" in first.log(), "it says why"
            clock.jump(0)
            second.kill()
            wait_until(lambda: first.metrics()["inferd_controller_leader"] == 1, "it leads again when its clock is right", 60)
            serve(api, "while-right")
