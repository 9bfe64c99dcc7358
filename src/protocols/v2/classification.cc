#include "protocols/v2/classification.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "data/tensor/bytes.h"
#include "protocols/v2/ranking.h"

namespace inferd::v2 {

namespace {

constexpr size_t kDigitsMax = 400;  // the largest double has 309 digits before the point

template <typename T>
char* WriteValue(char* p, char* end, T value, ClassValues form) {
  if constexpr (std::is_floating_point_v<T>) {
    if (form == ClassValues::kSixDecimals) {
      return std::to_chars(p, end, static_cast<double>(value), std::chars_format::fixed, 6).ptr;
    }
  }
  return std::to_chars(p, end, value).ptr;
}

// Appends the classes of one row to `packer`. `At(i)` is the value of element i.
template <typename At>
base::Status ClassifyRow(At at, size_t elements, size_t classes, const core::TensorSpec& spec, ClassValues form,
                         std::vector<size_t>& order, tensor::BytesPacker& packer) {
  RankElements(at, elements, classes, order);
  std::string text;
  for (size_t i = 0; i < classes; ++i) {
    char digits[kDigitsMax];
    char* const end = digits + sizeof digits;
    char* p = WriteValue(digits, end, at(order[i]), form);
    *p++ = ':';
    p = std::to_chars(p, end, order[i]).ptr;
    text.assign(digits, p);
    if (order[i] < spec.labels.size() && !spec.labels[order[i]].empty()) text.append(":").append(spec.labels[order[i]]);
    INFERD_RETURN_IF_ERROR(packer.Append(text));
  }
  return {};
}

}  // namespace

base::Result<core::InferTensor> Classify(const core::InferTensor& tensor, const core::TensorSpec& spec, bool batched,
                                         uint32_t classes, ClassValues values) {
  const auto elements = static_cast<size_t>(tensor.shape.ElementCount().value_or(0));
  const bool rows_known = batched && tensor.shape.rank() > 0;
  const size_t rows = rows_known ? static_cast<size_t>(tensor.shape[0]) : 1;
  const size_t row_elements = rows == 0 ? 0 : elements / rows;
  const size_t row_classes = std::min<size_t>(classes, row_elements);
  constexpr size_t kTypicalElementBytes = 24;
  tensor::BytesPacker packer(rows * row_classes * kTypicalElementBytes);
  base::Status status;
  const bool numeric = WithValues(tensor, [&](auto at) {
    std::vector<size_t> order;
    for (size_t row = 0; row < rows && status.ok(); ++row) {
      const auto in_row = [&](size_t i) { return at(row * row_elements + i); };
      status = ClassifyRow(in_row, row_elements, row_classes, spec, values, order, packer);
    }
  });
  if (!numeric) {
    return std::unexpected(base::InvalidArgument("output '" + tensor.name +
                                                 "': classification needs a numeric datatype, "
                                                 "got " +
                                                 std::string(tensor::DataTypeName(tensor.datatype))));
  }
  if (!status.ok()) return std::unexpected(status.WithContext("output '" + tensor.name + "'"));
  core::InferTensor result;
  result.name = tensor.name;
  result.datatype = tensor::DataType::kBytes;
  if (rows_known) result.shape.Append(static_cast<int64_t>(rows));
  result.shape.Append(static_cast<int64_t>(row_classes));
  result.data = base::BufferSlice(packer.Take());
  return result;
}

}  // namespace inferd::v2
