"""Priorities, and queue policies for waiting requests, with the order and the status codes that the configuration demands."""

import pytest

from support.batching import BatchingModels, Crowd, wait_for
from support.server import wait_until


@pytest.fixture
def batching(tmp_path):
    return BatchingModels(tmp_path)


class Queued:
    """A server whose only model is held and busy. Use as a context manager."""

    def __init__(self, batching, *options):
        self._batching = batching
        batching.hold("m")
        self.server = batching.serve(*options)

    def __enter__(self):
        self.server.__enter__()
        self.crowd = Crowd(self.server)
        self.plug = self.crowd.send("m", [[0]], "plug")
        wait_until(lambda: self.plug.done() or self._batching.executions("m"), "the instance is busy")
        assert not self.plug.done(), self.plug.result()
        return self

    def __exit__(self, *error):
        self._batching.release("m")
        self.crowd.__exit__(*error)
        self.server.__exit__(*error)

    def queue(self, request_id, **parameters):
        """Sends one request, and waits until it is in the queue or answered."""
        return self.crowd.queue_up("m", [{"values": [[1]], "request_id": request_id, "parameters": parameters}])[0]

    def release(self):
        """The ids in the order of their executions, the plug aside."""
        self._batching.release("m")
        assert self.plug.result(timeout=30).ok
        wait_until(lambda: self.crowd.pending("m") == 0, "the queue is empty")
        return lambda: [request_id for execution in self._batching.executions("m")[1:] for request_id in execution.ids]


def test_priorities_order_what_waits(batching):
    batching.add("m", "dynamic_batching { priority_levels: 3 default_priority_level: 2 }", rows_max=1)
    with Queued(batching) as queued:
        futures = [queued.queue("low", priority=3), queued.queue("default"), queued.queue("second", priority=2),
                   queued.queue("high", priority=1), queued.queue("low too", priority=3), queued.queue("high too", priority=1)]
        order = queued.release()
        assert all(reply.ok for reply in wait_for(futures))
        assert order() == ["high", "high too", "default", "second", "low", "low too"]


def test_the_urgent_fill_a_batch_first(batching):
    batching.add("m", "dynamic_batching { priority_levels: 2 default_priority_level: 2 }", rows_max=3)
    with Queued(batching) as queued:
        futures = [queued.queue(f"low {n}") for n in range(4)] + [queued.queue(f"high {n}", priority=1) for n in range(2)]
        order = queued.release()
        assert all(reply.ok for reply in wait_for(futures))
        assert order() == ["high 0", "high 1", "low 0", "low 1", "low 2", "low 3"]


def test_a_priority_out_of_range_fails_that_request_alone(batching):
    batching.add("m", "dynamic_batching { priority_levels: 2 default_priority_level: 1 }")
    with Queued(batching) as queued:
        good = queued.queue("good")
        wrong = queued.queue("wrong", priority=3).result(timeout=30)
        assert wrong.code == "INVALID_ARGUMENT" and "priority" in wrong.message
        queued.release()
        assert good.result(timeout=30).ok


def test_the_queue_of_each_level_is_bounded(batching):
    batching.add("m", """dynamic_batching { priority_levels: 2 default_priority_level: 2
        default_queue_policy { max_queue_size: 3 } priority_queue_policy { key: 1 value { max_queue_size: 1 } } }""")
    with Queued(batching) as queued:
        waiting = [queued.queue("high", priority=1)]
        refused = queued.queue("one too many", priority=1).result(timeout=30)
        assert refused.code == "RESOURCE_EXHAUSTED" and "Exceeds maximum queue size" in refused.message
        waiting += [queued.queue(f"low {n}") for n in range(3)]
        assert queued.queue("another").result(timeout=30).code == "RESOURCE_EXHAUSTED"
        queued.release()
        assert all(reply.ok for reply in wait_for(waiting))


def test_who_has_waited_too_long_is_rejected_at_once(batching):
    batching.add("m", """dynamic_batching { priority_levels: 2 default_priority_level: 2
        priority_queue_policy { key: 1 value { default_timeout_microseconds: 1000 timeout_action: REJECT } } }""")
    with Queued(batching) as queued:
        patient = queued.queue("patient")
        late = queued.queue("late", priority=1).result(timeout=30)
        assert late.code == "DEADLINE_EXCEEDED" and "Request timeout expired" in late.message
        assert not patient.done(), "answered while the model is held"
        order = queued.release()
        assert patient.result(timeout=30).ok
        assert order() == ["patient"]


