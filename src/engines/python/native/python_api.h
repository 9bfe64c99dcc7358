#pragma once

// Python's stable ABI, for any interpreter since 3.11. Include this before all system headers: it sets macros that they
// evaluate.

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>

#include <cstddef>
#include <utility>

namespace inferd::python {

inline Py_ssize_t Signed(size_t size) { return static_cast<Py_ssize_t>(size); }

// An owned reference to a Python object, or none. Use it with the interpreter's lock held.
class Reference final {
 public:
  Reference() = default;
  // Takes ownership of a call's result. May be null.
  explicit Reference(PyObject* owned) : object_(owned) {}
  static Reference Share(PyObject* object) {
    Py_XINCREF(object);
    return Reference(object);
  }
  Reference(Reference&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Reference& operator=(Reference&& other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Reference() { Py_XDECREF(object_); }

  PyObject* get() const { return object_; }
  explicit operator bool() const { return object_ != nullptr; }
  void Reset() { Py_XDECREF(std::exchange(object_, nullptr)); }
  // Transfers ownership to the caller.
  PyObject* Release() { return std::exchange(object_, nullptr); }

 private:
  PyObject* object_ = nullptr;
};

// Makes a tuple of `count` items; `make(i)` returns each one, owned. Null, with an exception, if an item is null.
template <typename Make>
Reference MakeTuple(size_t count, Make&& make) {
  Reference tuple(PyTuple_New(Signed(count)));
  for (size_t i = 0; tuple && i < count; ++i) {
    PyObject* const item = make(i);
    if (item == nullptr || PyTuple_SetItem(tuple.get(), Signed(i), item) != 0) return {};
  }
  return tuple;
}

}  // namespace inferd::python
