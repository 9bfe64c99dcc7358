// The Python module `inferd_native`, used by inferd_worker/native_calls.py.

#include "engines/python/native/python_api.h"

#include <memory>
#include <new>
#include <string_view>
#include <utility>

#include "engines/python/native/calls.h"
#include "engines/python/native/server_watch.h"

namespace inferd::python {

namespace {

struct CallsObject {
  PyObject_HEAD Calls* calls;
};

Calls& Of(PyObject* self) { return *reinterpret_cast<CallsObject*>(self)->calls; }

PyObject* New(PyTypeObject* type, PyObject* arguments, PyObject*) {
  int socket = -1;
  int returns_tuple = 0;
  PyObject *function, *inputs, *types, *outputs, *array, *see, *acquire, *release;
  if (PyArg_ParseTuple(arguments, "iOO!O!O!pOOOO", &socket, &function, &PyTuple_Type, &inputs, &PyTuple_Type, &types,
                       &PyTuple_Type, &outputs, &returns_tuple, &array, &see, &acquire, &release) == 0) {
    return nullptr;
  }
  PlainModel model{.function = Reference::Share(function),
                   .inputs = Reference::Share(inputs),
                   .types = Reference::Share(types),
                   .outputs = Reference::Share(outputs),
                   .returns_tuple = returns_tuple != 0,
                   .array = Reference::Share(array),
                   .see = Reference::Share(see)};
  std::unique_ptr<Calls> calls(new (std::nothrow) Calls(
      std::move(model), MessageSocket(socket, Reference::Share(acquire), Reference::Share(release))));
  if (calls == nullptr) return PyErr_NoMemory();
  auto* const allocate = reinterpret_cast<allocfunc>(PyType_GetSlot(type, Py_tp_alloc));
  PyObject* const self = allocate(type, 0);
  if (self != nullptr) reinterpret_cast<CallsObject*>(self)->calls = calls.release();
  return self;
}

void Free(PyObject* self) {
  PyTypeObject* const type = Py_TYPE(self);
  delete reinterpret_cast<CallsObject*>(self)->calls;
  reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

PyObject* Run(PyObject* self, PyObject* arguments) {
  const char* unread = nullptr;
  Py_ssize_t unread_bytes = 0, first = 0, second = 0, bytes = 0;
  PyObject* inputs = nullptr;
  Py_buffer memory;
  if (PyArg_ParseTuple(arguments, "y#Ow*nnn", &unread, &unread_bytes, &inputs, &memory, &first, &second, &bytes) == 0) {
    return nullptr;
  }
  const OutputPlaces places{.memory = static_cast<std::byte*>(memory.buf),
                            .memory_bytes = static_cast<size_t>(memory.len),
                            .offsets = {static_cast<size_t>(first), static_cast<size_t>(second)},
                            .bytes = static_cast<size_t>(bytes)};
  PyObject* left = nullptr;
  try {
    left = Of(self).Run({unread, static_cast<size_t>(unread_bytes)}, inputs, places);
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  }
  PyBuffer_Release(&memory);
  return left;
}

PyObject* GetBusy(PyObject* self, void*) { return PyBool_FromLong(Of(self).busy() ? 1 : 0); }
PyObject* GetWantedBytes(PyObject* self, void*) { return PyLong_FromSize_t(Of(self).wanted_bytes()); }
PyObject* GetLastUsed(PyObject* self, void*) { return Of(self).LastUsed(); }

PyObject* EndWithServerOf(PyObject*, PyObject* arguments) {
  int descriptor = -1;
  int patience_ms = 0;
  if (PyArg_ParseTuple(arguments, "ii", &descriptor, &patience_ms) == 0) return nullptr;
  return PyBool_FromLong(EndWithServer(descriptor, patience_ms) ? 1 : 0);
}

PyMethodDef functions[] = {
    {"end_with_server", EndWithServerOf, METH_VARARGS, "end_with_server(descriptor, patience in ms)"},
    {nullptr, nullptr, 0, nullptr}};
PyMethodDef methods[] = {
    {"run", Run, METH_VARARGS, "run(unread, inputs, outputs, first place, second place, bytes of each)"},
    {nullptr, nullptr, 0, nullptr}};
PyGetSetDef attributes[] = {{"busy", GetBusy, nullptr, "whether it executes", nullptr},
                            {"wanted_bytes", GetWantedBytes, nullptr, "the largest outputs so far", nullptr},
                            {"last_used", GetLastUsed, nullptr, "the places of the last two executions", nullptr},
                            {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyType_Slot slots[] = {{Py_tp_new, reinterpret_cast<void*>(New)},
                       {Py_tp_dealloc, reinterpret_cast<void*>(Free)},
                       {Py_tp_methods, methods},
                       {Py_tp_getset, attributes},
                       {0, nullptr}};
PyType_Spec spec = {"inferd_native.Calls", sizeof(CallsObject), 0, Py_TPFLAGS_DEFAULT, slots};
PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "inferd_native", nullptr, -1, functions, nullptr, nullptr, nullptr, nullptr};

}  // namespace

}  // namespace inferd::python

PyMODINIT_FUNC PyInit_inferd_native() {
  inferd::python::Reference module(PyModule_Create(&inferd::python::definition));
  const inferd::python::Reference type(module ? PyType_FromSpec(&inferd::python::spec) : nullptr);
  if (!type || PyModule_AddObjectRef(module.get(), "Calls", type.get()) != 0) return nullptr;
  return module.Release();
}
