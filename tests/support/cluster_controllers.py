"""Kubernetes' own controllers and scheduler beside an API server of support.kubernetes: rollouts, garbage collection, namespaces, autoscaling and
endpoints are theirs. tools/packages/kube_apiserver/control_plane says which controllers run."""

import contextlib

from support.kubernetes import SCHEDULER_TOKEN, ControlPlaneProgram


def owner_reference(owner):
    return {"apiVersion": owner["apiVersion"], "kind": owner["kind"], "name": owner["metadata"]["name"], "uid": owner["metadata"]["uid"],
            "controller": True, "blockOwnerDeletion": True}


def is_ready(pod):
    return any(one["type"] == "Ready" and one["status"] == "True" for one in pod.get("status", {}).get("conditions", []))


def port_of(port, pods):
    """The number at which pods listen for the port of a Service, which gives a number or the name of a container's port."""
    target = port.get("targetPort", port["port"])
    if isinstance(target, int):
        return target
    return next((one["containerPort"] for pod in pods for container in pod["spec"]["containers"] for one in container.get("ports", [])
                 if one.get("name") == target), port["port"])


class ClusterControllers(contextlib.AbstractContextManager):
    """The controllers and the scheduler. Use as a context manager. At its end the test fails if one of them has ended before.
    `autoscale_s`: how often autoscalers compute how many pods there are to be, in seconds."""

    def __init__(self, kubernetes, autoscale_s):
        scheduler = kubernetes.kubeconfig({"token": SCHEDULER_TOKEN})
        self._programs = [
            ControlPlaneProgram("controllers", {"kubeconfig": kubernetes.kubeconfig(), "autoscale-period": f"{autoscale_s}s"}),
            ControlPlaneProgram("kube-scheduler", {"kubeconfig": scheduler, "leader-elect": "false", "secure-port": 0, "kube-api-qps": 1000,
                                                   "kube-api-burst": 2000})]

    def __enter__(self):
        for program in self._programs:
            program.start()
        return self

    def __exit__(self, kind, error, trace):
        ended = [program for program in self._programs if program.process is not None and program.process.poll() is not None]
        for program in self._programs:
            if kind is not None:
                print(program.log()[-10_000:])
            program.stop()
        assert not ended, "\n".join(program.log()[-10_000:] for program in ended)
