"""Tree models with random parameters, trained by XGBoost, LightGBM and scikit-learn, compared with the libraries' answers: margins
to the last bit, predictions, leaves and contributions (readers/recorded_models_test.cc compares them).

INFERD_FOREST_SECONDS=600 tests/run integration/test_random_forests.py makes and compares new models for 600 s."""

import os
import random
import re
import subprocess
import time

import pytest

from support.server import PROGRAMS, ROOT

MODELS = ROOT / "tests" / "models"
PYTHON = ROOT / "build" / "deps" / "forest" / "bin" / "python"
AT_ONCE = 40
SECONDS = int(os.environ.get("INFERD_FOREST_SECONDS", "0"))


def compare(folder, seed):
    """How many models were made, and answered as their libraries do."""
    assert PYTHON.exists(), "needs tools/install_packages forest tests/models/requirements.txt"
    made = subprocess.run([PYTHON, MODELS / "make_random_forests.py", folder, str(seed), str(AT_ONCE)], capture_output=True,
                          text=True, check=False)
    assert made.returncode == 0, f"seed {seed}: {made.stdout[-2000:]}\n{made.stderr[-4000:]}"
    compared = subprocess.run([PROGRAMS / "engines_forest_test", "--gtest_filter=*RecordedModelTest*", "--gtest_brief=1"],
                              env={**os.environ, "INFERD_RECORDED_FORESTS": str(folder)}, capture_output=True, text=True, check=False)
    assert compared.returncode == 0, f"seed {seed}, in {folder}:\n{compared.stdout[-6000:]}"
    tests = int(re.search(r"(\d+) tests? from", compared.stdout)[1])
    assert tests == 3 * AT_ONCE
    return AT_ONCE


@pytest.mark.timeout(SECONDS + 240)
def test_models_of_random_parameters_answer_as_their_libraries(tmp_path):
    started, seed, models = time.monotonic(), 1, 0
    while models == 0 or time.monotonic() - started < SECONDS:
        models += compare(tmp_path / str(seed), seed)
        print(f"seed {seed}: as the libraries; {models} models up to now")
        seed = random.randrange(1 << 31)
