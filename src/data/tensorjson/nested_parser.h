#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/buffer.h"
#include "base/status.h"
#include "data/tensor/data_type.h"
#include "data/tensor/shape.h"

namespace inferd::tensorjson {

// Which values are taken. kLenient, as by TensorFlow Serving's server: of an integer of 32 bits that INT8, INT16, UINT8
// or UINT16 cannot hold the low bits, a number too large for FP32 as infinite, and base64 as base::DecodeLenientBase64.
enum class ValueRules { kStrict, kLenient };

// Reads JSON values whose nesting says their shape (TensorFlow Serving's "instances" and "inputs") straight into the
// bytes of one tensor: a scalar is of rank 0, a list of n values of one shape S is [n] + S. Several values of the same
// shape stand one behind the other.
//
// Integers have neither fraction nor exponent and fit their datatype; BOOL is true or false; floating-point numbers are
// any that the datatype can hold, NaN, Infinity, Inf, -Infinity and -Inf; BYTES are strings, or {"b64": "..."} with
// base64 in it.
//
// Memory is bounded by the text: at most 8 bytes for 2 of text, and half as much again where there are several values.
// Not thread-safe.
class NestedParser final {
 public:
  // `elements_hint`: how many elements are expected; within it, none is copied twice.
  explicit NestedParser(tensor::DataType type, size_t elements_hint = 0, ValueRules rules = ValueRules::kStrict)
      : type_(type), elements_hint_(elements_hint), rules_(rules) {}

  // Reads the value that `text` begins with, white space skipped, and returns the bytes that it took. Something stands
  // behind it, as in an object: a number at the very end of the text is refused.
  //
  // INVALID_ARGUMENT in TensorFlow Serving's words: ragged lists, values that the datatype does not take, a value of
  // another shape than the first one's; RESOURCE_EXHAUSTED if there is no memory. Afterwards the parser may only be
  // destroyed. Where `text` is no JSON, the words may be those of any of these errors.
  base::Result<size_t> Add(std::string_view text);

  size_t count() const { return count_; }                // values read
  const tensor::Shape& shape() const { return shape_; }  // of each of them
  // The bytes of all values, as core::InferTensor carries them.
  base::Buffer Take();

 private:
  template <typename Elements>
  class Walk;

  template <typename Elements>
  base::Result<size_t> AddWith(Elements elements, std::string_view text);
  base::Result<size_t> AddTyped(std::string_view text);
  base::Status CheckShape(const tensor::Shape& shape, size_t elements);

  const tensor::DataType type_;
  const size_t elements_hint_;
  const ValueRules rules_;
  tensor::Shape shape_;
  size_t elements_ = 0;  // of each value
  size_t count_ = 0;
  base::Buffer buffer_;
  size_t used_ = 0;  // bytes
};

// Whether `text` begins with an object that is one element of BYTES: its one member is "b64", a string.
bool StartsWithBase64(std::string_view text);

// TensorFlow's name of a datatype in texts: "float", "string", "int32".
std::string_view TensorflowTypeName(tensor::DataType type);

}  // namespace inferd::tensorjson
