"""Classify, Regress and MultiInference by the signatures of TensorFlow Serving's half_plus_two, which parses tf.Examples."""

import requests
from tensorflow_serving.apis import classification_pb2, inference_pb2, regression_pb2

from support.isolation import IN_BOTH_ISOLATIONS

pytestmark = IN_BOTH_ISOLATIONS


def fill(examples, *values):
    for value in values:
        examples.add().features.feature["x"].float_list.value.append(value)


def test_classify_by_signature(serving):
    request = classification_pb2.ClassificationRequest()
    request.model_spec.name = "half_plus_two"
    request.model_spec.signature_name = "classify_x"
    fill(request.input.example_list.examples, 1.0, 4.0)
    response = serving.prediction.Classify(request, 10.0)
    answer = [[(entry.label, entry.score) for entry in row.classes] for row in response.result.classifications]
    assert answer == [[("half", 2.5), ("rest", 3.5)], [("half", 4.0), ("rest", 5.0)]]
    assert response.model_spec.signature_name == "classify_x" and response.model_spec.version.value == 123
    over_rest = requests.post(f"{serving.rest}/half_plus_two:classify",
                              json={"signature_name": "classify_x", "examples": [{"x": 1.0}, {"x": 4.0}]})
    assert over_rest.json() == {"results": [[["half", 2.5], ["rest", 3.5]], [["half", 4.0], ["rest", 5.0]]]}


def test_regress_by_signature(serving):
    request = regression_pb2.RegressionRequest()
    request.model_spec.name = "half_plus_two"
    for signature, expected in (("regress_x_to_y", [2.5, 4.0]), ("regress_x_to_y2", [3.5, 5.0])):
        request.model_spec.signature_name = signature
        request.input.Clear()
        fill(request.input.example_list.examples, 1.0, 4.0)
        response = serving.prediction.Regress(request, 10.0)
        assert [regression.value for regression in response.result.regressions] == expected
        over_rest = requests.post(f"{serving.rest}/half_plus_two:regress",
                                  json={"signature_name": signature, "examples": [{"x": 1.0}, {"x": 4.0}]})
        assert over_rest.json() == {"results": expected}


def test_a_context_for_all_examples(serving):
    request = regression_pb2.RegressionRequest()
    request.model_spec.name = "half_plus_two"
    request.model_spec.signature_name = "regress_x2_to_y3"
    with_context = request.input.example_list_with_context
    with_context.context.features.feature["x2"].float_list.value.append(4.0)
    fill(with_context.examples, 1.0, 2.0)
    response = serving.prediction.Regress(request, 10.0)
    assert [regression.value for regression in response.result.regressions] == [5.0, 5.0]


def test_multi_inference_of_two_signatures(serving):
    request = inference_pb2.MultiInferenceRequest()
    for signature, method in (("regress_x_to_y", "regress"), ("classify_x", "classify")):
        task = request.tasks.add(method_name=f"tensorflow/serving/{method}")
        task.model_spec.name = "half_plus_two"
        task.model_spec.signature_name = signature
    fill(request.input.example_list.examples, 1.0)
    first, second = serving.prediction.MultiInference(request, 10.0).results
    assert [regression.value for regression in first.regression_result.regressions] == [2.5]
    assert [entry.score for entry in second.classification_result.classifications[0].classes] == [2.5, 3.5]
