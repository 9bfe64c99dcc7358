"""Tests of what engines do, which is the same in the server's process and in one of its own."""

import pytest

# For a module (pytestmark) or a test: it runs twice. Servers that fixtures start depend on the fixture `isolation`.
IN_BOTH_ISOLATIONS = pytest.mark.parametrize("isolation", ["none", "process"], indirect=True)
