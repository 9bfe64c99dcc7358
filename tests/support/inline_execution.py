"""Models that run on the threads which serve connections."""

import contextlib

from support.server import wait_until

# With the default limit, a busy machine makes good executions look slow: the model is then closed to connections' threads for a
# while, and the request of the test runs on the instance's own thread.
UNHURRIED = "inline_execution_max_microseconds: 1000000"


def let_in(server, model, body):
    """Has the model measured, by the request's `body`, until it runs on connections' threads."""
    name = f'inferd_inline_executions_total{{model="{model}",version="1"}}'

    def runs_there():
        with contextlib.closing(server.connect(60)) as connection:
            for _ in range(40):
                connection.request("POST", f"/v2/models/{model}/infer", body)
                assert connection.getresponse().read()
        return server.metrics()[name] > 0

    wait_until(runs_there, "it runs on a connections' thread")
