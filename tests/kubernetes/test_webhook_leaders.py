"""Two controllers with webhooks and --leader-elect: both answer reviews, the one that leads keeps the certificates, and what it has made outlives it."""

import contextlib

import pytest

from support.server import free_ports, wait_until
from support.webhooks import SECRET, Controller, cluster_with_webhooks, service

WRONG = service("wrong", {"sklearn": {}, "minReplicas": -1})


@pytest.fixture(scope="module")
def cluster(kubernetes, tmp_path_factory):
    with cluster_with_webhooks(kubernetes, tmp_path_factory.mktemp("kubectl")) as made:
        yield made


def is_asked(cluster):
    return "MinReplicas cannot be less than 0." in cluster.tried(WRONG)


@contextlib.contextmanager
def pair_of(cluster):
    """The one that leads and the other one, which is asked by the API server."""
    first_port, second_port = free_ports(2)
    cluster.configure(first_port)
    with contextlib.ExitStack() as stack:
        first = stack.enter_context(Controller(cluster, first_port, "--leader-elect"))
        wait_until(lambda: first.leads(), "the first leads")
        # One that does not lead waits for certificates, which are there.
        second = stack.enter_context(Controller(cluster, second_port, "--leader-elect"))
        cluster.configure(second_port)
        wait_until(cluster.is_trusted, "the one that leads has the API server trust both")
        wait_until(lambda: is_asked(cluster), "the other one is asked")
        yield first, second


def test_the_other_answers_and_takes_over_when_the_leader_is_killed(cluster):
    with pair_of(cluster) as (leader, other):
        assert leader.leads() and not other.leads()
        before = cluster.get(SECRET)
        assert other.certificate() == leader.certificate()
        leader.kill()
        assert is_asked(cluster), "it answers without the lease"
        wait_until(lambda: other.leads(), "it leads", 60)
        assert cluster.is_trusted() and cluster.get(SECRET) == before, "what was made is kept"
        # What the one before did, it does now.
        cluster.configure(other.webhook_port)
        wait_until(cluster.is_trusted, "the authority is there again")
        wait_until(lambda: is_asked(cluster), "it is asked")
        assert cluster.get(SECRET) == before


def test_only_the_one_that_leads_writes(cluster):
    with pair_of(cluster) as (leader, other):
        shown = other.certificate()
        # Its writes alone: the other one is told of each change, too, and tries none.
        assert cluster.call("DELETE", SECRET)[0] == 200
        wait_until(lambda: cluster.get(SECRET) is not None and cluster.is_trusted(), "there is another")
        wait_until(lambda: other.certificate() == leader.certificate() != shown, "both show it")
        managers = {field["manager"] for field in cluster.get(SECRET)["metadata"]["managedFields"]}
        assert managers == {"inferd-controller"} and not other.leads()
        wait_until(lambda: is_asked(cluster), "it is asked")
        # One that ends gives the lease up at once.
        leader.process.terminate()
        assert leader.process.wait(timeout=60) == 0
        wait_until(lambda: other.leads(), "the other leads", 60)
        assert is_asked(cluster) and cluster.is_trusted()
