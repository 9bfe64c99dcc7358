#include "engines/fake/fake_numbers.h"

#include <algorithm>
#include <cstring>

#include "data/tensor/data_type.h"
#include "inferd/engine_abi.h"

namespace inferd::fake {

namespace {

template <typename T>
void AddTo(std::span<std::byte> sum, std::span<const std::byte> addend) {
  for (size_t i = 0; i + sizeof(T) <= std::min(sum.size(), addend.size()); i += sizeof(T)) {
    T a;
    T b;
    std::memcpy(&a, sum.data() + i, sizeof(T));
    std::memcpy(&b, addend.data() + i, sizeof(T));
    a = static_cast<T>(a + b);
    std::memcpy(sum.data() + i, &a, sizeof(T));
  }
}

}  // namespace

// Signed and unsigned sums have the same bits.
void AddAs(int32_t datatype, std::span<std::byte> sum, std::span<const std::byte> addend) {
  if (datatype == INFERD_TYPE_FP32) return AddTo<float>(sum, addend);
  if (datatype == INFERD_TYPE_FP64) return AddTo<double>(sum, addend);
  switch (tensor::ElementSize(static_cast<tensor::DataType>(datatype))) {
    case 1: return AddTo<uint8_t>(sum, addend);
    case 2: return AddTo<uint16_t>(sum, addend);
    case 4: return AddTo<uint32_t>(sum, addend);
    default: return AddTo<uint64_t>(sum, addend);
  }
}

}  // namespace inferd::fake
