"""inferd-gateway on a real API server: to and from zero, shares, several gateways, and one that is killed."""

import collections
import concurrent.futures
import contextlib
import itertools

import grpc
import pytest

from support.cluster_controller import ClusterController, Objects, define
from support.cluster_gateway import ClusterGateway, give_rights
from support.revision_pods import DEPLOYMENTS, SERVICES, RevisionPods, Services
from support.server import wait_until

NAMESPACES = {"group": "", "version": "v1", "kind": "Namespace", "plural": "namespaces", "namespaced": False}
LEASES = {"group": "coordination.k8s.io", "version": "v1", "kind": "Lease", "plural": "leases"}
_numbers = itertools.count()


class Cluster:
    """A namespace with pods and gateways of its own."""

    def __init__(self, kubernetes, client, namespace, pods, gateways):
        self.client, self.namespace, self.pods, self.gateways = client, namespace, pods, gateways
        self.services = Services(client, namespace)

    def host(self, service, tag=""):
        return f"{tag}{service}.{self.namespace}.svc.cluster.local"

    def leader(self):
        return wait_until(lambda: next((each for each in self.gateways if each.process.poll() is None and each.leads()), None), "a gateway leads")


@contextlib.contextmanager
def cluster_of(kubernetes, client, gateways):
    define(kubernetes)
    namespace = f"gateway-{next(_numbers)}"
    client("create", resource=NAMESPACES, cluster_wide=True, object={"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}})
    with contextlib.ExitStack() as stack:
        pods = stack.enter_context(RevisionPods(kubernetes, namespace))
        give_rights(client, namespace)
        rights = kubernetes.service_account(namespace, "inferd-gateway")
        running = [stack.enter_context(ClusterGateway(rights, client, namespace, f"gateway-{number}")) for number in range(gateways)]
        yield Cluster(kubernetes, client, namespace, pods, running)


@pytest.fixture(scope="module")
def cluster(kubernetes, client):
    with cluster_of(kubernetes, client, 1) as made:
        yield made


def test_from_zero_to_an_answer_and_to_zero_again(cluster):
    gateway, = cluster.gateways
    service = cluster.services.create("iris")
    revision = cluster.services.add_revision(service, 1, replicas=0)
    host = cluster.host("iris")
    wait_until(lambda: gateway.call(host=host)[0] != 404, "the service has routes")
    with concurrent.futures.ThreadPoolExecutor(20) as clients:
        answers = list(clients.map(lambda _: gateway.call(host=host), range(20)))
    assert answers == [(200, revision)] * 20
    assert gateway.call(host=f"iris-predictor-default.{cluster.namespace}") == (200, revision), "by a short name"
    assert gateway.call(host=f"iris-{cluster.namespace}.example.com") == (200, revision), "from outside"
    assert gateway.call(host="other")[0] == 404
    cluster.services.await_replicas(revision, 0)
    assert gateway.call(host=host) == (200, revision)


def test_calls_of_grpc_from_zero_to_an_answer_and_to_zero_again(cluster):
    gateway, = cluster.gateways
    service = cluster.services.create("calls")
    revision = cluster.services.add_revision(service, 1, replicas=0)
    host = cluster.host("calls")
    wait_until(lambda: gateway.call(host=host)[0] != 404, "the service has routes")
    cluster.services.await_replicas(revision, 0)

    def answers(*words):
        return [f"{revision} {word}".encode() for word in words]

    with gateway.grpc(host) as channel:
        unary, stream = channel.unary_unary("/test/Echo"), channel.stream_stream("/test/EchoAll")
        calls = [unary.future(str(number).encode(), timeout=60) for number in range(8)]
        assert [call.result() for call in calls] == answers(*range(8))
        cluster.services.await_replicas(revision, 0)
        assert list(stream(iter([b"a", b"b", b"c"]), timeout=60)) == answers("a", "b", "c")
        with pytest.raises(grpc.RpcError) as unknown:
            channel.unary_unary("/test/Other")(b"", timeout=60)
        assert unknown.value.code() == grpc.StatusCode.UNIMPLEMENTED
    with gateway.grpc("other") as channel, pytest.raises(grpc.RpcError) as lost:
        channel.unary_unary("/test/Echo")(b"", timeout=60)
    assert lost.value.code() == grpc.StatusCode.UNIMPLEMENTED, "there is no such host"
    cluster.services.await_replicas(revision, 0)


def test_more_pods_for_more_requests(cluster):
    gateway, = cluster.gateways
    service = cluster.services.create("busy")
    revision = cluster.services.add_revision(service, 1, replicas=1, target=10, target_utilization_percentage=100, max_scale=3)
    host = cluster.host("busy")
    wait_until(lambda: gateway.call(host=host)[0] == 200, "the service answers")
    with concurrent.futures.ThreadPoolExecutor(40) as clients:
        while cluster.services.replicas(revision) < 3:
            answers = list(clients.map(lambda _: gateway.call("/slow/0.5", host=host), range(40)))
            assert answers == [(200, revision)] * 40


def test_a_pod_has_as_many_requests_as_it_may(cluster):
    gateway, = cluster.gateways
    service = cluster.services.create("narrow")
    revision = cluster.services.add_revision(service, 1, replicas=1, container_concurrency=2, max_scale=1)
    host = cluster.host("narrow")
    wait_until(lambda: gateway.call(host=host)[0] == 200, "the service answers")
    with concurrent.futures.ThreadPoolExecutor(12) as clients:
        assert list(clients.map(lambda _: gateway.call("/slow/0.05", host=host), range(12))) == [(200, revision)] * 12
    assert max(pod.most for pod in cluster.pods.seen[revision]) == 2


def test_shares_and_tags(cluster):
    gateway, = cluster.gateways
    service = cluster.services.create("split")
    first = cluster.services.add_revision(service, 1, replicas=1, min_scale=1)
    host = cluster.host("split")
    wait_until(lambda: gateway.call(host=host) == (200, first), "the first answers")
    cluster.services.set_traffic(service, (first, 100, ""))
    second = cluster.services.add_revision(service, 2, replicas=1, min_scale=1)
    assert {gateway.call(host=host) for _ in range(20)} == {(200, first)}, "it has no share yet"
    cluster.services.set_traffic(service, (second, 30, ""), (first, 70, "prev"))
    wait_until(lambda: gateway.call(host=cluster.host("split-predictor-default", "prev-")) == (200, first), "the tag has a host")
    assert gateway.call(host=host, headers={"Knative-Serving-Tag": "prev"}) == (200, first)
    count = collections.Counter(gateway.call(host=host) for _ in range(400))
    assert set(count) == {(200, first), (200, second)}
    assert 60 < count[200, second] < 180, count  # of 400, 120 are expected
    cluster.services.set_traffic(service, (second, 100, ""))
    wait_until(lambda: {gateway.call(host=host) for _ in range(20)} == {(200, second)}, "the second has all")
    cluster.services.await_replicas(first, 0)
    assert cluster.services.replicas(second) == 1, "its least number"


def test_a_service_that_goes_has_no_routes(cluster):
    gateway, = cluster.gateways
    service = cluster.services.create("gone")
    revision = cluster.services.add_revision(service, 1, replicas=1)
    wait_until(lambda: gateway.call(host=cluster.host("gone")) == (200, revision), "it answers")
    cluster.client("delete", resource=SERVICES, namespace=cluster.namespace, name="gone")
    wait_until(lambda: gateway.call(host=cluster.host("gone"))[0] == 404, "its routes are gone")


def test_requests_that_wait_for_a_revision_that_goes_are_answered_at_once(cluster):
    gateway, = cluster.gateways
    cluster.pods.held.add("taken-predictor-default-00001")
    service = cluster.services.create("taken")
    revision = cluster.services.add_revision(service, 1, replicas=1)
    host = cluster.host("taken")
    with concurrent.futures.ThreadPoolExecutor(2) as clients, gateway.grpc(host) as channel:
        waits = clients.submit(lambda: wait_until(lambda: (answer := gateway.call(host=host))[0] != 404 and answer, "the service has routes"))
        wait_until(lambda: gateway.waiting(revision) == 1, "a request waits")
        call = channel.unary_unary("/test/Echo").future(b"", timeout=60)
        wait_until(lambda: gateway.waiting(revision) == 2, "a call waits")
        cluster.client("delete", resource=DEPLOYMENTS, namespace=cluster.namespace, name=revision)
        status, text = waits.result()
        assert status == 503 and f"'{revision}' is not there any more" in text
        assert (call.exception().code(), call.exception().details()) == (grpc.StatusCode.UNAVAILABLE, f"'{revision}' is not there any more")
    wait_until(lambda: gateway.call(host=host)[0] == 404, "its routes are gone")


def test_a_pod_has_as_many_requests_as_it_may_from_all_gateways(kubernetes, client):
    with cluster_of(kubernetes, client, 2) as cluster:
        service = cluster.services.create("narrow")
        revision = cluster.services.add_revision(service, 1, replicas=1, container_concurrency=3, min_scale=1, max_scale=1)
        host = cluster.host("narrow")
        wait_until(lambda: all(each.call(host=host)[0] == 200 for each in cluster.gateways), "the service answers")
        wait_until(lambda: all(each.metric("inferd_gateway_gateways") == 2 for each in cluster.gateways), "each knows of the other")
        with concurrent.futures.ThreadPoolExecutor(24) as clients:
            answers = list(clients.map(lambda number: cluster.gateways[number % 2].call("/slow/0.1", host=host), range(24)))
        assert answers == [(200, revision)] * 24
        assert max(pod.most for pod in cluster.pods.seen[revision]) == 3


def test_two_gateways_share_the_work_and_one_is_killed(kubernetes, client):
    with cluster_of(kubernetes, client, 2) as cluster:
        service = cluster.services.create("iris")
        revision = cluster.services.add_revision(service, 1, replicas=0, target=8, target_utilization_percentage=100, max_scale=2)
        host = cluster.host("iris")
        leader = cluster.leader()
        other, = [each for each in cluster.gateways if each is not leader]
        wait_until(lambda: other.call(host=host)[0] != 404, "the service has routes")
        # Each alone would need one pod: by what both have, there are two.
        with concurrent.futures.ThreadPoolExecutor(12) as clients:
            while cluster.services.replicas(revision) < 2:
                answers = list(clients.map(lambda number: cluster.gateways[number % 2].call("/slow/0.5", host=host), range(12)))
                assert answers == [(200, revision)] * 12
        # Requests at the other are none of the killed one's business.
        with concurrent.futures.ThreadPoolExecutor(12) as clients:
            under_way = [clients.submit(other.call, "/slow/1", host) for _ in range(12)]
            leader.kill()
            assert [each.result() for each in under_way] == [(200, revision)] * 12
        assert cluster.leader() is other
        leader.leave()
        # The new leader takes pods away, and gives one back.
        cluster.services.await_replicas(revision, 0)
        assert other.call(host=host) == (200, revision)
        assert client("get", resource=LEASES, namespace=cluster.namespace, name="inferd-gateway")["spec"]["holderIdentity"] == other.name


def test_a_gateway_that_ends_loses_no_request(kubernetes, client):
    with cluster_of(kubernetes, client, 2) as cluster:
        service = cluster.services.create("iris")
        revision = cluster.services.add_revision(service, 1, replicas=1, min_scale=1)
        host = cluster.host("iris")
        leader = cluster.leader()
        other, = [each for each in cluster.gateways if each is not leader]
        wait_until(lambda: all(each.call(host=host) == (200, revision) for each in cluster.gateways), "both answer")
        with concurrent.futures.ThreadPoolExecutor(8) as clients:
            under_way = [clients.submit(leader.call, "/slow/1", host) for _ in range(8)]
            wait_until(lambda: cluster.pods.seen[revision][0].most >= 8, "they are under way")
            leader.process.terminate()
            assert [each.result() for each in under_way] == [(200, revision)] * 8
        assert leader.process.wait(timeout=60) == 0
        assert cluster.leader() is other


@pytest.mark.timeout(300)
def test_the_controller_makes_the_revisions_that_the_gateway_serves(kubernetes, client):
    def service(image, **fields):
        return {"apiVersion": "serving.kserve.io/v1beta1", "kind": "InferenceService", "metadata": {"name": "made", "annotations": {
                    "autoscaling.knative.dev/window": "6s", "serving.kserve.io/deploymentMode": "Serverless"}},
                "spec": {"predictor": {"minReplicas": 0, **fields, "containers": [{"name": "kserve-container", "image": image}]}}}

    with cluster_of(kubernetes, client, 1) as cluster:
        gateway, = cluster.gateways
        objects = Objects(kubernetes, cluster.namespace)
        host = cluster.host("made")
        first, second = (f"made-predictor-default-0000{number}" for number in (1, 2))
        with ClusterController(kubernetes, "--namespace", cluster.namespace, "--controller-namespace", cluster.namespace,
                               "--discover-every-s", "1"):
            objects.create(service("one"))
            missing = objects.becomes("made", "PredictorReady", "False")
            assert "install Knative Serving or inferd-gateway" in str(missing["status"])
            objects.create({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "inferd-gateway"},
                            "spec": {"ports": [{"name": "http", "port": 80}]}})
            objects.becomes("made", "Ready")
            assert gateway.call(host=host) == (200, first)
            assert objects.get("Service", "made")["spec"]["externalName"] == f"inferd-gateway.{cluster.namespace}.svc.cluster.local"
            cluster.services.await_replicas(first, 0)
            assert gateway.call(host=host) == (200, first), "the controller leaves the number of pods alone"

            def rolls_out(document):
                document["spec"] = service("two", canaryTrafficPercent=20)["spec"]
            objects.change("InferenceService", "made", rolls_out)
            wait_until(lambda: {gateway.call(host=host) for _ in range(40)} == {(200, first), (200, second)}, "both have a share")

            def goes_forwards(document):
                del document["spec"]["predictor"]["canaryTrafficPercent"]
            objects.change("InferenceService", "made", goes_forwards)
            wait_until(lambda: {gateway.call(host=host) for _ in range(20)} == {(200, second)}, "the second has all")
            assert {one["metadata"]["name"] for one in objects.list("Deployment")} == {first, second}, "a way back is kept"