def test_who_has_waited_too_long_runs_last_if_the_policy_delays(batching):
    batching.add("m", """dynamic_batching { default_queue_policy { timeout_action: DELAY allow_timeout_override: true
        default_timeout_microseconds: 3600000000 } }""", rows_max=1)
    with Queued(batching) as queued:
        futures = [queued.queue("impatient", timeout=1), queued.queue("patient"), queued.queue("patient too")]
        order = queued.release()
        assert all(reply.ok for reply in wait_for(futures))
        assert order() == ["patient", "patient too", "impatient"]


TIMEOUTS = """dynamic_batching { priority_levels: 2 default_priority_level: 2
    default_queue_policy { default_timeout_microseconds: 3600000000 }
    priority_queue_policy { key: 1 value { default_timeout_microseconds: 3600000000 allow_timeout_override: true } } }"""


def test_a_requests_own_timeout_is_an_error_where_it_may_not_be(batching):
    batching.add("m", TIMEOUTS)
    with Queued(batching) as queued:
        futures = [queued.queue("before"), queued.queue("the same", timeout=3_600_000_000)]
        for timeout in (1, 3_600_000_001):
            for _ in queued.crowd.clients:
                reply = queued.queue("barred", timeout=timeout).result(timeout=30)
                assert reply.code == "INVALID_ARGUMENT"
                assert "default_timeout_microseconds 3600000000" in reply.message and f"got {timeout}" in reply.message
        assert queued.queue("expired", timeout=1, priority=1).result(timeout=30).code == "DEADLINE_EXCEEDED"
        futures += [queued.queue("cut", timeout=3_600_000_001, priority=1), queued.queue("after")]
        order = queued.release()
        assert all(reply.ok for reply in wait_for(futures))
        assert order() == ["cut", "before", "the same", "after"]


def test_as_tritonserver_a_timeout_that_may_not_be_counts_for_nothing(batching):
    batching.add("m", TIMEOUTS)
    with Queued(batching, "--as", "tritonserver") as queued:
        kept = [queued.queue("kept", timeout=1) for _ in queued.crowd.clients]
        queued.release()
        assert all(reply.ok for reply in wait_for(kept))


def test_as_tritonserver_who_has_waited_too_long_finds_it_unavailable(batching):
    batching.add("m", """dynamic_batching { priority_levels: 2 default_priority_level: 2
        priority_queue_policy { key: 1 value { default_timeout_microseconds: 1000 } } }""")
    with Queued(batching, "--as", "tritonserver") as queued:
        late = wait_for([queued.queue("late", priority=1) for _ in queued.crowd.clients])
        assert {(reply.code, reply.message.removeprefix("[request id: late] ")) for reply in late} == {
            ("UNAVAILABLE", "Request timeout expired")}
        queued.release()


def test_a_policy_without_a_timeout_takes_the_requests(batching):
    batching.add("m")
    with Queued(batching) as queued:
        assert queued.queue("expired", timeout=1).result(timeout=30).code == "DEADLINE_EXCEEDED"
        patient = queued.queue("patient", timeout=3_600_000_000)
        queued.release()
        assert patient.result(timeout=30).ok


@pytest.mark.parametrize("action", ["DELAY", "REJECT"])
def test_a_timeout_that_passes_lets_the_others_come_to_a_preferred_size(batching, action):
    # The batch delay is far longer than the test: nothing that is answered has waited for it.
    batching.add("m", f"""dynamic_batching {{ preferred_batch_size: [ 1, 4, 8 ] max_queue_delay_microseconds: 3600000000
        default_queue_policy {{ timeout_action: {action} allow_timeout_override: true default_timeout_microseconds: 7200000000 }} }}""")
    with batching.serve() as server, Crowd(server) as crowd:
        first, late, second = crowd.queue_up("m", [
            {"values": [[1], [2]], "request_id": "first"},
            {"values": [[3]], "request_id": "late", "parameters": {"timeout": 1_000_000}},
            {"values": [[4], [5]], "request_id": "second"}])
        assert all(reply.ok for reply in wait_for([first, second]))
        assert late.result(timeout=30).code == ("OK" if action == "DELAY" else "DEADLINE_EXCEEDED")
    executions = [execution.ids for execution in batching.executions("m")]
    assert executions == [["first", "second"], *([["late"]] if action == "DELAY" else [])]
