#pragma once

#include "engines/python/native/python_api.h"

#include <sys/types.h>

#include <array>
#include <string_view>
#include <utility>

#include "engines/python/message/marshal_writer.h"
#include "engines/python/native/message_socket.h"
#include "engines/python/native/order.h"

namespace inferd::python {

// A model that is one function of arrays.
struct PlainModel {
  Reference function;
  Reference inputs;            // (name, ...)
  Reference types;             // numpy's type for each number of a datatype; None: such inputs are left to Python
  Reference outputs;           // (datatype, ...)
  bool returns_tuple = false;  // else one array
  Reference array;             // numpy.ndarray
  Reference see;               // (bytes) -> the memory of the inputs, at least so large
};

// Where outputs may be written, in turn: those of the execution before are still looked at by the server.
struct OutputPlaces {
  std::byte* memory = nullptr;
  size_t memory_bytes = 0;
  std::array<size_t, 2> offsets = {};
  size_t bytes = 0;  // of each
  size_t used = 0;   // how often one was
};

// Executes such a model as the server orders it, and answers. It does what `serve` of inferd_worker/run.py and
// `FunctionModel` do, for the usual orders and values, in a few calls of Python's. Its thread has the interpreter's
// lock.
class Calls final {
 public:
  Calls(PlainModel model, MessageSocket socket);

  // Until there is something to be left to Python. Null: an exception is set. Else one of
  //   bytes                    that have come, and begin with what is not executed here; none: the server has gone
  //   (number, error)          of an execution whose function has raised it
  //   (number, wanted, value)  of one whose value is not the usual; `wanted`: indices of outputs
  PyObject* Run(std::string_view unread, PyObject* inputs, const OutputPlaces& places);

  bool busy() const { return busy_; }
  // The largest outputs that an execution had, beside those of more than 4 MiB. There is room for them in the places of
  // the next Run(), or it leaves such executions to Python.
  size_t wanted_bytes() const { return wanted_bytes_; }
  // The offsets that the last two executions of Run() have used, the oldest first.
  PyObject* LastUsed() const;

 private:
  PyObject* Unread();
  bool See(size_t bytes);
  Reference Arguments();
  Reference ArrayOf(const Order::Input& input, PyObject* type) const;
  PyObject* Execute(Reference arguments);
  PyObject* Failed() const;
  PyObject* LeftOver(PyObject* value) const;
  bool Write(PyObject* value);
  bool WriteOutput(PyObject* value, size_t index, int32_t datatype, size_t* at);

  const PlainModel model_;
  const pid_t process_;
  MessageSocket socket_;
  bool busy_ = false;
  size_t wanted_bytes_ = 0;
  Reference inputs_;
  size_t inputs_bytes_ = 0;
  OutputPlaces places_;
  Order order_;
  MarshalWriter answer_;
};

}  // namespace inferd::python
