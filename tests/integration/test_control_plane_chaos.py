"""The local control plane while programs are killed and stopped, the disk is full, ports are taken and models vanish. Acknowledged writes
persist, no answer comes from another service, and in the end the state is as requested, with nothing left over.
INFERD_CHAOS_SECONDS sets the duration, INFERD_CHAOS_SEED the random seed."""

import collections
import contextlib
import itertools
import os
import random
import signal
import threading
import time

import pytest

from support.controller import write_constant
from support.disturbances import MarkedController, SmallDisk, moved_away, pause, stopped
from support.ledger import UNKNOWN, Api, Record, Watch
from support.server import wait_until
from support.told_services import CALLED, CHANGING, NAMESPACES, SERVICES, SHIFT, STEADY, ZERO, Asker, Changing, lasting_services

SECONDS = float(os.environ.get("INFERD_CHAOS_SECONDS", "20"))
SEED = int(os.environ.get("INFERD_CHAOS_SEED") or random.randrange(1_000_000))
CALMS_S = 240
CORE = "/api/v1/namespaces"


class Worker(threading.Thread):
    """Does one thing after the other until it is over; a fault is told by the test."""

    def __init__(self, name, until, step):
        super().__init__(name=name)
        self._until, self._step, self.fault = until, step, None

    def run(self):
        try:
            while time.monotonic() < self._until:
                self._step()
        except BaseException as fault:  # told by the test
            self.fault = fault


