#pragma once

#include <cstddef>
#include <span>

#include "base/status.h"
#include "data/json/writer.h"
#include "data/tensor/data_type.h"
#include "data/tensor/shape.h"

namespace inferd::tensorjson {

// One number as NestedWriter writes it.
void WriteNumber(json::Writer& writer, float value);

// Writes a tensor's values as nested JSON lists (TensorFlow Serving's "predictions" and "outputs"). Numbers with a
// point are written as PrintShortDecimal does, FP16 and BF16 as the FP32 they widen to, what is not finite as NaN,
// Infinity and -Infinity. BYTES are strings, or {"b64": "..."}. Not thread-safe.
class NestedWriter final {
 public:
  // `data` is as core::InferTensor carries it, at any alignment, and outlives the writer. INTERNAL: it does not fit.
  static base::Result<NestedWriter> Create(tensor::DataType type, const tensor::Shape& shape,
                                           std::span<const std::byte> data, bool base64);

  // Once, all of it. INVALID_ARGUMENT, in words that follow an output's name: an element of BYTES is not UTF-8.
  base::Status WriteAll(json::Writer& writer) { return WriteFrom(writer, 0); }
  // Or the next value along the first dimension, as often as its size.
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
