#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <type_traits>
#include <vector>

#include "data/tensor/half.h"
#include "serving/core/request/infer_request.h"

// Ranking of a tensor's largest elements, for protocols with classification.

namespace inferd::v2 {

// Puts the indices of the `count` largest of `elements` elements first in `order`: largest first, the lower index first
// among equals. NaN counts as smaller than any number. `at(i)` is the value of element i. Requires count <= elements.
template <typename At>
void RankElements(At at, size_t elements, size_t count, std::vector<size_t>& order) {
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
  std::partial_sort(order.begin(), order.begin() + static_cast<ptrdiff_t>(count), order.end(), larger);
}

// Calls `use` with a function from an element's index to its value. Returns false if the elements are not numbers.
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

}  // namespace inferd::v2
