"""Metrics of GPUs (nv_gpu_*) on the server's page, read from a stand-in for the library of NVIDIA's driver."""

import pytest

from support.server import PROGRAMS, Server, wait_until

STAND_IN = PROGRAMS.absolute().parent / "tests" / "gpus"
FIGURES = {"nv_gpu_utilization": (0.5, 0.75), "nv_gpu_memory_total_bytes": (8e9, 8e9), "nv_gpu_memory_used_bytes": (1e9, 3e9),
           "nv_gpu_power_usage": (60.5, 70.25), "nv_gpu_power_limit": (300, 300)}


def of_gpus(server):
    return {name: value for name, value in server.metrics().items() if name.startswith(("nv_gpu_", "nv_energy_"))}


@pytest.fixture
def driver(monkeypatch):
    monkeypatch.setenv("LD_LIBRARY_PATH", str(STAND_IN))


def test_each_gpu_has_its_figures(tmp_path, driver):
    energy = [f'nv_energy_consumption{{gpu_uuid="GPU-fake-{gpu}"}}' for gpu in range(2)]
    with Server(tmp_path, options=["--gpu-metrics-interval", "20ms"]) as server:
        page = wait_until(lambda: read if energy[1] in (read := of_gpus(server)) else None, "both GPUs were read")
        expected = {f'{name}{{gpu_uuid="GPU-fake-{gpu}"}}': value for name, values in FIGURES.items() for gpu, value in enumerate(values)}
        assert {name: value for name, value in page.items() if name not in energy} == expected
        wait_until(lambda: all(of_gpus(server)[name] > page[name] for name in energy), "they are read again")


def test_there_are_none_where_they_are_not_wanted_or_there_is_no_driver(tmp_path, monkeypatch, driver):
    with Server(tmp_path, options=["--gpu-metrics=false"]) as server:
        assert of_gpus(server) == {}
    monkeypatch.setenv("LD_LIBRARY_PATH", str(tmp_path))
    with Server(tmp_path) as server:
        assert of_gpus(server) == {} and "no metrics of GPUs" not in server.log()
