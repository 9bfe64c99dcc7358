"""inferd-controller's API, used by Kubernetes' Python client and by KServe's SDK. Of inferd, the tests use only the program."""

import concurrent.futures
import os
import signal
import subprocess
import sys

import pytest
from kserve import (KServeClient, V1beta1InferenceService, V1beta1InferenceServiceSpec, V1beta1ModelFormat, V1beta1ModelSpec,
                    V1beta1PredictorSpec)
from kubernetes import client, config, watch
from kubernetes.client import V1ObjectMeta

from support.controller import Controller, write_constant
from support.server import PROGRAMS, wait_until

GROUP, VERSION, PLURAL = "serving.kserve.io", "v1beta1", "inferenceservices"


def objects_api(controller):
    return client.CustomObjectsApi(config.new_client_from_config(str(controller.kubeconfig)))


def service(name, uri, runtime=None):
    model = V1beta1ModelSpec(model_format=V1beta1ModelFormat(name="xgboost"), storage_uri=str(uri), runtime=runtime)
    return V1beta1InferenceService(api_version=f"{GROUP}/{VERSION}", kind="InferenceService",
                                   metadata=V1ObjectMeta(name=name, namespace="default"),
                                   spec=V1beta1InferenceServiceSpec(predictor=V1beta1PredictorSpec(min_replicas=1, model=model)))


def lost(name):
    """A service that no runtime serves: nothing is started for it."""
    return {"apiVersion": f"{GROUP}/{VERSION}", "kind": "InferenceService", "metadata": {"name": name},
            "spec": {"predictor": {"model": {"modelFormat": {"name": "xgboost"}, "runtime": "none", "storageUri": "/m"}}}}


def test_the_sdk_makes_waits_asks_changes_and_deletes(tmp_path):
    first, second = write_constant(tmp_path / "first", 1.5), write_constant(tmp_path / "second", 2.5)
    with Controller() as controller:
        kserve = KServeClient(config_file=str(controller.kubeconfig))
        made = kserve.create(service("sdk", first))
        assert made["metadata"]["generation"] == 1
        kserve.wait_isvc_ready("sdk", namespace="default", timeout_seconds=60, polling_interval=1)
        assert kserve.is_isvc_ready("sdk", namespace="default")
        got = kserve.get("sdk", namespace="default")
        assert got["status"]["url"] == f"http://sdk-default.localhost:{controller.port}"
        assert controller.predict("sdk") == 1.5
        kserve.patch("sdk", service("sdk", second), namespace="default")
        wait_until(lambda: controller.predict("sdk") == 2.5, "the patch is served")
        kserve.replace("sdk", service("sdk", first), namespace="default")
        wait_until(lambda: controller.predict("sdk") == 1.5, "the replacement is served")
        kserve.delete("sdk", namespace="default")
        wait_until(lambda: not controller.replicas(), "its replicas have ended")
        with pytest.raises(RuntimeError):
            kserve.get("sdk", namespace="default")


LISTING = """\
from kubernetes import client, config
config.load_kube_config()
print([item["metadata"]["name"] for item in client.CustomObjectsApi().list_cluster_custom_object("serving.kserve.io", "v1beta1", "inferenceservices")["items"]])
"""


def test_the_client_takes_the_kubeconfig_that_is_exported():
    with Controller() as controller:
        objects_api(controller).create_namespaced_custom_object(GROUP, VERSION, "default", PLURAL, lost("a"))
        listed = subprocess.run([sys.executable, "-c", LISTING], env={**os.environ, "KUBECONFIG": str(controller.kubeconfig)},
                                capture_output=True, text=True, timeout=60, check=False)
        assert listed.stdout == "['a']\n", listed.stderr


