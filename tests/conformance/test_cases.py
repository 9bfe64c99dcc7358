"""Runs every conformance case against the built server."""

import pathlib

import pytest

import case_file
import matching
from connection import Connection
from http2_connection import Http2Connection

FOLDER = pathlib.Path(__file__).resolve().parent
CASES = [case for path in sorted(FOLDER.glob("*/*.case")) for case in case_file.parse(path)]


def is_for_http2(case):
    """Framing is another matter there: transport.case is HTTP/1.1's."""
    return case.file != "transport.case" and not any(exchange.closes for exchange in case.exchanges)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.file}: {case.title}")
def test_case(case, servers):
    server = servers(case.repository, case.options)
    with Connection(server.port) as connection:
        for exchange in case.exchanges:
            headers = ask(connection, exchange)
            if exchange.closes:
                assert connection.is_closed(), f"the connection is still open; {case.clause}"
            else:
                assert headers.get("Connection", "").lower() != "close", headers
        if not case.exchanges[-1].closes:
            check_alive(connection)


@pytest.mark.parametrize("case", [case for case in CASES if is_for_http2(case)], ids=lambda case: f"{case.file}: {case.title}")
def test_case_over_http2(case, servers):
    server = servers(case.repository, case.options)
    with Http2Connection(server.port) as connection:
        for exchange in case.exchanges:
            ask(connection, exchange)
        check_alive(connection)


def ask(connection, exchange):
    connection.send(exchange.method, exchange.target, exchange.headers, exchange.body)
    status, headers, body = connection.receive(exchange.method)
    check_answer(exchange, status, headers, body)
    return headers


def check_alive(connection):
    connection.send("GET", "/v2/health/live", [], b"")
    assert connection.receive("GET")[0] == 200, "the connection is of no use any more"


def check_answer(exchange, status, headers, body):
    assert status == exchange.status, f"{status} {body[:1000]}"
    for line in exchange.expected_headers:
        name, _, value = (part.strip() for part in line.partition(":"))
        actual = headers.get(name)
        good = {"*": actual is not None, "-": actual is None}.get(value, actual == value)
        assert good, f"{name}: expected {value!r}, got {actual!r}"
    if not exchange.expected_body:
        return
    if exchange.expected_body == "<empty>":
        assert body == b""
        return
    expected_json, _, expected_hex = exchange.expected_body.partition("<hex ")
    json_bytes = int(headers.get("Inference-Header-Content-Length", len(body)))
    problem = matching.difference(matching.parse(expected_json), matching.parse(body[:json_bytes]))
    assert problem is None, f"{problem}\nthe whole answer: {body[:2000]}"
    assert body[json_bytes:] == bytes.fromhex(expected_hex.strip().removesuffix(">"))
