"""Requests find versions by the labels that a model's configuration gives them."""

from support import models
from support.server import Server, wait_until

CONFIG = ('version_policy {{ all {{ }} }}\n'
          'inferd {{ version_labels {{ key: "stable" value: {stable} }} version_labels {{ key: "gone" value: 9 }} }}\n')


def label(repository, stable):
    models.write_whole(repository / "adder" / "config.pbtxt", CONFIG.format(stable=stable).encode())


def added(server, path):
    status, answer = server.json("POST", f"/v1/models/adder{path}:predict", {"instances": [0]})
    return answer["predictions"][0] if status == 200 else (status, answer["error"])


def test_labels_move_without_a_restart(tmp_path):
    for version in (1, 2):
        models.add_onnx(tmp_path, "adder", models.adder_bytes(version), str(version))
    label(tmp_path, stable=1)
    with Server(tmp_path, options=["--poll-interval", "200ms"]) as server:
        assert added(server, "") == 2
        assert added(server, "/labels/stable") == 1
        assert added(server, "/labels/gone") == (404, "Servable not found for request: Specific(adder, 9)")
        assert added(server, "/labels/beta") == (400, "Unrecognized servable version label: beta")
        assert server.json("GET", "/v1/models/adder/labels/stable") == server.json("GET", "/v1/models/adder/versions/1")
        assert server.json("GET", "/v1/models/adder/labels/stable/metadata")[1]["model_spec"]["version"] == "1"
        label(tmp_path, stable=2)
        wait_until(lambda: added(server, "/labels/stable") == 2, "the label names the other version")
