#include "engines/python/native/calls.h"

#include <unistd.h>

#include <algorithm>

#include "engines/python/native/element.h"

namespace inferd::python {

namespace {

constexpr size_t kOutputAlignment = 64;
// Per execution. Above this size, copying costs more than Python's overhead.
constexpr size_t kOutputBytesMax = size_t{1} << 22;

}  // namespace

Calls::Calls(PlainModel model, MessageSocket socket)
    : model_(std::move(model)), process_(getpid()), socket_(std::move(socket)) {}

PyObject* Calls::Run(std::string_view unread, PyObject* inputs, const OutputPlaces& places) {
  places_ = places;
  inputs_ = Reference::Share(inputs);
  inputs_bytes_ = static_cast<size_t>(PyObject_Size(inputs));
  // The socket's buffer is empty: Python reads all that it got before the next Run().
  if (!socket_.Add(unread)) return PyBytes_FromStringAndSize(unread.data(), Signed(unread.size()));
  for (;;) {
    busy_ = false;
    const auto message = socket_.Await();
    if (!message.has_value()) return PyErr_Occurred() != nullptr ? nullptr : Unread();
    busy_ = true;
    Reference arguments = ReadOrder(*message, order_) ? Arguments() : Reference();
    if (PyErr_Occurred() != nullptr) return nullptr;
    if (!arguments) return Unread();
    socket_.Take(*message);
    Reference left(Execute(std::move(arguments)));
    if (left.get() != Py_None) return left.Release();
  }
}

PyObject* Calls::LastUsed() const {
  const size_t count = std::min<size_t>(places_.used, 2);
  return MakeTuple(count, [&](size_t i) { return PyLong_FromSize_t(places_.offsets[(places_.used - count + i) % 2]); })
      .Release();
}

PyObject* Calls::Unread() {
  const std::string_view all = socket_.TakeAll();
  return PyBytes_FromStringAndSize(all.data(), Signed(all.size()));
}

bool Calls::See(size_t bytes) {
  if (bytes <= inputs_bytes_) return true;
  const Reference size(PyLong_FromSize_t(bytes));
  if (!size) return false;
  Reference seen(PyObject_CallFunctionObjArgs(model_.see.get(), size.get(), nullptr));
  if (!seen) return false;
  inputs_ = std::move(seen);
  inputs_bytes_ = static_cast<size_t>(PyObject_Size(inputs_.get()));
  return true;
}

// Returns {name: array}. Null without an exception if Python must take over.
Reference Calls::Arguments() {
  if (!See(order_.bytes)) return {};
  Reference arguments(PyDict_New());
  for (size_t i = 0; arguments && i < order_.input_count; ++i) {
    const Order::Input& input = order_.inputs[i];
    PyObject* const type = PyTuple_GetItem(model_.types.get(), input.datatype);
    PyObject* const name = PyTuple_GetItem(model_.inputs.get(), Signed(input.index));
    if (type == nullptr || name == nullptr || type == Py_None) return {};
    const Reference array = ArrayOf(input, type);
    if (!array || PyDict_SetItem(arguments.get(), name, array.get()) != 0) return {};
  }
  return arguments;
}

Reference Calls::ArrayOf(const Order::Input& input, PyObject* type) const {
  const Reference shape = MakeTuple(input.rank, [&](size_t d) { return PyLong_FromLongLong(input.shape[d]); });
  const Reference offset(PyLong_FromSize_t(input.offset));
  if (!shape || !offset) return {};
  return Reference(
      PyObject_CallFunctionObjArgs(model_.array.get(), shape.get(), type, inputs_.get(), offset.get(), nullptr));
}

// Returns None if the execution is answered.
PyObject* Calls::Execute(Reference arguments) {
  const Reference none(PyTuple_New(0));
  if (!none) return nullptr;
  const Reference value(PyObject_Call(model_.function.get(), none.get(), arguments.get()));
  arguments.Reset();
  if (!value) return Failed();
  if (!Write(value.get())) return PyErr_Occurred() != nullptr ? nullptr : LeftOver(value.get());
  if (getpid() != process_) {
    PyErr_SetString(PyExc_RuntimeError, "a process that was forked from the model's own cannot call the server");
    return nullptr;
  }
  return socket_.Send(answer_.bytes()) ? Reference::Share(Py_None).Release() : nullptr;
}

// An exception that is no `Exception` ends the worker.
PyObject* Calls::Failed() const {
  if (PyErr_ExceptionMatches(PyExc_Exception) == 0) return nullptr;
  PyObject *type = nullptr, *error = nullptr, *trace = nullptr;
  PyErr_Fetch(&type, &error, &trace);
  PyErr_NormalizeException(&type, &error, &trace);
  if (trace != nullptr) PyException_SetTraceback(error, trace);
  const Reference its_type(type);
  const Reference its_error(error);
  const Reference its_trace(trace);
  const Reference number(PyLong_FromUnsignedLongLong(order_.number));
  return number ? PyTuple_Pack(2, number.get(), error) : nullptr;
}

PyObject* Calls::LeftOver(PyObject* value) const {
  const Reference number(PyLong_FromUnsignedLongLong(order_.number));
  const Reference wanted =
      MakeTuple(order_.wanted_count, [&](size_t i) { return PyLong_FromSize_t(order_.wanted[i]); });
  return number && wanted ? PyTuple_Pack(3, number.get(), wanted.get(), value) : nullptr;
}

// Writes the outputs into the next place, and the answer that describes them (batch.py, `Answers.finish`). Returns
// false if Python must take over, or an exception is set.
bool Calls::Write(PyObject* value) {
  if (model_.returns_tuple &&
      (PyTuple_Check(value) == 0 || PyTuple_Size(value) != PyTuple_Size(model_.outputs.get()))) {
    return false;
  }
  answer_.Clear();
  answer_.Tuple(4);
  answer_.Text("done");
  answer_.Uint(order_.number);
  answer_.Uint(places_.memory_bytes);
  answer_.Tuple(1);
  answer_.Tuple(7);
  answer_.Int(-1);  // all requests
  answer_.Bool(true);
  answer_.Int(0);
  answer_.Text("");
  answer_.Tuple(order_.wanted_count);
  size_t at = 0;
  for (size_t i = 0; i < order_.wanted_count; ++i) {
    const size_t index = order_.wanted[i];
    PyObject* const datatype = PyTuple_GetItem(model_.outputs.get(), Signed(index));
    PyObject* const one = model_.returns_tuple ? PyTuple_GetItem(value, Signed(index)) : value;
    if (datatype == nullptr || one == nullptr) return false;
    if (!WriteOutput(one, index, static_cast<int32_t>(PyLong_AsLong(datatype)), &at)) return false;
  }
  answer_.Tuple(0);
  answer_.Bool(false);
  ++places_.used;
  return true;
}

bool Calls::WriteOutput(PyObject* value, size_t index, int32_t datatype, size_t* at) {
  if (reinterpret_cast<PyObject*>(Py_TYPE(value)) != model_.array.get()) return false;
  Py_buffer view;
  if (PyObject_GetBuffer(value, &view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) != 0) {
    PyErr_Clear();
    return false;
  }
  const auto bytes = static_cast<size_t>(view.len);
  const bool usual = IsElement(datatype, view.format, static_cast<size_t>(view.itemsize));
  const size_t end = *at + std::max<size_t>(bytes, 1);
  if (usual && end <= kOutputBytesMax) wanted_bytes_ = std::max(wanted_bytes_, end);
  const bool fits = usual && *at < places_.bytes && bytes <= places_.bytes - *at;
  if (fits) {
    const size_t offset = places_.offsets[places_.used % 2] + *at;
    std::copy_n(static_cast<const std::byte*>(view.buf), bytes, places_.memory + offset);
    answer_.Tuple(5);
    answer_.Uint(index);
    answer_.Int(datatype);
    answer_.Tuple(static_cast<size_t>(view.ndim));
    for (int d = 0; d < view.ndim; ++d) answer_.Int(view.shape[d]);
    answer_.Uint(offset);
    answer_.Uint(bytes);
    *at = (*at + bytes + kOutputAlignment - 1) & ~(kOutputAlignment - 1);
  }
  PyBuffer_Release(&view);
  return fits;
}

}  // namespace inferd::python
