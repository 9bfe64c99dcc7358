"""Serves the models of one family by inferd, and compares its answers with the framework's."""

import collections
import concurrent.futures
import fcntl
import json
import os
import pathlib
import random
import shutil
import subprocess

import pytest

from corpora.codec import Comparison, binary_body, json_body, json_difference, read_answer
from support.server import ROOT, Server

FOLDER = pathlib.Path(__file__).resolve().parent
BUILD = ROOT / "build" / "corpora"
WHOLE = os.environ.get("INFERD_CORPORA", "sample") == "all"
SEED = 1


def lines_of(path):
    lines = (line.split("#")[0].strip() for line in path.read_text().splitlines())
    return [line for line in lines if line]


class Family:
    """A committed list of inputs (inputs/NAME.txt) and one of those that are refused (refusals/NAME.txt: `input: words of the reason`)."""

    def __init__(self, name, sample, chosen=None):
        """sample: how many inputs are tried where not all are. chosen: a part of an input's name that selects some; for one who mends."""
        self.name = name
        self.inputs = lines_of(FOLDER / "inputs" / f"{name}.txt")
        self.refusals = dict(line.split(": ", 1) for line in lines_of(FOLDER / "refusals" / f"{name}.txt"))
        chosen = chosen or os.environ.get("INFERD_CORPORA_ONLY")
        if chosen:
            self.tried = [name for name in self.inputs if chosen in name]
        else:
            self.tried = self.inputs if WHOLE else sorted(random.Random(SEED).sample(self.inputs, min(sample, len(self.inputs))))

    def make(self, environment, maker, folder):
        """Has the maker make the tried models in `folder`; returns the names that the packages have."""
        python = ROOT / "build" / "deps" / environment / "bin" / "python"
        names = folder / "names.txt"
        folder.mkdir(parents=True, exist_ok=True)
        names.write_text("\n".join(self.tried))
        # CatBoost's library lies apart from the environments.
        variables = {**os.environ, "PYTHONPATH": str(ROOT / "build" / "deps" / "catboost"), "PYTHONWARNINGS": "ignore"}
        made = subprocess.run([python, FOLDER / "makers" / maker, folder], env=variables, capture_output=True, text=True, check=False)
        assert made.returncode == 0, f"{made.stdout[-2000:]}\n{made.stderr[-4000:]}"
        return set(made.stdout.split())


def install():
    """What the makers need, once: its versions and hashes are pinned."""
    BUILD.mkdir(parents=True, exist_ok=True)
    with open(BUILD / "lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        subprocess.run([ROOT / "tools" / "install_packages", "corpora", "tests/corpora/requirements.txt"], check=True)


ALL_MADE = ("boosters", "mlflow")  # families of whose lists the framework makes every model
ENGINE = "engine"  # an outcome: the framework itself refuses the model or the request


class Served:
    """One server over a family's models, which are loaded, asked and unloaded, some at a time."""

    def __init__(self, family, folder, comparison=Comparison(), options=(), at_once=3):
        self._family, self._folder, self._comparison, self._at_once = family, folder, comparison, at_once
        (folder / "models").mkdir(parents=True, exist_ok=True)
        self._options = ["--model-control-mode=explicit", *options]
        self.outcomes, self.faults = {}, []

    def run(self):
        with Server(self._folder / "models", options=self._options) as server, \
             concurrent.futures.ThreadPoolExecutor(self._at_once) as pool:
            for name, outcome in pool.map(lambda name: (name, self._try(server, name)), self._family.tried):
                self._count(name, *outcome)
            assert server.health("live")
        self._write_report()

    def _try(self, server, name):
        """(kind, words) of what came of one input."""
        case = json.loads((self._folder / "cases" / f"{name}.json").read_text())
        if "made" in case:
            return "no model", case["made"]
        loaded, answer = server.json("POST", f"/v2/repository/models/{name}/load")
        if loaded == 200:
            outcome = self._ask(server, name, case)
            server.json("POST", f"/v2/repository/models/{name}/unload")
        else:
            requests = case.get("requests", [])
            outcome = ENGINE if requests and all("error" in request for request in requests) else answer["error"]
        shutil.rmtree(self._folder / "models" / name, ignore_errors=True)
        return ("not in V2", "") if "apart" in case else ("asked", outcome)

    def _ask(self, server, name, case):
        """Empty if all is right."""
        if not case.get("requests") and not case.get("invocations"):
            return "it loads, and there is no answer of the framework to compare with"
        for request in case.get("requests", []):
            if wrong := self._ask_tensors(server, name, request):
                return wrong
        return "; ".join(filter(None, (self._invoke(server, name, request) for request in case.get("invocations", []))))

    def _ask_tensors(self, server, name, request):
        members = {"outputs": [{"name": output} for output in request["ask"]]} if "ask" in request else {}
        for form, write in (("JSON", json_body), ("binary", binary_body)):
            body, headers = write(request, **members)
            status, answered, content = server.request("POST", f"/v2/models/{name}/infer", body, headers)
            if "error" in request and status != 200:
                return ENGINE
            if status != 200:
                return f"{form}: {status} {content.decode(errors='replace')[:600]}"
            wanted = request.get("outputs", request.get("test", []))
            if wrong := self._comparison.difference(wanted, read_answer(answered, content), request.get("values", True)):
                return f"wrong: {form}: {wrong}"
        return ""

    @staticmethod
    def _invoke(server, name, request):
        """MLflow's protocol: a status of the same kind, and if it is 200 the same JSON."""
        status, _, content = server.request("POST", f"/models/{name}/invocations", request["body"], {"Content-Type": request["type"]})
        text = content.decode(errors="replace")
        if (status == 200) != (request["status"] == 200):
            return f"{request['body'][:300]}: {status} {text[:300]}, not {request['status']} {request['answer'][:300]}"
        if status == 200 and (wrong := json_difference(json.loads(request["answer"]), json.loads(text))):
            return f"wrong: {request['body'][:300]}: {wrong}"
        return ""

    def _count(self, name, kind, outcome):
        reason = self._family.refusals.get(name)
        if kind != "asked":
            self.outcomes[name] = kind
            if kind == "no model" and self._family.name in ALL_MADE:
                self.faults.append(f"{name}: its maker made no model: {outcome}")
        elif outcome == "":
            self.outcomes[name] = "right"
            if reason:
                self.faults.append(f"{name}: it is right now: remove it from refusals/{self._family.name}.txt")
        elif outcome == ENGINE:
            self.outcomes[name] = "refused by the framework, too"
        elif reason and reason in outcome:
            self.outcomes[name] = "refused for a listed reason"
        else:
            self.outcomes[name] = "wrong"
            self.faults.append(f"{name}: {outcome}")

    def counts(self):
        return dict(sorted(collections.Counter(self.outcomes.values()).items()))

    def _write_report(self):
        """Outcomes of inputs that this run has not tried stay as an earlier run left them."""
        BUILD.mkdir(parents=True, exist_ok=True)
        path = BUILD / f"{self._family.name}.json"
        before = json.loads(path.read_text())["outcomes"] if path.exists() else {}
        report = {"counts": self.counts(), "faults": self.faults, "outcomes": {**before, **self.outcomes}}
        path.write_text(json.dumps(report, indent=1))
        print(self._family.name, json.dumps(self.counts(), indent=1))


def check(served):
    served.run()
    if served.faults:
        pytest.fail(f"{len(served.faults)} of {len(served.outcomes)}:\n" + "\n".join(served.faults), pytrace=False)
