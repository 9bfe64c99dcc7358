#include "v2/classification.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "tensor/bytes.h"
#include "tensor/half.h"

namespace inferd::v2 {

namespace {

// Appends the classes of one row to `packer`. `At(i)` is the value of element i.
template <typename At>
base::Status ClassifyRow(At at, size_t elements, size_t classes, const core::TensorSpec& spec,
                         std::vector<size_t>& order, tensor::BytesPacker& packer) {
  order.resize(elements);
  std::iota(order.begin(), order.end(), size_t{0});
  const auto larger = [&](size_t a, size_t b) {
    const auto x = at(a);
    const auto y = at(b);
    if (x > y) return true;
    if (x < y) return false;
    if constexpr (std::is_floating_point_v<decltype(at(0))>) {
      if (std::isnan(x) != std::isnan(y)) return std::isnan(y);
    }
    return a < b;
  };
  std::partial_sort(order.begin(), order.begin() + static_cast<ptrdiff_t>(classes), order.end(), larger);
  std::string text;
  for (size_t i = 0; i < classes; ++i) {
    char digits[64];
    char* const end = digits + sizeof digits;
    char* p = std::to_chars(digits, end, at(order[i])).ptr;
    *p++ = ':';
    p = std::to_chars(p, end, order[i]).ptr;
    text.assign(digits, p);
    if (order[i] < spec.labels.size() && !spec.labels[order[i]].empty()) text.append(":").append(spec.labels[order[i]]);
    INFERD_RETURN_IF_ERROR(packer.Append(text));
  }
  return {};
}

// Calls `use` with a function from an element's index to its value. False: not a number.
template <typename Use>
bool WithValues(const core::InferTensor& tensor, Use use) {
  const std::byte* const data = tensor.data.data();
  const auto load = [data]<typename T>(T*, auto convert) {
    return [data, convert](size_t i) {
      T value;
      std::memcpy(&value, data + i * sizeof value, sizeof value);
      return convert(value);
    };
  };
  const auto plain = [&]<typename T>(T* type) { use(load(type, [](T value) { return value; })); };
  using tensor::DataType;
  switch (tensor.datatype) {
    case DataType::kUint8: plain(static_cast<uint8_t*>(nullptr)); return true;
    case DataType::kUint16: plain(static_cast<uint16_t*>(nullptr)); return true;
    case DataType::kUint32: plain(static_cast<uint32_t*>(nullptr)); return true;
    case DataType::kUint64: plain(static_cast<uint64_t*>(nullptr)); return true;
    case DataType::kInt8: plain(static_cast<int8_t*>(nullptr)); return true;
    case DataType::kInt16: plain(static_cast<int16_t*>(nullptr)); return true;
    case DataType::kInt32: plain(static_cast<int32_t*>(nullptr)); return true;
    case DataType::kInt64: plain(static_cast<int64_t*>(nullptr)); return true;
    case DataType::kFp32: plain(static_cast<float*>(nullptr)); return true;
    case DataType::kFp64: plain(static_cast<double*>(nullptr)); return true;
    case DataType::kFp16: use(load(static_cast<uint16_t*>(nullptr), tensor::HalfToFloat)); return true;
    case DataType::kBf16: use(load(static_cast<uint16_t*>(nullptr), tensor::Bf16ToFloat)); return true;
    case DataType::kBool:
    case DataType::kBytes:
    default: break;
  }
  return false;
}

}  // namespace

base::Result<core::InferTensor> Classify(const core::InferTensor& tensor, const core::TensorSpec& spec, bool batched,
                                         uint32_t classes) {
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
      status = ClassifyRow(in_row, row_elements, row_classes, spec, order, packer);
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
