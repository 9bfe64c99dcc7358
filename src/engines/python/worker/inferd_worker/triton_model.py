"""Models that are a class, `TritonPythonModel`, written for Triton's Python backend."""

import asyncio
import inspect
import os
import select
import threading
import traceback
import weakref

import triton_python_backend_utils as pb

from inferd_worker import failures
from inferd_worker.batch import INTERNAL, response
from inferd_worker.server_calls import ServerCalls, current_execution
from inferd_worker.signature import LOG_ERROR, LOG_VERBOSE, Signature

CODE_NAMES = {code: name for name, code in vars(pb.TritonError).items() if name.isupper()}
CLIENTS_FAULT = (pb.TritonError.CANCELLED, pb.TritonError.INVALID_ARG, pb.TritonError.NOT_FOUND, pb.TritonError.ALREADY_EXISTS,
                 pb.TritonError.UNSUPPORTED)


def _drop_output_that_nobody_reads():
    """Redirects output that has no reader any more. In a worker process, the engine that reads the model's output may
    be gone, and the model may still print."""
    for descriptor in (1, 2):
        poll = select.poll()
        poll.register(descriptor, 0)
        if poll.poll(0):
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, descriptor)
            os.close(nowhere)


class Unfit(Exception):
    """`execute` returned an invalid value."""


class TritonModel:
    def __init__(self, module, load, channel):
        self.server = ServerCalls(channel, load.version_dir)
        pb._connect(channel, self.server)
        self._class = module.TritonPythonModel
        self._load = load
        self._instance = self._model = self._loop = None
        configured_rows, configured = load.batch_rows, set(load.config)
        completes = self._complete()
        rows, added = load.batch_rows, set(load.config) - configured
        inputs = {**load.tensors("input"), **load.made_inputs()}
        outputs = {**load.made_outputs(), **load.tensors("output")}
        self.signature = Signature(list(inputs.values()), list(outputs.values()),
                                   whole_batches=False, decoupled=load.decoupled, sequences=True,
                                   completed_rows=0 if rows == configured_rows else rows,
                                   completed_dynamic="dynamic_batching" in added,
                                   checks_readiness=hasattr(self._class, "is_ready"),
                                   may_be_missing=True, unchecked=load.unchecked_outputs, completed_tensors=completes,
                                   completed_policy="model_transaction_policy" in added)

    def _complete(self):
        """Completes the configuration if the model does that. Returns true if it does."""
        complete = getattr(self._class, "auto_complete_config", None)
        if complete is None:
            return False
        completed = complete(pb.ModelConfig(self._load.config, self._load.name))
        if not isinstance(completed, pb.ModelConfig):
            raise ValueError(f"auto_complete_config function in model '{self._load.name}' must return a valid "
                             "pb.ModelConfig object.")
        self._load.complete(completed.as_dict())
        return True

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
            _drop_output_that_nobody_reads()
            self._model.finalize()

    def why_not_ready(self):
        """Returns the model's reason for not being ready, from its `is_ready`. Empty if it is ready. Runs on a separate
        thread."""
        try:
            ready = self._model.is_ready()
            if inspect.isawaitable(ready):
                ready = self._awaited_ready(ready)
        except BaseException as error:  # any error is the reason
            return f"{type(error).__name__}: {error}"
        if not isinstance(ready, bool):
            return "is_ready() must return a boolean value"
        return "" if ready else f"Model '{self._instance}' is not ready (user-defined check failed)."

    def _awaited_ready(self, awaitable):
        # Use the loop that executions share, if there is one: objects that the coroutine awaits may belong to it.
        if self._loop is None:
            return asyncio.run(_awaited(awaitable))
        return asyncio.run_coroutine_threadsafe(_awaited(awaitable), self._loop).result()

    def execute(self, batch, answers):
        execution = Execution(self, batch, answers)
        self.server.begin(execution)
        token = current_execution.set(execution)
        try:
            if not hasattr(self._model, "execute"):
                raise Unfit(f"Python model {self._load.file} does not implement `execute` method.")
            returned = self._model.execute(execution.requests)
            if inspect.isawaitable(returned):
                if self.signature.decoupled:
                    return self._go_on(returned, execution)
                returned = asyncio.run(_awaited(returned))
            execution.take(returned)
        except EOFError:
            raise
        except (Exception, SystemExit) as error:  # an error of the model: the whole batch fails
            self._fail(execution, error)
        finally:
            current_execution.reset(token)
        execution.finish()

    def _go_on(self, coroutine, execution):
        """Continues on an event loop that all executions of the instance share. The next execution may begin."""
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            threading.Thread(target=self._loop.run_forever, name="inferd-loop", daemon=True).start()

        async def run():
            current_execution.set(execution)
            try:
                execution.take(await coroutine)
            except Exception as error:
                self._fail(execution, error)
            execution.function_over()

        execution.finish(goes_on=True)
        asyncio.run_coroutine_threadsafe(run(), self._loop)

    def _fail(self, execution, error):
        if isinstance(error, Unfit):
            failures.report(f"execution failed: {error}, in {self._load.file}")
        else:
            failures.report(f"execution failed: {type(error).__name__}: {error}", error)
        execution.fail(self._text_of(error))

    def report(self, error):
        """Logs a response that is an error. A client's fault is logged as verbose, as the operator cannot mend it."""
        code = error.code()
        level = LOG_VERBOSE if code in CLIENTS_FAULT else LOG_ERROR
        failures.report(f"execute answered with an error ({CODE_NAMES.get(code, code)}): {error.message()}, in {self._load.file}", level=level)

    def _text_of(self, error):
        if isinstance(error, Unfit):
            return f"Failed to process the request(s) for model '{self._instance}', message: {error}"
        frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename.startswith(self._load.model_dir)]
        at = "".join(f"  {frame.filename}({frame.lineno}): {frame.name}\n" for frame in reversed(frames))
        return (f"Failed to process the request(s) for model '{self._instance}', message: "
                f"{type(error).__name__}: {error}\n\nAt:\n{at}")

    @property
    def instance(self):
        return self._instance

    def written(self, batch, answers, given):
        """Returns the wanted outputs of a response."""
        outputs = []
        for tensor in given.output_tensors():
            # An output that the configuration does not list is never wanted.
            index = self.signature.output_index(tensor.name())
            if index in batch.wanted:
                outputs.append(answers.write(index, tensor._array, tensor._datatype))
        return outputs


