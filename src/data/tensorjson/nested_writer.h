#pragma once

#include <cstddef>
#include <span>

#include "base/status.h"
#include "data/json/writer.h"
#include "data/tensor/data_type.h"
#include "data/tensor/shape.h"

namespace inferd::tensorjson {

// Writes one number as NestedWriter does.
void WriteNumber(json::Writer& writer, float value);

// Writes a tensor's values as nested JSON lists (TensorFlow Serving's "predictions" and "outputs"). Floating-point
// numbers are written by PrintShortDecimal(), FP16 and BF16 as the FP32 to which they widen, and non-finite ones as
// NaN, Infinity and -Infinity. BYTES are strings, or {"b64": "..."}. Not thread-safe.
class NestedWriter final {
 public:
  // `data` has the form of core::InferTensor, at any alignment, and must outlive the writer. INTERNAL if it does not
  // fit `shape`.
  static base::Result<NestedWriter> Create(tensor::DataType type, const tensor::Shape& shape,
                                           std::span<const std::byte> data, bool base64);

  // Writes all values; call once. INVALID_ARGUMENT, in words that follow an output's name, if an element of BYTES is
  // not UTF-8.
  base::Status WriteAll(json::Writer& writer) { return WriteFrom(writer, 0); }
  // Writes the next value along the first dimension; call as often as its size.
  base::Status WriteNext(json::Writer& writer) { return WriteFrom(writer, 1); }

 private:
  NestedWriter(tensor::DataType type, const tensor::Shape& shape, const std::byte* from, bool base64)
      : type_(type), shape_(shape), from_(from), base64_(base64) {}

  base::Status WriteFrom(json::Writer& writer, size_t dim);
  base::Status WriteRow(json::Writer& writer, size_t count);
  template <size_t kWidth, typename T, typename Print>
  void WriteFixed(json::Writer& writer, size_t count, Print print);
  base::Status WriteTexts(json::Writer& writer, size_t count);

  tensor::DataType type_;
  tensor::Shape shape_;
  const std::byte* from_;
  bool base64_;
};

}  // namespace inferd::tensorjson
