"""Answers come in the order of the requests if the model's configuration demands it."""

import contextlib

import pytest

from support.batching import BatchingModels, Crowd, wait_for
from support.server import wait_until


@pytest.fixture
def batching(tmp_path):
    return BatchingModels(tmp_path)


@pytest.mark.parametrize("respond", ["all", "reverse"])
def test_replies_come_in_the_order_of_the_requests_where_that_is_preserved(batching, respond):
    """The first request's instance is held; the second's is done, and its answer waits for the first's."""
    add_two_instances(batching, "dynamic_batching { preserve_ordering: true }", respond=respond)
    with batching.serve() as server, Crowd(server) as crowd, first_held(batching, crowd) as first:
        second = crowd.send("m", [[2]], "second")
        wait_until(lambda: [execution.code for execution in batching.executions("m")] == [None, 0], "the second is done")
        third = crowd.send("m", [[3]], "third")
        wait_until(lambda: len(batching.executions("m")) == 3, "others go on")
        assert not second.done() and not third.done() and not first.done()
        go(batching)
        assert [reply.values() for reply in wait_for([first, second, third])] == [[[1]], [[2]], [[3]]]


def test_replies_wait_for_no_other_request_where_order_is_not_preserved(batching):
    add_two_instances(batching, "dynamic_batching { }")
    with batching.serve() as server, Crowd(server) as crowd, first_held(batching, crowd) as first:
        assert crowd.send("m", [[2]], "second").result(timeout=30).values() == [[2]]
        assert not first.done()
        go(batching)
        assert first.result(timeout=30).values() == [[1]]


def add_two_instances(batching, dynamic_batching, **parameters):
    batching.add("m", dynamic_batching, rows_max=2, instances=2, hold_dir=str(batching.repository), **parameters)


def go(batching):
    (batching.repository / "go").touch()


@contextlib.contextmanager
def first_held(batching, crowd):
    """A request that has an instance for itself until go()."""
    try:
        first = crowd.send("m", [[1]], "first", parameters={"hold": "go"})
        wait_until(lambda: batching.executions("m"), "the first is held")
        yield first
    finally:
        go(batching)