def test_a_watch_begins_where_a_list_ended_and_says_when_it_is_too_late(tmp_path):
    with Controller() as controller:
        api = objects_api(controller)
        api.create_namespaced_custom_object(GROUP, VERSION, "default", PLURAL, lost("a"))
        listed = api.list_namespaced_custom_object(GROUP, VERSION, "default", PLURAL)
        assert [item["metadata"]["name"] for item in listed["items"]] == ["a"]
        begin = listed["metadata"]["resourceVersion"]
        api.create_namespaced_custom_object(GROUP, VERSION, "default", PLURAL, lost("b"))
        api.delete_namespaced_custom_object(GROUP, VERSION, "default", PLURAL, "b")
        events = [(event["type"], event["object"]["metadata"]["name"]) for event in watch.Watch().stream(
            api.list_namespaced_custom_object, GROUP, VERSION, "default", PLURAL, resource_version=begin, timeout_seconds=2,
            field_selector="metadata.name=b")]
        assert events[0] == ("ADDED", "b") and events[-1] == ("DELETED", "b")
        with pytest.raises(client.ApiException) as refused:
            list(watch.Watch().stream(api.list_namespaced_custom_object, GROUP, VERSION, "default", PLURAL,
                                      resource_version="1000000", timeout_seconds=2))
        assert refused.value.status == 410


def test_pages_of_a_list_have_each_object_once():
    with Controller() as controller:
        api = objects_api(controller)
        names = [f"s{number:02}" for number in range(25)]
        for name in names:
            api.create_namespaced_custom_object(GROUP, VERSION, "default", PLURAL, lost(name))
        found, token, pages = [], None, 0
        while token != "":
            page = api.list_namespaced_custom_object(GROUP, VERSION, "default", PLURAL, limit=10, _continue=token)
            found += [item["metadata"]["name"] for item in page["items"]]
            token = page["metadata"].get("continue", "")
            pages += 1
        assert found == names and pages == 3


def test_what_was_acknowledged_outlives_kill_9(tmp_path):
    """Again and again, with writers at work: each object whose creation was answered is there, and each deletion is done."""
    state = tmp_path / "state"
    made, deleted = set(), set()
    for round_number in range(5):
        with Controller(options=["--folder", state]) as controller:
            def write(writer, api=objects_api(controller), round_number=round_number):
                acknowledged, gone = [], []
                try:
                    for number in range(10_000):
                        name = f"s-{round_number}-{writer}-{number}"
                        api.create_namespaced_custom_object(GROUP, VERSION, "default", PLURAL, lost(name), _request_timeout=10)
                        acknowledged.append(name)
                        if number % 4 == 3:
                            api.delete_namespaced_custom_object(GROUP, VERSION, "default", PLURAL, name, _request_timeout=10)
                            gone.append(name)
                except Exception:  # noqa: BLE001  # the program has been killed
                    return acknowledged, gone
                raise AssertionError("the program was not killed")

            with concurrent.futures.ThreadPoolExecutor(4) as pool:
                writers = [pool.submit(write, writer) for writer in range(4)]
                api = objects_api(controller)
                wait_until(lambda api=api, least=(round_number + 1) * 60: len(
                    api.list_namespaced_custom_object(GROUP, VERSION, "default", PLURAL)["items"]) > least, "much is written")
                controller.process.send_signal(signal.SIGKILL)
                controller.process.wait()
                for writer in writers:
                    acknowledged, gone = writer.result()
                    made.update(acknowledged)
                    deleted.update(gone)
    with Controller(options=["--folder", state]) as controller:
        api = objects_api(controller)
        there = {item["metadata"]["name"] for item in api.list_namespaced_custom_object(GROUP, VERSION, "default", PLURAL)["items"]}
        missing = made - deleted - there
        # A deletion that was sent, and whose answer was never read, may be done.
        assert all(name.rsplit("-", 1)[1].isdigit() and int(name.rsplit("-", 1)[1]) % 4 == 3 for name in missing), sorted(missing)[:5]
        assert len(missing) <= 20
        assert not deleted & there
        assert len(made) > 200


def test_one_folder_has_one_controller(tmp_path):
    with Controller(options=["--folder", tmp_path / "state"]):
        second = subprocess.run([PROGRAMS.absolute() / "inferd-controller", "--local", "--http-port", "0", "--api-port", "0",
                                 "--folder", tmp_path / "state"], capture_output=True, text=True, timeout=60, check=False)
        assert second.returncode == 1
        assert "in use by another process" in second.stderr
