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

// A model that is a single function of arrays.
struct PlainModel {
  Reference function;
  Reference inputs;            // (name, ...)
  Reference types;             // numpy's type by datatype number. None if Python must handle such inputs
  Reference outputs;           // (datatype, ...)
  bool returns_tuple = false;  // otherwise it returns one array
  Reference array;             // numpy.ndarray
  Reference see;               // (bytes) -> the memory of the inputs, at least this large
};

// The places for outputs, used in turn: the server still reads the outputs of the previous execution.
struct OutputPlaces {
  std::byte* memory = nullptr;
  size_t memory_bytes = 0;
  std::array<size_t, 2> offsets = {};
  size_t bytes = 0;  // of each place
  size_t used = 0;   // how often a place was used
};

// Executes such a model on the server's orders, and answers. Does the same as `serve` in inferd_worker/run.py and
// `FunctionModel`, for the usual orders and values, with few calls of Python. Call with the interpreter's lock held.
class Calls final {
 public:
  Calls(PlainModel model, MessageSocket socket);

  // Executes until Python must take over. Null if an exception is set. Otherwise one of:
  //   bytes                    unread bytes that begin with a message for Python; empty if the server is gone
  //   (number, error)          an execution whose function raised `error`
  //   (number, wanted, value)  an execution with an unusual value; `wanted` has indices of outputs
  PyObject* Run(std::string_view unread, PyObject* inputs, const OutputPlaces& places);

  bool busy() const { return busy_; }
  // The largest size of an execution's outputs so far, except sizes above 4 MiB. The caller should make the places of
  // the next Run() this large; otherwise such executions are left to Python.
  size_t wanted_bytes() const { return wanted_bytes_; }
  // The offsets that the last two executions of Run() used, the oldest first.
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
