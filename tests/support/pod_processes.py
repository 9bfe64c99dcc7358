"""Runs pods as processes of this machine, for support.kubelet. Starts, probes and ends containers of inferd's programs like a kubelet. Each
pod has its own loopback address, and so its own ports."""

import base64
import contextlib
import http.client
import os
import re
import shutil
import signal
import socket
import subprocess
import threading

from support.cluster_api import CONFIG_MAPS, SECRETS, key_of
from support.pod_status import CREATING, NOT_READY, READY, crashed, waiting
from support.server import PROGRAMS, free_ports
from support.service_names import ServiceNames

AGAIN_S = 0.5  # the time between two starts of a container
LISTENING = ("INFERD_HTTP_ADDRESS", "INFERD_GRPC_ADDRESS", "INFERD_METRICS_ADDRESS")


class PodProcesses:
    """Pass this to a Kubelet. `folder` is the folder of volumes and logs."""

    def __init__(self, folder):
        self._folder = folder
        self._pods = {}  # by uid
        self._lock = threading.Lock()
        self._api = self._wake = self._names = None

    def begin(self, api, wake, find):
        """Starts running pods. `find` is the argument of ServiceNames."""
        self._api, self._wake, self._names = api, wake, ServiceNames(find)

    def end(self):
        for pod in list(self._pods.values()):
            pod.ask_to_end()
        for pod in list(self._pods.values()):
            pod.join()
        self._names.close()

    def outcome(self, pod, address):
        """Returns the pod's current state. Starts the pod at the first call."""
        uid = pod["metadata"]["uid"]
        with self._lock:
            if uid not in self._pods:
                self._pods[uid] = _Pod(pod, address, self._folder / uid, self._api, self._names, lambda: self._wake(key_of(pod)))
        return self._pods[uid].outcome

    def has_ended(self, pod):
        """Asks the pod to end, and returns True if it has ended."""
        found = self._pods.get(pod["metadata"]["uid"])
        if found is None:
            return True
        found.ask_to_end()
        return found.has_ended

    def forget(self, uid):
        """Removes a pod whose object no longer exists."""
        with contextlib.suppress(KeyError):
            self._pods[uid].ask_to_end()

    def running(self):
        """Returns the number of pods that have not ended."""
        return sum(not pod.has_ended for pod in list(self._pods.values()))

    def logs(self, name):
        """Returns the logs of the containers of pods whose names begin with `name`."""
        return "".join(f"--- {file}\n{file.read_text(errors='replace')}" for pod in list(self._pods.values()) if pod.name.startswith(name)
                       for file in pod.log_files())


