"""Clients that disconnect at any point, during reloads, unloads, expired deadlines and killed workers. All answers are correct, and
afterwards the server's state is as before. INFERD_CHAOS_SECONDS sets the duration of each test, INFERD_CHAOS_SEED the random seed."""

import os
import random
import time

import pytest

from support import chaos
from support.isolation import IN_BOTH_ISOLATIONS
from support.server import Server, wait_until

SECONDS = float(os.environ.get("INFERD_CHAOS_SECONDS", "6"))
SEED = int(os.environ.get("INFERD_CHAOS_SEED", "1"))
CLIENTS = 6

pytestmark = IN_BOTH_ISOLATIONS


@pytest.mark.timeout(SECONDS + 240)
def test_nothing_is_lost_mixed_up_or_left_behind(tmp_path, isolation, capsys):
    chaos.add_models(tmp_path)
    options = ["--cache-config", "local,size=1000000", "--queue-size-max", "64", "--trace-level", "timestamps", "--trace-rate", "10",
               "--trace-file", os.devnull]
    with Server(tmp_path, options=options) as server:
        files = server.open_files()
        until = time.monotonic() + SECONDS
        clients = [chaos.Client(server, number, until, SEED) for number in range(1, CLIENTS + 1)]
        chance = random.Random(SEED)
        disturbed = 0

        def disturb():
            nonlocal disturbed
            time.sleep(chance.random() * 0.3)
            chaos.disturb(server, chance, isolation)
            disturbed += 1

        chaos.run_all(clients, until, disturb)
        chaos.settle(server)
        wait_until(lambda: server.open_files() <= files + 8, f"files are closed: {files} at the start")
        counts = chaos.counts(clients)
    assert server.process.returncode == 0, server.log()
    assert counts["answered"] > 20, counts
    for finding in ("Sanitizer", "runtime error:"):
        assert finding not in server.log(), server.log()
    if SECONDS >= 60:
        with capsys.disabled():
            print(f"\nchaos, {isolation}: {counts}, {disturbed} disturbances", end="")
