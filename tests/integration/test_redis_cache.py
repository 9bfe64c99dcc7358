"""Responses that are cached in a Redis. No inference fails if it is down, slow, or restarted."""

import re
import shutil

import pytest

from support.batching import BatchingModels, Crowd
from support.certificates import Certificates
from support.load import Load
from support.redis import Detour, Redis
from support.server import wait_until

CACHED = "response_cache { enable: true }"

pytestmark = pytest.mark.skipif(shutil.which("redis-server") is None, reason="there is no redis-server")


def tensor(*values):
    return [{"name": "INPUT0", "datatype": "INT32", "shape": [1, len(values)], "data": list(values)}]


def told(port, *more):
    return [f"--cache-config=redis,{setting}" for setting in ("host=127.0.0.1", f"port={port}", "timeout=2s", *more)]


def is_up(server):
    return server.metrics().get("inferd_response_cache_redis_up") == 1


def ask(server, *values):
    status, answer = server.infer("m", tensor(*values))
    assert (status, answer["outputs"][0]["data"]) == (200, list(values)), answer


@pytest.fixture
def fake(tmp_path):
    made = BatchingModels(tmp_path)
    made.add("m", extra=CACHED)
    return made


def test_an_equal_request_is_not_executed(fake):
    with Redis() as redis, fake.serve(*told(redis.port)) as server:
        wait_until(lambda: is_up(server), "the Redis is found")
        for values in ((1, 2), (1, 3)):
            ask(server, *values)
        wait_until(lambda: len(redis.keys()) == 2, "both are kept")
        for values in ((1, 2), (1, 3)):
            ask(server, *values)
        assert len(fake.executions("m")) == 2
        assert all(0 < int(redis.ask("PTTL", key)) <= 3_600_000 for key in redis.keys())
        counted = server.json("GET", "/v2/models/m/stats")[1]["model_stats"][0]["inference_stats"]
        assert (counted["cache_hit"]["count"], counted["cache_miss"]["count"]) == (2, 2)
        # What is found there is held against the whole request.
        first, second = redis.keys()
        redis.ask("RENAME", first, second)
        redis.ask("SET", first, "no entry")
        for values in ((1, 2), (1, 3)):
            ask(server, *values)
        assert len(fake.executions("m")) > 2


def test_many_at_once(fake):
    with Redis() as redis, fake.serve(*told(redis.port)) as server, Crowd(server) as crowd:
        wait_until(lambda: is_up(server), "the Redis is found")
        sent = [(crowd.send("m", [[i % 20, 1]], str(i)), [[i % 20, 1]]) for i in range(400)]
        assert all(future.result(60).values() == values for future, values in sent)
        assert server.json("GET", "/v2/models/m/stats")[1]["model_stats"][0]["inference_count"] < 100


def test_servers_share_where_they_are_told_to(fake):
    with Redis() as redis:
        for expected in (1, 1):
            with fake.serve(*told(redis.port, "shared=team", "ttl=60s")) as server:
                wait_until(lambda: is_up(server), "the Redis is found")
                ask(server, 4, 5)
                wait_until(redis.keys, "it is kept")
            assert len(fake.executions("m")) == expected
        with fake.serve(*told(redis.port)) as server:
            wait_until(lambda: is_up(server), "the Redis is found")
            ask(server, 4, 5)
            assert len(fake.executions("m")) == 2


def test_a_password_and_a_database(fake):
    with Redis("--requirepass", "secret") as redis:
        with fake.serve(*told(redis.port, "password=secret", "db=3")) as server:
            wait_until(lambda: is_up(server), "the Redis is found")
            ask(server, 1, 2)
            wait_until(lambda: redis.ask("-n", "3", "DBSIZE").split()[-1] == "1", "it is kept")
            assert "secret" not in server.log()
        with fake.serve(*told(redis.port, "password=wrong")) as server:
            ask(server, 1, 2)
            wait_until(lambda: "the response cache's Redis is away" in server.log(), "the log says so")
            assert not is_up(server)


