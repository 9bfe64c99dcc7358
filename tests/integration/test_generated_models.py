"""Random models, whose rows influence each other or do not. Their dimensions have names or not, and the names are true or not.
Served without a configuration and under load, each model answers like the library answers each request alone.

INFERD_GENERATED_SECONDS sets the duration, with models of further seeds. INFERD_GENERATED_SEED repeats a run."""

import os
import time

import numpy
import pytest

from support import row_models
from support.row_load import add_with_twin, batching_of, compare_under_load
from support.server import Server

SECONDS = float(os.environ.get("INFERD_GENERATED_SECONDS", "0"))
SEED = int(os.environ.get("INFERD_GENERATED_SEED", time.time_ns() % 10**9))
MODELS = 40  # of a round: so many are served at the same time
REQUESTS = 3  # of each of the clients to each model


def run_round(folder, seed):
    """(requests, differences, row-wise models that name their batch dimension, batched ones of them, the same of mixing models)

    A step that mixes rows may mix nothing: whether the sum of all rows is positive says nothing of them where each row's own sum
    always is. So a few mixing models may batch; their answers are compared as all others' are."""
    made = {}
    for number in range(MODELS):
        content, naming, mixing = row_models.generated(seed * MODELS + number)
        made[f"m{number}"] = (naming, mixing)
        add_with_twin(folder, f"m{number}", content)
    with Server(folder, options=["--default-batch-delay-us", "2000"]) as server:
        batches = {name: batching_of(server, name)["enabled"] for name in made}
        for name, (naming, mixing) in made.items():
            assert not batches[name] or naming in row_models.MAYBE_BATCH_NAMINGS, (seed, name, naming, mixing)
        requests, differences = compare_under_load(server, list(made), REQUESTS, numpy.random.default_rng(seed), batches)
    named = {name: mixing for name, (naming, mixing) in made.items() if naming in row_models.BATCH_NAMINGS}
    row_wise = [name for name, mixing in named.items() if mixing is None]
    mixed = [name for name, mixing in named.items() if mixing is not None]
    return requests, differences, [len(row_wise), sum(batches[name] for name in row_wise),
                                   len(mixed), sum(batches[name] for name in mixed)]


@pytest.mark.timeout(SECONDS + 120)
def test_every_answer_is_the_librarys_alone(tmp_path):
    print(f"INFERD_GENERATED_SEED={SEED}")
    ends = time.monotonic() + SECONDS
    rounds = requests = 0
    counts = [0, 0, 0, 0]
    differences = []
    while rounds == 0 or time.monotonic() < ends:
        sent, different, counted = run_round(tmp_path / str(rounds), SEED + rounds)
        rounds, requests = rounds + 1, requests + sent
        counts = [total + more for total, more in zip(counts, counted)]
        differences += [f"seed {SEED + rounds - 1}: {difference}" for difference in different]
    row_wise, batched, mixed, mixed_batched = counts
    print(f"{rounds * MODELS} models, {requests} requests, {len(differences)} differences; of the models that name their batch "
          f"dimension {batched} of {row_wise} row-wise ones were batched, and {mixed_batched} of {mixed} with a mixing step")
    assert not differences, differences[:3]
    assert batched >= 0.9 * row_wise
    assert mixed_batched <= 0.1 * mixed + 2


@pytest.mark.parametrize("seed", range(5))
def test_a_seed_makes_the_same_model(seed):
    assert row_models.generated(seed) == row_models.generated(seed)
