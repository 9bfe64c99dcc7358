"""Classify, Regress and MultiInference with tf.Examples."""

import pytest
import requests
from tensorflow_serving.apis import classification_pb2, inference_pb2

from support.isolation import IN_BOTH_ISOLATIONS

pytestmark = IN_BOTH_ISOLATIONS


def test_classify_by_labels(serving):
    request = classification_pb2.ClassificationRequest()
    request.model_spec.name = "digits"
    request.input.example_list.examples.add().features.feature["image"].float_list.value.extend([0.5] * 64)
    response = serving.prediction.Classify(request, 10.0)
    classes = response.result.classifications[0].classes
    assert len(classes) == 10 and response.model_spec.name == "digits"
    answer = requests.post(f"{serving.rest}/digits:classify", json={"examples": [{"image": [0.5] * 64}]})
    over_rest, = answer.json()["results"]
    assert [label for label, _ in over_rest] == [entry.label for entry in classes]
    assert [score for _, score in over_rest] == pytest.approx([entry.score for entry in classes])

    multi = inference_pb2.MultiInferenceRequest(input=request.input)
    multi.tasks.add(model_spec=request.model_spec, method_name="tensorflow/serving/classify")
    result, = serving.prediction.MultiInference(multi, 10.0).results
    assert result.classification_result == response.result
