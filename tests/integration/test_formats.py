"""One table: every format of model files through every protocol, in the server's process and in workers, against the answers of the
format's own framework (support/formats.py has the formats)."""

import concurrent.futures
import functools

import numpy
import pytest

from support.dialects import DIALECTS, TrtisHttp, V2Binary, V2GrpcRaw
from support.formats import ROWS
from support.isolation import IN_BOTH_ISOLATIONS
from support.server import Server, has_engine

pytestmark = IN_BOTH_ISOLATIONS
CLIENTS = 8
# What has numbers that are not finite.
BITS = (V2Binary, V2GrpcRaw, TrtisHttp)
TABLE = [pytest.param(row, dialect, id=f"{row.name}-{dialect.name}") for row in ROWS for dialect in (*DIALECTS, TrtisHttp)
         if dialect.name not in row.untold]


@pytest.fixture(scope="module")
def server(tmp_path_factory, isolation):
    """All formats at once."""
    repository = tmp_path_factory.mktemp("formats")
    rows = [row for row in ROWS if has_engine(row.engine)]
    for row in rows:
        row.add_to(repository)
    options = [option for row in rows for option in row.options]
    with Server(repository, options=["--isolation", isolation, *dict.fromkeys(options)]) as running:
        yield running


@pytest.fixture(autouse=True)
def need_engine(row):
    if not has_engine(row.engine):
        pytest.skip(f"the {row.engine} engine is not built: tools/install_engine {row.engine}")


@functools.cache
def recorded(server, row):
    return row.recorded(server.json("GET", f"/v2/models/{row.model(batched=False)}")[1])


def finite(inputs):
    """Which rows have nothing but numbers and texts."""
    return numpy.all([numpy.isfinite(values).all(axis=tuple(range(1, values.ndim))) for values, _ in inputs.values()
                      if values.dtype.kind == "f"] or [True], axis=0)


def expect(row, answer, outputs, chosen):
    assert answer.keys() == outputs.keys()
    for name, (values, datatype) in outputs.items():
        # A single number of a row is, where clients count on batches, a row of one.
        got = answer[name].reshape(values[chosen].shape)
        if values.dtype.kind == "f":
            numpy.testing.assert_allclose(got, values[chosen], rtol=row.rtol, atol=1e-9, err_msg=name)
        else:
            assert numpy.array_equal(got, values[chosen]), (name, datatype, got)


@pytest.mark.parametrize(("row", "dialect"), TABLE)
def test_a_format_answers_as_its_framework(server, row, dialect):
    inputs, outputs = recorded(server, row)
    asked = dialect(server)
    usable = numpy.broadcast_to(True if dialect in BITS else finite(inputs), len(next(iter(inputs.values()))[0]))
    for batched in (True,) if dialect is TrtisHttp else (False, True):
        for chosen in numpy.flatnonzero(usable)[:1], numpy.flatnonzero(usable):
            tensors = {name: (values[chosen], datatype) for name, (values, datatype) in inputs.items()}
            answer = asked.ask(row.model(batched), tensors, {name: datatype for name, (_, datatype) in outputs.items()})
            expect(row, answer, outputs, chosen)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_clients_whose_requests_share_executions_get_their_own_rows(server, row):
    inputs, outputs = recorded(server, row)
    model, count = row.model(batched=True), len(next(iter(inputs.values()))[0])
    statistics = lambda: server.json("GET", f"/v2/models/{model}/stats")[1]["model_stats"][0]
    before = statistics()

    def ask(number):
        asked = (V2Binary, V2GrpcRaw)[number % 2](server)
        for turn in range(10):
            chosen = numpy.array([(number + turn) % count])
            expect(row, asked.ask(model, {name: (values[chosen], datatype) for name, (values, datatype) in inputs.items()},
                                  {name: datatype for name, (_, datatype) in outputs.items()}), outputs, chosen)

    with concurrent.futures.ThreadPoolExecutor(CLIENTS) as pool:
        for done in [pool.submit(ask, number) for number in range(CLIENTS)]:
            done.result()
    grown = {key: statistics()[key] - before[key] for key in ("inference_count", "execution_count")}
    assert grown["inference_count"] == CLIENTS * 10 > grown["execution_count"]
