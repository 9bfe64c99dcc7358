// Compares the packed BYTES codec with the simplest possible reader of the format. Input: the element count, then the
// tensor.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/tensor/bytes.h"
#include "fuzz/require.h"

namespace inferd::fuzz {
namespace {

std::optional<std::vector<std::string>> Unpack(std::string_view packed) {
  std::vector<std::string> elements;
  while (!packed.empty()) {
    if (packed.size() < 4) return std::nullopt;
    uint64_t length = 0;
    for (int i = 3; i >= 0; --i) length = length * 256 + static_cast<unsigned char>(packed[static_cast<size_t>(i)]);
    packed.remove_prefix(4);
    if (length > packed.size()) return std::nullopt;
    elements.emplace_back(packed.substr(0, length));
    packed.remove_prefix(length);
  }
  return elements;
}

void Check(std::string_view packed, size_t count) {
  const auto expected = Unpack(packed);
  const std::span<const std::byte> bytes = std::as_bytes(std::span(packed));
  const base::Status status = tensor::CheckPacked(bytes, count);
  Require(status.ok() == (expected.has_value() && expected->size() == count), "acceptance differs");
  Require(status.ok() || status.code() == base::StatusCode::kInvalidArgument, "wrong code");
  if (!status.ok()) return;

  tensor::BytesPacker packer(count % 7);
  size_t i = 0;
  for (const std::string_view element : tensor::PackedElements(bytes)) {
    Require(i < expected->size() && element == (*expected)[i], "an element differs");
    Require(packer.Append(element).ok(), "an element is refused");
    ++i;
  }
  Require(i == count, "elements are missing");
  Require(base::BufferSlice(packer.Take()).view() == packed, "packing again differs");
}

}  // namespace
}  // namespace inferd::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::vector<char> copy(data + 1, data + size);
  inferd::fuzz::Check({copy.data(), copy.size()}, data[0]);
  return 0;
}
