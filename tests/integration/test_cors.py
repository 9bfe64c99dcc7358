"""Pages of other origins: the preflights that a browser sends before a page may use an answer (CORS)."""

import json

import pytest

from support.server import EXAMPLES, Server

PAGE = "https://app.example.org"
OTHER = "https://other.example.org"
TOKEN = "known-1Ff3"
PATHS = ["/v2/models/simple", "/v1/models/simple", "/v2/health/live", "/metrics"]
PREFLIGHT = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization,content-type"}


@pytest.fixture(scope="module")
def guarded(tmp_path_factory):
    """A server for pages of PAGE, whose inference and metadata need a token."""
    tokens = tmp_path_factory.mktemp("tokens") / "tokens"
    tokens.write_text(TOKEN + "\n")
    with Server(EXAMPLES, options=["--http-cors-allow-origin", PAGE, "--http-cors-allow-origin", "http://localhost:3000",
                                   "--access-token-file", f"metadata,inference:{tokens}"]) as server:
        yield server


def cors_headers(headers):
    return {name.lower(): value for name, value in headers.items() if name.lower().startswith("access-control-")}


@pytest.mark.parametrize("path", ["/v2/models/simple/infer", "/v1/models/simple:predict", "/v2/models/nobody/infer"])
def test_a_preflight_needs_no_token_and_the_request_does(guarded, path):
    status, headers, body = guarded.request("OPTIONS", path, headers={"Origin": PAGE, **PREFLIGHT})
    assert (status, body) == (204, b"")
    assert cors_headers(headers) == {"access-control-allow-origin": PAGE, "access-control-allow-methods": "GET, POST",
                                     "access-control-allow-headers": "authorization,content-type",
                                     "access-control-max-age": "86400"}
    status, headers, _ = guarded.request("POST", path, "{}", {"Origin": PAGE})
    assert (status, headers["Access-Control-Allow-Origin"]) == (401, PAGE)
    status, headers, _ = guarded.request("POST", path, "{}", {"Origin": PAGE, "Authorization": f"Bearer {TOKEN}"})
    assert status in (400, 404) and headers["Access-Control-Allow-Origin"] == PAGE


@pytest.mark.parametrize("path", PATHS)
def test_answers_say_who_may_read_them(guarded, path):
    token = {"Authorization": f"Bearer {TOKEN}"}
    status, headers, _ = guarded.request("GET", path, headers={"Origin": PAGE, **token})
    assert (status, headers["Access-Control-Allow-Origin"], headers["Vary"]) == (200, PAGE, "Origin")
    assert "X-Request-Id" in headers["Access-Control-Expose-Headers"]
    for origin in ({"Origin": OTHER}, {}):
        status, headers, _ = guarded.request("GET", path, headers={**origin, **token})
        assert (status, cors_headers(headers), headers["Vary"]) == (200, {}, "Origin")


def test_the_transports_own_answers_may_be_read(guarded):
    status, headers, _ = guarded.request("POST", "/v2/repository/index", headers={"Origin": PAGE, "Content-Length": str(2 << 20)})
    assert (status, headers["Access-Control-Allow-Origin"]) == (413, PAGE)


def test_other_origins_get_no_preflight(guarded):
    status, headers, _ = guarded.request("OPTIONS", "/v2/models/simple/infer", headers={"Origin": OTHER, **PREFLIGHT})
    assert (status, cors_headers(headers)) == (405, {})


def test_a_page_cannot_load_and_unload(guarded):
    status, headers, body = guarded.request("POST", "/v2/repository/models/simple/unload", headers={"Origin": PAGE})
    assert (status, headers["Access-Control-Allow-Origin"]) == (403, PAGE), body


def test_any_origin_may_be_allowed():
    with Server(EXAMPLES, options=["--http-cors-allow-origin", "*"]) as server:
        for path in PATHS:
            status, headers, _ = server.request("GET", path, headers={"Origin": "null"})
            assert (status, headers["Access-Control-Allow-Origin"], headers["Vary"]) == (200, "*", None)
            assert cors_headers(server.request("GET", path)[1]) == {}


def test_tensorflow_servings_headers_stay_as_they_are():
    with Server(EXAMPLES, options=["--http-cors-allow-origin", PAGE, "--tfs-cors"]) as server:
        _, headers, _ = server.request("GET", "/v1/models/simple", headers={"Origin": PAGE})
        assert headers.get_all("Access-Control-Allow-Origin") == ["*"]
        _, headers, _ = server.request("GET", "/v2/models/simple", headers={"Origin": PAGE})
        assert headers.get_all("Access-Control-Allow-Origin") == [PAGE]


def test_without_the_option_there_are_no_headers(server):
    status, headers, body = server.request("GET", "/v2/models/simple", headers={"Origin": PAGE})
    assert (status, cors_headers(headers), headers["Vary"]) == (200, {}, None) and json.loads(body)
    assert server.request("OPTIONS", "/v2/models/simple/infer", headers={"Origin": PAGE, **PREFLIGHT})[0] == 405