class Chaos:
    """The programs, the clients, and what happens to them."""

    def __init__(self, folder):
        self.folder = folder
        self.models = folder / "models"
        self.models.mkdir()
        (folder / "temporary").mkdir()
        self.disk = SmallDisk(folder / "disk")
        self.controller = MarkedController(lasting_services(self.models), options=["--folder", self.disk.folder / "state"],
                                           environment={"TMPDIR": str(folder / "temporary")})
        self.api = Api(self.controller.connect_api)
        self.changing = Changing(self.models, self.api)
        self.maps = [Record(self.api, f"{CORE}/{NAMESPACES[number % 2]}/configmaps", f"map-{number}",
                            lambda value, number=number: {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": f"map-{number}"},
                                                          "data": {"value": str(value), "filler": "x" * (value * 37 % 5000)}},
                            lambda item: int(item["data"]["value"])) for number in range(8)]
        self.watches = [Watch(self.api, "/apis/serving.kserve.io/v1beta1/inferenceservices", Changing.value_of),
                        Watch(self.api, "/api/v1/configmaps", lambda item: item.get("data", {}).get("value"))]
        self.askers = [Asker(self.controller.port, self.changing.owners, SEED * 1000 + number) for number in range(3)]
        self.happened = collections.Counter()
        self._chance = random.Random(SEED)

    def workers(self, until):
        numbers = itertools.count(1)
        chances = [random.Random(SEED * 1000 + 100 + number) for number in range(3)]

        def change(number):
            chance = chances[number]
            key = chance.choice([key for key in CHANGING if key[0] == NAMESPACES[number]])
            record = self.changing.records[key]
            record.write(None if None not in record.possible and chance.random() < 0.2 else self.changing.next_value(key),
                         chance.choice(["PUT", "PATCH"]))
            pause(chance, 2)

        def change_map():
            record = chances[2].choice(self.maps)
            record.write(None if None not in record.possible and chances[2].random() < 0.3 else next(numbers), chances[2].choice(["PUT", "PATCH"]))
            with contextlib.suppress(*UNKNOWN):
                chances[2].choice(self.maps).check()
            pause(chances[2], 0.05)

        def watch(each):
            with contextlib.suppress(*UNKNOWN):
                each.step(1)
            pause(self._chance, 0.05)

        return [*(Worker(f"changes {space}", until, lambda number=number: change(number)) for number, space in enumerate(NAMESPACES)),
                Worker("changes maps", until, change_map),
                *(Worker(f"watches {number}", until, lambda each=each: watch(each)) for number, each in enumerate(self.watches)),
                *(Worker(f"asks {number}", until, each.step) for number, each in enumerate(self.askers))]

    def disturb(self):
        act = self._chance.choice([self.kill_controller, self.kill_controller, self.end_controller, self.stop_controller, self.take_port,
                                   self.kill_replica, self.kill_replica, self.end_replica, self.stop_replica, self.lose_model,
                                   self.fill_disk, self.fill_disk])
        self.happened[act.__name__] += 1
        act()

    def kill_controller(self):
        self.controller.kill_and_wait()
        self.controller.start()

    def end_controller(self):
        self.controller.process.send_signal(signal.SIGTERM)
        assert self.controller.process.wait(timeout=120) == 0, self.controller.log()
        wait_until(lambda: not self.controller.family(), "no process is left behind")
        self.controller.start()

    def stop_controller(self):
        with stopped(self.controller.process.pid):
            pause(self._chance, 1.5)

    def take_port(self):
        self.controller.kill_and_wait()
        self.controller.start_in_vain(self._chance.choice([self.controller.port, self.controller.api_port]))
        self.controller.start()

    def _replica(self):
        return self._chance.choice(self.controller.family() or [None])

    def kill_replica(self, how=signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            if (process := self._replica()) is not None:
                os.kill(process, how)

    def end_replica(self):
        self.kill_replica(signal.SIGTERM)

    def stop_replica(self):
        if (process := self._replica()) is not None:
            with stopped(process):
                pause(self._chance, 1.5)

    def lose_model(self):
        with moved_away(self.models / self._chance.choice(["steady", "zero", "called"])):
            self.kill_replica()
            pause(self._chance, 2)

    def fill_disk(self):
        with self.disk.full():
            if self._chance.random() < 0.3:
                # It may end where it cannot begin without room; what it has is kept.
                self.controller.kill_and_wait()
                with contextlib.suppress(AssertionError):
                    self.controller.start()
            pause(self._chance, 1.5)
        if self.controller.process.poll() is not None:
            self.controller.start()

    def run(self, seconds):
        until = time.monotonic() + seconds
        workers = self.workers(until)
        for worker in workers:
            worker.start()
        try:
            while time.monotonic() < until and all(worker.fault is None for worker in workers):
                pause(self._chance, 1)
                self.disturb()
        finally:
            for worker in workers:
                worker.join()
        for worker in workers:
            if worker.fault is not None:
                raise AssertionError(f"{worker.name}, seed {SEED}") from worker.fault

    # Afterwards.

    def expected(self):
        """What each service answers with, by what was acknowledged."""
        lasting = {("default", "steady"): STEADY, ("default", "zero"): ZERO, ("default", "called"): CALLED + SHIFT}
        changing = {key: value for key, record in self.changing.records.items() if (value := record.check()) is not None}
        return {**lasting, **changing}

    def not_as_asked(self):
        """The first thing that is not (yet) as it was asked for; empty: all is."""
        for (space, name), value in self.expected().items():
            item = self.api.get(f"{SERVICES.format(space)}/{name}")
            ready = [each["status"] for each in item.get("status", {}).get("conditions", ()) if each["type"] == "Ready"]
            if ready != ["True"]:
                return f"{space}/{name} is not ready: {item.get('status')}"
            answer = self.askers[0].ask(space, name, timeout_s=60)
            canary = item["spec"]["predictor"].get("canaryTrafficPercent") is not None
            if answer is None or answer[0] != 200 or (answer[1]["predictions"] != [value] and not canary):
                return f"{space}/{name} answers {answer}, not {value}"
        status, answer = self.askers[0].ask("default", "graph", "/", timeout_s=60)
        if status != 200 or [part.get("predictions") for part in answer.values()] != [[STEADY], [ZERO]]:
            return f"the graph answers {answer}"
        return ""

    def settle(self):
        said = [""]

        def settled():
            said[0] = self.not_as_asked()
            return not said[0]
        try:
            wait_until(settled, "all is as was asked for", timeout_s=CALMS_S)
        except AssertionError as fault:
            raise AssertionError(f"{said[0]}, seed {SEED}") from fault

    def check_objects(self):
        services = {key: value for key, record in self.changing.records.items() if (value := record.check()) is not None}
        maps = {tuple(record.path.split("/")[4::2]): str(value) for record in self.maps if (value := record.check()) is not None}
        for watch, is_ours, expected in ((self.watches[0], lambda key: key in CHANGING, services),
                                         (self.watches[1], lambda key: key[1].startswith("map-"), maps)):
            def follows(watch=watch, is_ours=is_ours, expected=expected):
                watch.step(1)
                return {key: value for key, value in watch.values.items() if is_ours(key)} == expected
            wait_until(follows, "those that watch know what there is")

    def pods(self):
        return {(pod["metadata"]["namespace"], pod["metadata"]["name"]) for pod in self.api.get("/api/v1/pods")["items"]}

    def delete_all(self):
        for record in self.changing.records.values():
            if record.check() is not None:
                record.write(None)
                assert record.possible == {None}
        # The lasting ones that keep a replica: predictors and a transformer.
        wait_until(lambda: len(self.controller.replicas()) == 3, "the replicas of others have ended")
        wait_until(lambda: len(self.pods()) == 3, "so have their pods")

    def cycle(self):
        """Services come and go; what is open then."""
        for key, record in self.changing.records.items():
            record.write(self.changing.next_value(key))
        self.settle()
        self.delete_all()
        return self.controller.open_files()


def test_a_status_that_found_no_room_is_written_later(tmp_path):
    with SmallDisk(tmp_path / "disk") as disk, MarkedController(options=["--folder", disk.folder / "state"]) as controller:
        api, model = Api(controller.connect_api), tmp_path / "model"
        record = Record(api, SERVICES.format("default"), "late", lambda uri: {
            "apiVersion": "serving.kserve.io/v1beta1", "kind": "InferenceService", "metadata": {"name": "late"},
            "spec": {"predictor": {"model": {"modelFormat": {"name": "xgboost"}, "storageUri": uri}}}}, Changing.value_of)
        record.write(f"file://{model}")
        asker = Asker(controller.port, {}, SEED)

        def ready():
            conditions = api.get(record.path).get("status", {}).get("conditions", ())
            return [each["status"] for each in conditions if each["type"] == "Ready"]
        wait_until(lambda: ready() == ["False"], "it has a status")
        with disk.full():
            write_constant(model, 1.0)
            wait_until(lambda: asker.ask("default", "late", timeout_s=60) == (200, {"predictions": [1.0]}), "it answers")
        wait_until(lambda: ready() == ["True"], "its status says so")


def test_a_namespace_that_found_no_room_to_go_is_whole(tmp_path):
    """And it goes when there is room. Where the delete was taken after all, what is left of it goes by itself."""
    with SmallDisk(tmp_path / "disk") as disk, MarkedController(options=["--folder", disk.folder / "state"]) as controller:
        api, maps = Api(controller.connect_api), f"{CORE}/full/configmaps"

        def make(number, size=10):
            return api.call("POST", maps, {"metadata": {"name": f"m{number}"}, "data": {"a": "x" * size}})[0]

        assert api.call("POST", CORE, {"metadata": {"name": "full"}})[0] == 201
        assert [make(number) for number in range(20)] == [201] * 20
        with disk.full():
            # Room that the database has had before is used up.
            for number in range(100, 130):
                if make(number, 100_000) != 201:
                    break
            there = len(api.get(maps)["items"])
            status, answer = api.call("DELETE", f"{CORE}/full")
            if disk.mounted:
                assert (status, answer["reason"]) == (500, "InternalError")
            if status == 500:
                assert len(api.get(maps)["items"]) == there
                assert api.get(f"{CORE}/full")["status"]["phase"] == "Active"
        if status == 500:
            assert api.call("DELETE", f"{CORE}/full")[0] == 200
        wait_until(lambda: api.call("GET", f"{CORE}/full")[0] == 404, "it is gone")
        assert api.get(maps)["items"] == []


@pytest.mark.timeout(SECONDS + 900)
def test_nothing_acknowledged_is_lost_and_nothing_is_left_behind(tmp_path, capsys):
    print(f"seed {SEED}")
    chaos = Chaos(tmp_path)
    with chaos.disk:
        with chaos.controller as controller:
            chaos.settle()
            chaos.run(SECONDS)
            chaos.settle()
            chaos.check_objects()
            chaos.delete_all()
            files = chaos.cycle()
            for _ in range(3):
                chaos.cycle()
            wait_until(lambda: controller.open_files() <= files + 8, f"files are closed: {files} at the start")
        assert controller.process.returncode == 0, controller.log()
        wait_until(lambda: not controller.family(), "no process is left behind")
        left = sorted(path.name for path in (chaos.disk.folder / "state").iterdir())
        assert [name for name in left if not name.startswith("objects.db")] == ["api-authority.pem", "api-token"], left
    assert not list((tmp_path / "temporary").iterdir()), sorted((tmp_path / "temporary").iterdir())
    counts = {"acknowledged": 0, "refused": 0, "unknown": 0}
    for record in (*chaos.maps, *chaos.changing.records.values()):
        for name in counts:
            counts[name] += getattr(record, name)
    answers = sum((asker.counts for asker in chaos.askers), collections.Counter())
    assert answers[200] > 0 and counts["acknowledged"] > 0, (answers, counts)
    for finding in ("Sanitizer", "runtime error:"):
        assert finding not in controller.log(), controller.log()
    if SECONDS >= 60:
        with capsys.disabled():
            events = sum(watch.events for watch in chaos.watches)
            print(f"\nchaos, seed {SEED}: writes {counts}, events {events}, answers {dict(answers)}, {dict(chaos.happened)}", end="")
