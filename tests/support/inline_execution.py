"""Makes models run on the connections' threads."""

import contextlib

from support.server import wait_until

# With the default limit, executions on a busy machine look slow. The server then keeps the model off the connections' threads for a while, and
# the test's request runs on the instance's own thread.
UNHURRIED = "inline_execution_max_microseconds: 1000000"


def let_in(server, model, body):
    """Sends requests with `body` until the server runs the model on connections' threads."""
    name = f'inferd_inline_executions_total{{model="{model}",version="1"}}'

    def runs_there():
        with contextlib.closing(server.connect(60)) as connection:
            for _ in range(40):
                connection.request("POST", f"/v2/models/{model}/infer", body)
                assert connection.getresponse().read()
        return server.metrics()[name] > 0

    wait_until(runs_there, "it runs on a connections' thread")
