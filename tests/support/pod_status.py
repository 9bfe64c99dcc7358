"""What becomes of a pod, as a test says it, and the status that a kubelet would write for it."""

import dataclasses

NOW = "2024-01-01T00:00:00Z"


@dataclasses.dataclass(frozen=True)
class Outcome:
    """Of one container, `container`: the first one where it is not named; all others do what they can beside it. It is ready; or it waits, for
    the reason `waiting`, also once it has ended with `exit_code`; or it has ended; or, with none of these, it runs and is not ready."""
    ready: bool = False
    container: str | None = None
    waiting: str = ""
    exit_code: int | None = None
    reason: str = "Error"
    message: str = ""
    restarts: int = 0


READY = Outcome(ready=True)
NOT_READY = Outcome()
CREATING = Outcome(waiting="ContainerCreating")


def waiting(reason, message="", container=None):
    """waiting("ImagePullBackOff", 'Back-off pulling image "x"')."""
    return Outcome(waiting=reason, message=message, container=container)


def crashed(exit_code, message="", container=None):
    """It ends again and again."""
    return Outcome(waiting="CrashLoopBackOff", exit_code=exit_code, message=message, container=container, restarts=1)


def ended(exit_code, message="", container=None):
    """It has ended, and is not started again yet."""
    return Outcome(exit_code=exit_code, message=message, container=container)


def _terminated(exit_code, reason, message=""):
    return {"terminated": {"exitCode": exit_code, "reason": reason, "startedAt": NOW, "finishedAt": NOW,
                           **({"message": message} if message else {})}}


def _waiting(reason, message=""):
    return {"waiting": {"reason": reason, **({"message": message} if message else {})}}


RUNNING = {"running": {"startedAt": NOW}}


def _told(outcome):
    """The state and the last state of the container of which the outcome is."""
    ending = None if outcome.exit_code is None else _terminated(outcome.exit_code, outcome.reason, outcome.message)
    if outcome.waiting:
        return _waiting(outcome.waiting, "" if ending else outcome.message), ending or {}
    return ending or RUNNING, {}


def _status(container, state, last=None, ready=False, restarts=0):
    return {"name": container["name"], "image": container.get("image", ""), "imageID": "", "state": state, "lastState": last or {}, "ready": ready,
            "started": "running" in state, "restartCount": restarts}


def _init_statuses(containers, outcome):
    statuses, reached = [], False
    for container in containers:
        if reached:
            statuses.append(_status(container, _waiting("PodInitializing")))
        elif container["name"] == outcome.container:
            reached = True
            statuses.append(_status(container, *_told(outcome), restarts=outcome.restarts))
        else:
            statuses.append(_status(container, _terminated(0, "Completed"), ready=True))
    return statuses, not reached


def _statuses(containers, outcome):
    named = outcome.container or containers[0]["name"]
    statuses = []
    for container in containers:
        if outcome.ready:
            statuses.append(_status(container, RUNNING, ready=True, restarts=outcome.restarts))
        elif container["name"] == named:
            statuses.append(_status(container, *_told(outcome), restarts=outcome.restarts))
        elif outcome.waiting == "ContainerCreating":
            statuses.append(_status(container, _waiting("ContainerCreating")))
        else:
            statuses.append(_status(container, RUNNING, ready=True))
    return statuses


def pod_status(pod, outcome, address):
    """The status of a pod that has that address."""
    def condition(kind, holds, reason="", message=""):
        return {"type": kind, "status": "True" if holds else "False", "lastProbeTime": None, "lastTransitionTime": NOW,
                **({"reason": reason} if reason else {}), **({"message": message} if message else {})}

    spec = pod["spec"]
    init, initialized = _init_statuses(spec.get("initContainers", []), outcome)
    if initialized:
        containers = _statuses(spec["containers"], outcome)
    else:
        containers = [_status(container, _waiting("PodInitializing")) for container in spec["containers"]]
    ready = all(one["ready"] for one in containers)
    begun = any("running" in one["state"] or "terminated" in one["state"] or one["restartCount"] for one in containers)
    unready = ["", ""] if ready else ["ContainersNotReady", "containers with unready status: [" +
                                      " ".join(one["name"] for one in containers if not one["ready"]) + "]"]
    return {"phase": "Running" if initialized and begun else "Pending", "hostIP": "127.0.0.1", "podIP": address, "podIPs": [{"ip": address}],
            "startTime": NOW, "initContainerStatuses": init, "containerStatuses": containers,
            "conditions": [condition("Initialized", initialized, *([] if initialized else ["ContainersNotInitialized"])),
                           condition("Ready", ready, *unready), condition("ContainersReady", ready, *unready), condition("PodScheduled", True)]}
