"""inferd-controller --cluster on a machine whose clock jumps while it runs."""

import datetime

import pytest

from support.cluster import WITH_INGRESSES, configure, install_kserve, is_service_ready, lease_of, make_namespace, raw_service, versions
from support.cluster_api import DEPLOYMENTS, INFERENCE_SERVICES, INGRESSES, SERVICES, ClusterApi
from support.cluster_controller import ClusterController
from support.jumping_clock import JumpingClock
from support.kubelet import Kubelet
from support.server import wait_until

SPACE = "clocks"
OPTIONS = ("--namespace", SPACE, "--controller-namespace", SPACE, "--leader-elect")
HOUR_S = 3600
COMPARED = (DEPLOYMENTS, SERVICES, INGRESSES, INFERENCE_SERVICES)


@pytest.fixture(name="api", scope="module")
def made_api(kubernetes):
    api = ClusterApi(kubernetes, manager="tests")
    install_kserve(api, config=WITH_INGRESSES)
    make_namespace(api, SPACE)
    configure(api, SPACE, WITH_INGRESSES)
    with Kubelet(kubernetes):
        yield api
        for service in api.list(INFERENCE_SERVICES, SPACE):
            api.delete(INFERENCE_SERVICES, SPACE, service["metadata"]["name"])


def renewed_ahead_s(api):
    """How many seconds after the present the lease was renewed, by this machine's clock."""
    renewed = datetime.datetime.fromisoformat(lease_of(api, SPACE)["renewTime"].replace("Z", "+00:00"))
    return (renewed - datetime.datetime.now(datetime.timezone.utc)).total_seconds()


def serve(api, name):
    api.create(INFERENCE_SERVICES, raw_service(name, SPACE, f"/models/{name}"))
    wait_until(lambda: is_service_ready(api, SPACE, name), f"{name} is ready")


def test_a_leader_whose_clock_jumps_leads_on(kubernetes, api, tmp_path):
    clock = JumpingClock(tmp_path)
    with ClusterController(kubernetes, *OPTIONS, environment=clock.environment) as first:
        serve(api, "before")
        holder = lease_of(api, SPACE)["holderIdentity"]
        with ClusterController(kubernetes, *OPTIONS) as second:
            for number, ahead_s in enumerate((36 * HOUR_S, 0, -60)):
                before = versions(api, SPACE, COMPARED)
                clock.jump(ahead_s)
                # For longer than a lease is good for: several renewals.
                wait_until(lambda ahead_s=ahead_s: abs(renewed_ahead_s(api) - ahead_s) < 30, "the lease is renewed by that clock")
                serve(api, f"after-{number}")
                assert lease_of(api, SPACE)["holderIdentity"] == holder and not second.leads()
                after = versions(api, SPACE, COMPARED)
                assert {key: after[key] for key in before} == before, "nothing was written anew"
            # What stands in the lease is a time long after the present.
            clock.jump(36 * HOUR_S)
            wait_until(lambda: renewed_ahead_s(api) > 35 * HOUR_S, "the lease is renewed by that clock")
            first.kill()
            wait_until(second.leads, "the other leads", 60)
            serve(api, "of-the-second")


def test_a_clock_before_the_api_servers_certificate_ends_with_the_lease_at_another(kubernetes, api, tmp_path):
    clock = JumpingClock(tmp_path)
    with ClusterController(kubernetes, *OPTIONS, environment=clock.environment) as first:
        wait_until(first.leads, "it leads", 60)
        with ClusterController(kubernetes, *OPTIONS) as second:
            clock.jump(-40 * 24 * HOUR_S)
            kubernetes.stop()
            kubernetes.start()  # no connection of before is left
            wait_until(second.leads, "the one with the right clock leads", 60)
            serve(api, "while-wrong")
            assert not first.leads() and first.process.poll() is None, first.log()
            assert "certificate" in first.log(), "it says why"
            clock.jump(0)
            second.kill()
            wait_until(first.leads, "it leads again when its clock is right", 60)
            serve(api, "while-right")
