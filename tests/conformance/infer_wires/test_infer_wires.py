"""Every case of case_table.py on every wire."""

import dataclasses
import re

import pytest

import case_table
from grpc_wires import GrpcRaw, GrpcStream, GrpcTyped, GrpcWeb
from http_wires import HttpBinary, HttpJson
from inference import HTTP_STATUS, Failure
from support.isolation import IN_BOTH_ISOLATIONS

pytestmark = IN_BOTH_ISOLATIONS

CLIENTS = {case_table.JSON: HttpJson, case_table.BINARY: HttpBinary, case_table.TYPED: GrpcTyped,
           case_table.RAW: GrpcRaw, case_table.STREAM: GrpcStream, case_table.WEB: GrpcWeb}


@pytest.fixture(scope="module")
def wires(servers, isolation):
    """A client of each wire to each repository's server, made when first asked for."""
    clients = {}
    options = ("--isolation=process",) if isolation == "process" else ()

    def get(wire, repository):
        if (wire, repository) not in clients:
            clients[wire, repository] = CLIENTS[wire](servers(repository, options))
        return clients[wire, repository]

    yield get
    for client in clients.values():
        client.close()


# How to mend a request is not said on all wires (docs/first-mistakes.md).
ADVICE = re.compile(r" \(did you mean '.*'\?\)$|; GET /v2/models lists the models$|; its only version is \d+$|; model '[^']*' takes '.*$")


ASKED = [pytest.param(case, wire, id=f"{case.title}, over {wire}") for case in case_table.CASES for wire in case.wires]


@pytest.mark.parametrize("case, wire", ASKED)
def test_case(case, wire, wires):
    expected = case.otherwise.get(wire, case.answer)
    actual = wires(wire, case.repository).infer(case.request)
    if isinstance(expected, Failure) and wire in (case_table.JSON, case_table.BINARY):
        expected = Failure(HTTP_STATUS[expected.code], expected.message)
    if isinstance(actual, Failure):
        actual = dataclasses.replace(actual, message=ADVICE.sub("", actual.message))
    assert repr(actual) == repr(expected)  # 1 is not True, 0 not -0.0, and NaN is NaN
