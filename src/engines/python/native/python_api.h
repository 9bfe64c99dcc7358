#pragma once

// Python's stable ABI, as any interpreter since 3.11 has it. Included before all system headers: it sets macros that
// these look at.

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>

#include <cstddef>
#include <utility>

namespace inferd::python {

inline Py_ssize_t Signed(size_t size) { return static_cast<Py_ssize_t>(size); }

// An object of Python's that is held; perhaps none. Its thread has the interpreter's lock.
class Reference final {
 public:
  Reference() = default;
  // Takes over what a call has returned; null: none.
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
  // For a caller that takes it over.
  PyObject* Release() { return std::exchange(object_, nullptr); }

 private:
  PyObject* object_ = nullptr;
};

// A tuple of so many items, each as `make(i)` returns it, owned. Null, with an exception: one of them is null.
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
