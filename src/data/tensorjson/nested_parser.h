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

// The accepted values. kLenient accepts what TensorFlow Serving's server accepts: for INT8, INT16, UINT8 and UINT16 it
// keeps the low bits of larger 32-bit integers, it converts a number too large for FP32 to infinity, and it decodes
// base64 with base::DecodeLenientBase64().
enum class ValueRules { kStrict, kLenient };

// Reads JSON values whose nesting defines their shape (TensorFlow Serving's "instances" and "inputs") directly into the
// bytes of one tensor. A scalar has rank 0; a list of n values of one shape S has shape [n] + S. Several values of the
// same shape are stored one after the other.
//
// Integers must have no fraction and no exponent, and fit their datatype. BOOL is true or false. Floating-point numbers
// are any that the datatype can hold, NaN, Infinity, Inf, -Infinity and -Inf. BYTES are strings, or {"b64": "..."} with
// base64.
//
// The text bounds the memory: at most 8 bytes for 2 of text, and half as much again for several values. Not
// thread-safe.
class NestedParser final {
 public:
  // `elements_hint` is the expected number of elements; within it, no element is copied twice.
  explicit NestedParser(tensor::DataType type, size_t elements_hint = 0, ValueRules rules = ValueRules::kStrict)
      : type_(type), elements_hint_(elements_hint), rules_(rules) {}

  // Reads the value at the start of `text`, after white space, and returns its size in bytes. Something must follow it,
  // as in an object: a number at the very end of the text is refused.
  //
  // INVALID_ARGUMENT, in TensorFlow Serving's words, for ragged lists, values that the datatype does not accept, and a
  // value of another shape than the first one's. RESOURCE_EXHAUSTED if there is no memory. After an error the parser
  // may only be destroyed. If `text` is not JSON, the words may be those of any of these errors.
  base::Result<size_t> Add(std::string_view text);

  size_t count() const { return count_; }                // number of values read
  const tensor::Shape& shape() const { return shape_; }  // of each value
  // Hands over the bytes of all values, in the form of core::InferTensor.
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

// Returns true if `text` begins with an object that represents one element of BYTES: its only member is "b64", a
// string.
bool StartsWithBase64(std::string_view text);

// Returns TensorFlow's name of a datatype: "float", "string", "int32".
std::string_view TensorflowTypeName(tensor::DataType type);

}  // namespace inferd::tensorjson
