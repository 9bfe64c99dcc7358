"""inferd-controller --local with a folder: the next start restores each service's state."""

import collections
import textwrap

import pytest

from support.controller import Controller, write_constant
from support.objects import Objects
from support.server import wait_until

SERVICE = "InferenceService"
REVISIONS = [f"split-predictor-default-{number:05}" for number in (1, 2, 3)]

TRANSFORMER = """
    from kserve import Model

    class Ten(Model):
        def postprocess(self, result, headers=None, response_headers=None):
            return {"predictions": [value + 10 for value in result["predictions"]]}
    """


def predictor(tmp_path, value, **more):
    uri = str(write_constant(tmp_path / f"model{value}", float(value)))
    return {"minReplicas": 1, "model": {"modelFormat": {"name": "xgboost"}, "storageUri": uri}, **more}


def of_predictor(objects, name="split"):
    status = objects.status(SERVICE, name)["components"]["predictor"]
    return {key: status.get(key) for key in ("latestCreatedRevision", "latestReadyRevision", "latestRolledoutRevision",
                                             "previousRolledoutRevision", "traffic")}


def shares(controller, count=200, **options):
    return collections.Counter(controller.predict("split", **options) for _ in range(count))


@pytest.mark.parametrize("end", ["terminate", "kill"])
def test_a_canary_goes_on(tmp_path, end):
    options = ["--folder", tmp_path / "state"]
    with Controller(options=options) as controller:
        objects = Objects(controller)
        objects.create(SERVICE, "split", {"predictor": predictor(tmp_path, 1)})
        objects.wait_ready(SERVICE, "split")
        objects.replace_spec(SERVICE, "split", {"predictor": predictor(tmp_path, 2, canaryTrafficPercent=50)})
        wait_until(lambda: of_predictor(objects)["latestReadyRevision"] == REVISIONS[1], "the canary is ready")
        before = of_predictor(objects)
        assert before["latestRolledoutRevision"] == REVISIONS[0] and len(before["traffic"]) == 2
        getattr(controller.process, end)()
        controller.process.wait()
    with Controller(options=options) as controller:
        objects = Objects(controller)
        objects.wait_ready(SERVICE, "split")
        # The status of before says that it is ready, until the first one of this controller, which has its port.
        wanted = {**before, "traffic": [{**share, **({"url": share["url"].rsplit(":", 1)[0] + f":{controller.port}"} if "url" in share else {})}
                                        for share in before["traffic"]]}
        wait_until(lambda: of_predictor(objects) == wanted, "the canary is as it was")
        answers = shares(controller)
        # Six standard deviations of 7.1 on either side.
        assert set(answers) == {1.0, 2.0} and 57 < answers[2.0] < 143, answers
        assert shares(controller, 5, host="prev-split-default.localhost") == {1.0: 5}
        assert len(controller.replicas()) == 2
        # It is promoted, and the next change makes the next revision.
        objects.replace_spec(SERVICE, "split", {"predictor": predictor(tmp_path, 2)})
        wait_until(lambda: of_predictor(objects)["latestRolledoutRevision"] == REVISIONS[1], "the canary is promoted")
        assert of_predictor(objects)["previousRolledoutRevision"] == REVISIONS[0]
        assert shares(controller, 20) == {2.0: 20}
        objects.replace_spec(SERVICE, "split", {"predictor": predictor(tmp_path, 3)})
        wait_until(lambda: of_predictor(objects)["latestRolledoutRevision"] == REVISIONS[2], "the third one is rolled out")
        wait_until(lambda: [each["metadata"]["name"] for each in objects.items("Revision")] == REVISIONS[1:],
                   "the first one has no record any more")
        objects.delete(SERVICE, "split")
        wait_until(lambda: not objects.items("Revision"), "the records go with the service")


def test_a_roll_back_behind_a_restart(tmp_path):
    options = ["--folder", tmp_path / "state"]
    with Controller(options=options) as controller:
        objects = Objects(controller)
        for number in (1, 2):
            spec = {"predictor": predictor(tmp_path, number)}
            (objects.replace_spec if number > 1 else objects.create)(SERVICE, "split", spec)
            wait_until(lambda number=number: objects.status(SERVICE, "split") and of_predictor(objects)[
                "latestRolledoutRevision"] == REVISIONS[number - 1], "it is rolled out")
    with Controller(options=options) as controller:
        objects = Objects(controller)
        objects.wait_ready(SERVICE, "split")
        assert shares(controller, 10) == {2.0: 10}
        # A percentage leads back to the one before, though it was not a canary.
        objects.replace_spec(SERVICE, "split", {"predictor": predictor(tmp_path, 2, canaryTrafficPercent=0)})
        wait_until(lambda: shares(controller, 10) == {1.0: 10}, "it is the one before")


def test_the_gateways_port_makes_no_revision(tmp_path):
    options = ["--folder", tmp_path / "state"]
    (tmp_path / "ten").mkdir()
    (tmp_path / "ten" / "model.py").write_text(textwrap.dedent(TRANSFORMER))
    container = {"image": "x", "env": [{"name": "STORAGE_URI", "value": str(tmp_path / "ten")}]}
    for start in range(2):
        with Controller(options=options) as controller:
            objects = Objects(controller)
            if start == 0:
                objects.create(SERVICE, "split", {"predictor": predictor(tmp_path, 1),
                                                  "transformer": {"minReplicas": 1, "containers": [container]}})
            wait_until(lambda: objects.condition(SERVICE, "split", "TransformerReady") == ("True", None, None), "it is ready")
            assert shares(controller, 5) == {11.0: 5}
            assert [each["metadata"]["name"] for each in objects.items("Revision")] == [
                REVISIONS[0], "split-transformer-default-00001"]
