"""What the tests share that have a real Kubernetes API server: `tools/install_kubernetes`, and then `tests/run kubernetes`."""

import pytest

from support.kubernetes import Kubernetes, KubernetesClient


@pytest.fixture(scope="session")
def kubernetes(tmp_path_factory):
    with Kubernetes(tmp_path_factory.mktemp("kubernetes")) as running:
        yield running


@pytest.fixture(scope="session")
def client(kubernetes):
    with KubernetesClient(kubernetes.kubeconfig()) as running:
        yield running
