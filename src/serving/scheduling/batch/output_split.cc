#include "serving/scheduling/batch/output_split.h"

#include <cstdint>
#include <string>

#include "data/tensor/bytes.h"
#include "data/tensor/raw.h"

namespace inferd::scheduling {

namespace {

base::Status WrongCount(const core::InferTensor& whole, size_t expected) {
  return base::Internal("shape " + whole.shape.ToString() + " does not have the " + std::to_string(expected) +
                        " elements of the batch's requests");
}

}  // namespace

base::Status FindShareEnds(const core::InferTensor& whole, std::span<const size_t> element_counts,
                           std::span<size_t> ends) {
  const auto elements = tensor::ElementCount(whole.shape);
  if (!elements) return base::Internal(elements.error().message());
  size_t expected = 0;
  for (const size_t count : element_counts) {
    if (__builtin_add_overflow(expected, count, &expected)) return WrongCount(whole, SIZE_MAX);
  }
  if (*elements != expected) return WrongCount(whole, expected);
  if (whole.datatype == tensor::DataType::kBytes) {
    size_t at = 0;
    for (size_t i = 0; i < element_counts.size(); ++i) {
      const auto bytes = tensor::PackedPrefix(whole.data.bytes().subspan(at), element_counts[i]);
      if (!bytes) return base::Internal("its bytes end before its elements do");
      ends[i] = at += *bytes;
    }
    if (at != whole.data.size()) return base::Internal("bytes follow its last element");
    return base::OkStatus();
  }
  if (const base::Status status = tensor::CheckRaw(whole.datatype, whole.shape, whole.data.bytes()); !status.ok()) {
    return base::Internal(status.message());
  }
  const size_t element_size = tensor::ElementSize(whole.datatype);
  size_t at = 0;
  for (size_t i = 0; i < element_counts.size(); ++i) ends[i] = at += element_counts[i] * element_size;
  return base::OkStatus();
}

}  // namespace inferd::scheduling
