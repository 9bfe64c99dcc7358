"""Models that are a class, `TritonPythonModel`, written for Triton's Python backend."""

import asyncio
import inspect
import threading
import traceback

import triton_python_backend_utils as pb

from inferd_worker.batch import INTERNAL, response
from inferd_worker.signature import Signature


class TritonModel:
    def __init__(self, module, load, channel):
        pb.Logger._send = channel.send
        self._class = module.TritonPythonModel
        self._load = load
        self._instance = self._model = None
        self._complete()
        self._names = [entry["name"] for entry in load.config.get("output", [])]
        self.signature = Signature(list(load.tensors("input").values()), list(load.tensors("output").values()),
                                   whole_batches=False, decoupled=load.decoupled, sequences=True)

    def _complete(self):
        complete = getattr(self._class, "auto_complete_config", None)
        if complete is None:
            return
        completed = complete(pb.ModelConfig(self._load.config, self._load.name))
        if not isinstance(completed, pb.ModelConfig):
            raise ValueError(f"auto_complete_config function in model '{self._load.name}' must return a valid "
                             "pb.ModelConfig object.")

    def start(self, instance, kind, device):
        self._instance = instance
        self._model = self._class()
        if hasattr(self._model, "initialize"):
            self._model.initialize({"model_config": self._load.config_json or "{}", "model_instance_kind": kind,
                                    "model_instance_device_id": device, "model_instance_name": instance,
                                    "model_repository": self._load.model_dir, "model_version": self._load.version,
                                    "model_name": self._load.name})

    def finish(self):
        if hasattr(self._model, "finalize"):
            self._model.finalize()

    def execute(self, batch, answers):
        execution = Execution(self, batch, answers)
        try:
            if not hasattr(self._model, "execute"):
                raise pb.TritonModelException(f"Python model {self._load.file} does not implement `execute` method.")
            returned = self._model.execute(execution.requests)
            if inspect.isawaitable(returned):
                returned = asyncio.run(returned)
            execution.take(returned)
        except EOFError:
            raise
        except Exception as error:  # the model's own: all of the batch fails
            execution.fail(self._text_of(error))
        execution.finish()

    def _text_of(self, error):
        frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename.startswith(self._load.model_dir)]
        at = "".join(f"  {frame.filename}({frame.lineno}): {frame.name}\n" for frame in reversed(frames))
        return (f"Failed to process the request(s) for model '{self._instance}', message: "
                f"{type(error).__name__}: {error}\n\nAt:\n{at}")

    @property
    def instance(self):
        return self._instance

    def written(self, batch, answers, given):
        """A response's outputs, those that are wanted."""
        outputs = []
        for tensor in given.output_tensors():
            index = self.signature.output_index(tensor.name())
            if index < 0:
                raise pb.TritonModelException(f"the model has no output '{tensor.name()}'")
            if index in batch.wanted:
                outputs.append(answers.write(index, tensor._array, tensor._datatype))
        return outputs


class Execution:
    """The requests of a batch, and what became of each."""

    def __init__(self, model, batch, answers):
        self._model = model
        self._batch = batch
        self._answers = answers
        self._lock = threading.Condition()
        self._open = {request.number for request in batch.requests}
        self._last = []  # responses that go with the end
        names = [output.name for index, output in enumerate(model.signature.outputs) if index in batch.wanted]
        self.requests = []
        for request, part in zip(batch.requests, batch.parts()):
            inputs = [pb.Tensor._of(name, datatype, array) for name, datatype, array in part]
            made = pb.InferenceRequest(request.id, request.sequence, inputs, names, model_name=model.instance,
                                       flags=request.flags, parameters=request.parameters)
            made._sender = ResponseSender(self, request.number)
            self.requests.append(made)

    def take(self, returned):
        """What `execute` returned."""
        if self._model.signature.decoupled:
            if returned is not None:
                raise pb.TritonModelException(f"Python model '{self._model.instance}' is using the decoupled mode and the execute "
                                              "function must return None.")
            return
        if not isinstance(returned, list):
            raise pb.TritonModelException(f"Expected a list in the execute return, found type '{type(returned)}'.")
        if len(returned) != len(self.requests):
            raise pb.TritonModelException(
                "Number of InferenceResponse objects do not match the number of InferenceRequest objects. InferenceRequest(s) "
                f"size is:{len(self.requests)}, and InferenceResponse(s) size is:{len(returned)}\n")
        for number, given in enumerate(returned):
            answered = number not in self._open
            if not isinstance(given, pb.InferenceResponse) and not (given is None and answered):
                raise pb.TritonModelException("Expected an 'InferenceResponse' object in the execute function return list, found "
                                              f"type '{type(given)}'.")
        for number, given in enumerate(returned):
            if number in self._open:
                self._last.append(self._described(number, given, True))
                self._open.discard(number)

    def _described(self, number, given, final):
        if given is None:
            return response(number, final=final)
        if given.has_error():
            return response(number, final=final, code=given.error().code(), message=given.error().message())
        try:
            outputs = self._model.written(self._batch, self._answers, given)
        except Exception as error:
            return response(number, final=final, code=INTERNAL, message=str(error))
        return response(number, outputs, final=final, parameters=given._parameters.items())

    def send(self, number, given, final):
        """By a sender, on any thread."""
        with self._lock:
            if number not in self._open:
                raise pb.TritonModelException("Unable to send response. Response sender has been closed.")
            if not self._model.signature.decoupled:
                if given is None:
                    raise pb.TritonModelException(
                        "Unable to send response. Non-decoupled model cannot send complete final before sending a response.")
                self._last.append(self._described(number, given, True))
                self._open.discard(number)
                return
            self._answers.send(self._described(number, given, final))
            if final:
                self._open.discard(number)
                self._lock.notify_all()

    def fail(self, text):
        with self._lock:
            self._last += [response(number, code=INTERNAL, message=text) for number in sorted(self._open)]
            self._open.clear()

    def finish(self):
        with self._lock:
            while self._open:
                self._lock.wait()
            self._answers.finish(*self._last)


class ResponseSender:
    """Sends the responses to one request, on any thread."""

    def __init__(self, execution, number):
        self._execution = execution
        self._number = number

    def send(self, response=None, flags=0):
        if flags not in (0, pb.TRITONSERVER_RESPONSE_COMPLETE_FINAL):
            raise pb.TritonModelException("Unable to send response. Unsupported flag provided.")
        if response is None and not flags:
            raise pb.TritonModelException("Inference Response object must be provided when the response flags is set to zero.")
        self._execution.send(self._number, response, bool(flags))

    def is_cancelled(self):
        return False