@pytest.fixture(scope="module")
def certificates(tmp_path_factory):
    return Certificates(tmp_path_factory.mktemp("certificates"))


def told_of_tls(redis, certificates, *more, name="client"):
    return told(redis.port, "tls_enabled=true", f"cacert={certificates.certificate('authority')}",
                f"cert={certificates.certificate(name)}", f"key={certificates.key(name)}", *more)


def test_it_is_reached_by_tls(fake, certificates):
    with Redis(certificates=certificates) as redis, fake.serve(*told_of_tls(redis, certificates)) as server:
        wait_until(lambda: is_up(server), "the Redis is found")
        large = list(range(200_000))  # many records of TLS
        for values in ((1, 2), large):
            ask(server, *values)
        wait_until(lambda: len(redis.keys()) == 2, "both are kept")
        for values in ((1, 2), large):
            ask(server, *values)
        assert len(fake.executions("m")) == 2
        redis.stop()
        wait_until(lambda: not is_up(server), "it is missed")
        ask(server, 1, 2)
        redis.start()
        wait_until(lambda: is_up(server), "it is found again")


@pytest.mark.parametrize("settings, reason", [
    (["sni=other.example.org"], "hostname mismatch"),
    (["cacert={stranger}"], "certificate verify failed|self-signed|unable to get"),
    (["cert={stranger}", "key={stranger_key}"], "unknown ca|alert|closed|broke"),
])
def test_certificates_are_checked(fake, certificates, settings, reason):
    settings = [setting.format(stranger=certificates.certificate("stranger"), stranger_key=certificates.key("stranger"))
                for setting in settings]
    with Redis(certificates=certificates) as redis, fake.serve(*told_of_tls(redis, certificates, *settings)) as server:
        wait_until(lambda: "the response cache's Redis is away" in server.log(), "the log says so")
        assert re.search(f"Redis is away.*({reason})", server.log(), re.IGNORECASE), server.log()
        ask(server, 1, 2)
        assert not is_up(server)


def test_one_that_speaks_no_tls_is_away(fake, certificates):
    with Redis() as redis, fake.serve(*told_of_tls(redis, certificates)) as server:
        wait_until(lambda: "the response cache's Redis is away" in server.log(), "the log says so")
        ask(server, 1, 2)
        assert not is_up(server)


def test_files_of_tls_that_are_not_there_end_the_start(fake, certificates):
    missing = certificates.certificate("nobody")
    for setting in (f"cacert={missing}", f"cacert_dir={missing}"):
        with pytest.raises(AssertionError, match="nobody.pem"), fake.serve(*told(1, "tls_enabled=true", setting)):
            pass


def test_without_it_models_are_executed(fake):
    with Redis() as redis, fake.serve(*told(redis.port)) as server:
        wait_until(lambda: is_up(server), "the Redis is found")
        with Load(server, "m", tensor(7, 8)) as load:
            for _ in range(2):
                redis.stop()
                wait_until(lambda: not is_up(server), "it is missed")
                ask(server, 1, 2)
                redis.start()
                wait_until(lambda: is_up(server), "it is found again")
        assert not load.failures, load.failures[:3]
        assert "the response cache's Redis answers again" in server.log()


def test_a_slow_one_is_not_waited_for(fake):
    with Redis() as redis, Detour(redis.port) as detour, \
            fake.serve("--cache-config=redis,host=127.0.0.1", f"--cache-config=redis,port={detour.port}",
                       "--cache-config=redis,timeout=100ms") as server:
        wait_until(lambda: is_up(server), "the Redis is found")
        detour.delay_s = 600
        for i in range(20):
            ask(server, 1, i)
        assert len(fake.executions("m")) == 20
        metrics = server.metrics()
        assert metrics["inferd_response_cache_redis_up"] == 0
        assert 3 <= metrics["inferd_response_cache_redis_timeouts_total"] < 20
