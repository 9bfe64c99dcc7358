"""The helpers of KServe that models use."""

import uuid

import numpy

from kserve.errors import InvalidInput
from kserve.protocol.infer_type import InferOutput, InferRequest, InferResponse


def generate_uuid():
    return str(uuid.uuid4())


def get_predict_input(payload, columns=None):
    """Returns an array or a list of texts. Returns a DataFrame for rows that are dicts, and for requests whose
    content_type is pd."""
    if isinstance(payload, InferRequest):
        if (payload.parameters or {}).get("content_type") == "pd":
            return payload.as_dataframe()
        first = payload.inputs[0]
        return first.as_string() if first.datatype == "BYTES" else first.as_numpy()
    if "inputs" not in payload and "instances" not in payload:
        raise InvalidInput('Expected "instances" or "inputs" in the request')
    rows = payload["inputs"] if "inputs" in payload else payload["instances"]
    first = rows[0] if rows else None
    if isinstance(first, dict):
        import pandas
        scalars = not any(isinstance(value, (list, dict)) for value in first.values())
        if scalars:
            return pandas.DataFrame(rows, columns=columns)
        return pandas.concat([pandas.DataFrame(row, columns=columns) for row in rows], axis=0)
    return rows if isinstance(first, str) else numpy.array(rows)


def get_predict_response(payload, result, model_name):
    is_frame = hasattr(result, "columns") and hasattr(result, "to_dict")
    if not isinstance(payload, InferRequest):
        predictions = result.to_dict(orient="records") if is_frame else result
        return {"predictions": predictions.tolist() if isinstance(predictions, numpy.ndarray) else predictions}
    columns = {str(name): result[name].to_numpy() for name in result.columns} if is_frame else {"output-0": numpy.asarray(result)}
    outputs = []
    for name, array in columns.items():
        output = InferOutput(name, array.shape, "BYTES")
        output.set_data_from_numpy(array)
        outputs.append(output)
    return InferResponse(payload.id or generate_uuid(), model_name, outputs)


def strtobool(value):
    if str(value).lower() in ("y", "yes", "t", "true", "on", "1"):
        return True
    if str(value).lower() in ("n", "no", "f", "false", "off", "0"):
        return False
    raise ValueError(f"invalid truth value {value}")