async def _awaited(awaitable):
    return await awaitable


class Execution:
    """The requests of a batch, and the state of each."""

    def __init__(self, model, batch, answers):
        self._model = model
        self._batch = batch
        self._answers = answers
        self.number = batch.number
        self.request_count = len(batch.requests)
        self.decoupled = model.signature.decoupled
        self._changed = threading.Condition()
        self._open = {request.number for request in batch.requests}
        self._sending = {number: threading.Lock() for number in self._open}
        self._returned = False  # the next execution may begin
        self.over = False  # the model's function has returned
        self._last = []  # responses to send with the end
        names = [output.name for index, output in enumerate(model.signature.outputs) if index in batch.wanted]
        self.requests = []
        for request, part in zip(batch.requests, batch.parts()):
            inputs = [pb.Tensor._of(name, datatype, array) for name, datatype, array in part]
            sender = ResponseSender(self, request.number)
            self.requests.append(pb.InferenceRequest._received(request, inputs, names, model.instance, sender))
        self._senders = [weakref.ref(request._sender) for request in self.requests]

    def take(self, returned):
        """Takes the return value of `execute`."""
        if self.decoupled:
            return self._take_decoupled(returned)
        if not isinstance(returned, list):
            raise Unfit(f"Expected a list in the execute return, found type '{type(returned)}'.")
        if len(returned) != len(self.requests):
            raise Unfit(
                "Number of InferenceResponse objects do not match the number of InferenceRequest objects. InferenceRequest(s) "
                f"size is:{len(self.requests)}, and InferenceResponse(s) size is:{len(returned)}\n")
        for number, given in enumerate(returned):
            self._check(number, given)
        for number, given in enumerate(returned):
            with self._sending[number]:
                if number not in self._open:
                    continue
                if self.requests[number]._rescheduled():
                    self._close(number, response(number, reschedule=True))
                elif given is not None:
                    self._close(number, self._described(number, given, True))

    def _check(self, number, given):
        request = self.requests[number]
        if request._rescheduled():
            if given is not None:
                raise Unfit("Expected a None object in the execute function return list for reschduled request, "
                            f"found type '{type(given)}'.")
        elif given is None:
            if number in self._open and not request._sender_taken:
                raise Unfit("Expected an 'InferenceResponse' object in the execute function return list, found "
                            f"type '{type(given)}'.")
        elif not isinstance(given, pb.InferenceResponse):
            raise Unfit("Expected an 'InferenceResponse' object in the execute function return list, found "
                        f"type '{type(given)}'.")

    def _take_decoupled(self, returned):
        if returned is not None:
            raise Unfit(f"Python model '{self._model.instance}' is using the decoupled mode and the execute "
                        "function must return None.")
        for number, request in enumerate(self.requests):
            if request._rescheduled():
                with self._sending[number]:
                    self._close(number, response(number, reschedule=True))

    def _close(self, number, last):
        with self._changed:
            if number in self._open:
                self._last.append(last)
                self._end(number)

    def _described(self, number, given, final):
        if given is None:
            return response(number, final=final)
        if given.has_error():
            self._model.report(given.error())
            return response(number, final=final, code=given.error().code(), message=given.error().message())
        try:
            outputs = self._model.written(self._batch, self._answers, given)
        except Exception as error:
            return response(number, final=final, code=INTERNAL, message=str(error))
        return response(number, outputs, final=final, parameters=given._parameters.items())

    def send(self, number, given, final):
        """Sends a response. Called by a sender, on any thread."""
        with self._sending[number]:
            if number not in self._open:
                raise pb.TritonModelException("Unable to send response. Response sender has been closed.")
            if not self.decoupled:
                return self._close(number, self._described(number, given, True))
            self._answers.send(self._described(number, given, final))
            if final:
                with self._changed:
                    self._end(number)

    def _end(self, number):
        """Ends a request. Call with the lock held, when all its responses are sent or in _last."""
        if number not in self._open:
            return
        self._open.discard(number)
        if not self._open and self._returned:
            self._finish()
        self._changed.notify_all()

    def _finish(self):
        self._answers.finish(*self._last)
        self._model.server.end(self)

    def abandon(self, number):
        """Ends a request whose sender is gone without having closed it."""
        with self._sending[number]:
            self._close(number, response(number, code=INTERNAL,
                                         message="the model's response sender went without the final response"))

    def is_cancelled(self, number):
        return number in self._open and self._model.server.is_cancelled(self.number, number)

    def fail(self, text):
        with self._changed:
            for number in sorted(self._open):
                self._last.append(response(number, code=INTERNAL, message=text))
                self._end(number)

    def is_open(self, number):
        return number in self._open

    def function_over(self):
        """Call when the model's function has returned: senders, if any are left, answer the remaining requests."""
        self.over = True
        self.requests = None
        for number, sender in enumerate(self._senders):
            if sender() is None and self.is_open(number):
                self.abandon(number)

    def finish(self, goes_on=False):
        """Call when `execute` has returned. `goes_on` is true if it returned a coroutine."""
        if not goes_on:
            self.function_over()
        with self._changed:
            if not self.decoupled:
                while self._open:
                    self._changed.wait()
            self._returned = True
            if self._open:
                self._answers.returned()
            else:
                self._finish()