class _Pod(threading.Thread):
    """The lifecycle of one pod."""

    def __init__(self, pod, address, folder, api, names, wake):
        super().__init__(daemon=True)
        self.name = key_of(pod)[1]
        self.outcome = CREATING
        self.has_ended = False
        self._pod, self._address, self._folder, self._api, self._names, self._wake = pod, address, folder, api, names, wake
        self._inside_port = free_ports(1)[0]
        self._ending = threading.Event()
        self._processes = {}
        self.start()

    def ask_to_end(self):
        self._ending.set()

    def log_files(self):
        return sorted(self._folder.glob("*.log"))

    def run(self):
        try:
            self._folder.mkdir(parents=True)
            self._prepare()
            while not self._ending.is_set() and not self._initialize():
                self._ending.wait(AGAIN_S)
            while not self._ending.is_set():
                self._tend()
                self._ending.wait(0.05)
        except _Hindrance as hindrance:
            self._become(hindrance.outcome)
            self._ending.wait()
        finally:
            self._end()
            self.has_ended = True
            self._wake()

    def _become(self, outcome):
        if outcome != self.outcome:
            self.outcome = outcome
            self._wake()

    def _prepare(self):
        self._volumes = {volume["name"]: self._place(volume) for volume in self._pod["spec"].get("volumes", [])}

    def _place(self, volume):
        if "hostPath" in volume:
            return volume["hostPath"]["path"]
        folder = self._folder / "volumes" / volume["name"]
        folder.mkdir(parents=True)
        for kind, resource, naming in (("configMap", CONFIG_MAPS, "name"), ("secret", SECRETS, "secretName")):
            if kind in volume:
                for key, value in self._values(resource, volume[kind][naming], volume[kind].get("optional", False)).items():
                    (folder / key).write_bytes(value)
        return str(folder)

    def _values(self, resource, name, optional):
        found = self._api.get(resource, key_of(self._pod)[0], name)
        if found is None and not optional:
            raise _Hindrance(waiting("CreateContainerConfigError", f'{resource.kind.lower()} "{name}" not found'))
        if resource is SECRETS:
            return {key: base64.b64decode(value) for key, value in ((found or {}).get("data") or {}).items()}
        return {key: value.encode() for key, value in ((found or {}).get("data") or {}).items()}

    def _initialize(self):
        for container in self._pod["spec"].get("initContainers", []):
            process = self._start(container)
            while process.poll() is None and not self._ending.is_set():
                self._ending.wait(0.02)
            if process.poll() != 0:
                self._become(crashed(process.poll() or 143, self._last_words(container), container["name"]))
                return False
        return True

    def _tend(self):
        for container in self._pod["spec"]["containers"]:
            process = self._processes.get(container["name"])
            if process is not None and process.poll() is not None:
                self._become(crashed(process.poll() & 0xff, self._last_words(container), container["name"]))
                self._ending.wait(AGAIN_S)
                process = None
            if process is None and not self._ending.is_set():
                self._processes[container["name"]] = self._start(container)
        late = next((container["name"] for container in self._pod["spec"]["containers"] if not self._is_ready(container)), None)
        if late is None:
            self._become(READY)
        elif self.outcome == CREATING or self.outcome == READY:
            self._become(NOT_READY)

    def _last_words(self, container):
        return (self._folder / f"{container['name']}.log").read_text(errors="replace")[-2000:]

    def _end(self):
        running = [process for process in self._processes.values() if process.poll() is None]
        for process in running:
            process.send_signal(signal.SIGTERM)
        for process in running:
            try:
                process.wait(timeout=self._pod["spec"].get("terminationGracePeriodSeconds", 30))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def _start(self, container):
        environment = {name: self._move(value, container) for name, value in self._environment(container).items()}
        words = [_expand(word, environment) for word in [*container.get("command", []), *container.get("args", [])]]
        if not container.get("command"):
            words.insert(0, self._program_of(container))
        program = PROGRAMS / os.path.basename(words[0])
        words[0] = str(program.absolute()) if program.exists() else words[0]
        if shutil.which(words[0]) is None:
            raise _Hindrance(waiting("CreateContainerError", f"{words[0]}: no such program", container["name"]))
        if os.path.basename(words[0]) in ("inferd-agent", "inferd-gateway"):
            words[1:1] = ["--address", self._address]
        moved = [self._names.on_this_machine(self._move(word, container)) for word in self._ports_of_inside(words)]
        addresses = self._listening(container)
        with open(self._folder / f"{container['name']}.log", "ab") as log:
            self._processes[container["name"]] = process = subprocess.Popen(
                moved, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self._folder,
                env={**{name: value for name, value in os.environ.items() if not name.startswith("INFERD_")}, **addresses, **environment})
        return process

    def _program_of(self, container):
        """Returns the program that the image would start."""
        names = {"storage-initializer": "inferd-storage-initializer", "agent": "inferd-agent"}
        name = names.get(container["name"], container.get("image", "").rpartition("/")[2].partition(":")[0])
        if not (PROGRAMS / name).exists():
            raise _Hindrance(waiting("ImagePullBackOff", f'Back-off pulling image "{container.get("image")}"', container["name"]))
        return name

    def _agent(self):
        return next((one for one in self._pod["spec"]["containers"] if one["name"] == "agent"), None)

    def _listening(self, container):
        """Returns the listening addresses of a container. A container behind an agent is reached only inside of the pod, which is the whole
        machine here: at 127.0.0.1 and a port of its own."""
        address = "127.0.0.1" if self._agent() is not None and container["name"] != "agent" else self._address
        return dict.fromkeys(LISTENING, address)

    def _ports_of_inside(self, words):
        agent = self._agent()
        if agent is None:
            return words
        said = [*agent.get("command", []), *agent.get("args", [])]
        inside = next((said[at + 1] for at, word in enumerate(said[:-1]) if word == "--component-port"), "8080")
        own = str(self._inside_port)
        moved = [re.sub(rf"(?<=port=){inside}$", own, word) for word in words]
        return [own if at and word == inside and moved[at - 1].endswith("port") else word for at, word in enumerate(moved)]

    def _move(self, text, container):
        """Replaces the paths of volumes by folders of this machine."""
        for mount in sorted(container.get("volumeMounts", []), key=lambda one: -len(one["mountPath"])):
            folder = os.path.join(self._volumes[mount["name"]], mount.get("subPath", "")).rstrip("/")
            text = re.sub(rf"(?<![^=:,]){re.escape(mount['mountPath'].rstrip('/'))}(?=[/:,]|$)", lambda _, to=folder: to, text)
        return text

    def _environment(self, container):
        variables = {}
        for source in container.get("envFrom", []):
            for kind, resource in (("configMapRef", CONFIG_MAPS), ("secretRef", SECRETS)):
                if kind in source:
                    values = self._values(resource, source[kind]["name"], source[kind].get("optional", False))
                    variables.update({source.get("prefix", "") + key: value.decode() for key, value in values.items()})
        for variable in container.get("env", []):
            if "valueFrom" in variable:
                variables[variable["name"]] = self._from(variable["valueFrom"])
            else:
                variables[variable["name"]] = _expand(variable.get("value", ""), variables)
        return variables

    def _from(self, source):
        for kind, resource in (("configMapKeyRef", CONFIG_MAPS), ("secretKeyRef", SECRETS)):
            if kind in source:
                values = self._values(resource, source[kind]["name"], source[kind].get("optional", False))
                if source[kind]["key"] not in values and not source[kind].get("optional"):
                    raise _Hindrance(waiting("CreateContainerConfigError", f"couldn't find key {source[kind]['key']} in {resource.kind}"))
                return values.get(source[kind]["key"], b"").decode()
        if "resourceFieldRef" in source:
            return "1"
        path = source["fieldRef"]["fieldPath"]
        metadata = self._pod["metadata"]
        if found := re.fullmatch(r"metadata\.(labels|annotations)\['(.*)'\]", path):
            return metadata.get(found[1], {}).get(found[2], "")
        return {"metadata.name": metadata["name"], "metadata.namespace": metadata["namespace"], "metadata.uid": metadata["uid"],
                "spec.nodeName": "node", "spec.serviceAccountName": self._pod["spec"].get("serviceAccountName", "default"),
                "status.hostIP": "127.0.0.1", "status.podIP": self._address}[path]

    def _is_ready(self, container):
        probe = container.get("readinessProbe")
        if probe is None or self._processes[container["name"]].poll() is not None:
            return probe is None
        address = self._listening(container)["INFERD_HTTP_ADDRESS"]
        if "tcpSocket" in probe:
            return self._answers(address, self._port(container, probe["tcpSocket"]["port"]))
        if "httpGet" in probe:
            get = probe["httpGet"]
            headers = {header["name"]: header["value"] for header in get.get("httpHeaders", [])}
            return self._answers(address, self._port(container, get["port"]), get.get("path", "/"), headers)
        if "exec" in probe:
            words = [self._move(word, container) for word in probe["exec"]["command"]]
            return subprocess.run(words, check=False, capture_output=True, cwd=self._folder).returncode == 0
        return True

    def _port(self, container, port):
        if not isinstance(port, int):
            port = next(one["containerPort"] for one in container.get("ports", []) if one.get("name") == port)
        return int(self._ports_of_inside(["", f"--port={port}"])[1].rpartition("=")[2]) if container["name"] != "agent" else port

    @staticmethod
    def _answers(address, port, path=None, headers=None):
        try:
            if path is None:
                with socket.create_connection((address, port), timeout=1):
                    return True
            with contextlib.closing(http.client.HTTPConnection(address, port, timeout=2)) as connection:
                connection.request("GET", path, headers=headers or {})
                return 200 <= connection.getresponse().status < 400
        except (OSError, http.client.HTTPException):
            return False


class _Hindrance(Exception):
    """The reason why a container cannot start."""

    def __init__(self, outcome):
        super().__init__(outcome.message)
        self.outcome = outcome


def _expand(text, variables):
    """Replaces $(NAME) by the variable of that name, if there is one, and $$ by $."""
    return re.sub(r"\$\$|\$\(([^()]*)\)", lambda found: "$" if found[0] == "$$" else variables.get(found[1], found[0]), text)