class ResponseSender:
    """Sends the responses to one request. Thread-safe."""

    def __init__(self, execution, number):
        self._execution = execution
        self._number = number
        self._sending = threading.Lock()
        self._sent = self._closed = False

    def send(self, response=None, flags=0):
        if flags not in (0, pb.TRITONSERVER_RESPONSE_COMPLETE_FINAL):
            raise pb.TritonModelException("Unable to send response. Unsupported flag provided.")
        if response is None and not flags:
            raise pb.TritonModelException("Inference Response object must be provided when the response flags is set to zero.")
        if response is not None and not isinstance(response, pb.InferenceResponse):
            raise TypeError(f"a response is an InferenceResponse, and no {type(response)}")
        with self._sending:
            self._check(response)
            # Without decoupling, the end alone adds nothing: the response has been sent.
            if self._execution.decoupled or response is not None:
                self._execution.send(self._number, response, bool(flags))
            self._closed = bool(flags)
            self._sent = True

    def _check(self, response):
        if self._closed:
            raise pb.TritonModelException("Unable to send response. Response sender has been closed.")
        if self._execution.decoupled:
            return
        if self._sent and response is not None:
            raise pb.TritonModelException("Unable to send response. Non-decoupled model cannot send more than one response.")
        if not self._sent and response is None:
            raise pb.TritonModelException(
                "Unable to send response. Non-decoupled model cannot send complete final before sending a response.")

    def is_cancelled(self):
        return self._execution.is_cancelled(self._number)

    def __del__(self):
        execution = self._execution
        if not self._closed and execution.over and execution.is_open(self._number):
            # Use another thread: `__del__` may run at any moment on any thread.
            threading.Thread(target=execution.abandon, args=(self._number,), daemon=True).start()
