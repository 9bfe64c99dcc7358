#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// MXNet's files, written by hand.

namespace inferd::mxnet {

template <typename T>
void Append(T value, std::string* bytes) {
  bytes->append(reinterpret_cast<const char*>(&value), sizeof(value));
}

inline std::string SizesOf(const std::vector<int64_t>& shape) {
  std::string bytes;
  for (const int64_t size : shape) Append<int64_t>(size, &bytes);
  return bytes;
}

// Returns the bytes after an array's shape: the device, the datatype, the elements.
inline std::string Rest(int32_t flag, std::string_view raw) {
  std::string bytes;
  Append<int32_t>(1, &bytes);
  Append<int32_t>(0, &bytes);
  Append<int32_t>(flag, &bytes);
  return bytes.append(raw);
}

// Returns an array of float32 in the format's second version, whose elements are all 1.
inline std::string ArrayOf(const std::vector<int64_t>& shape) {
  std::string bytes;
  Append<uint32_t>(0xF993FAC9, &bytes);
  Append<int32_t>(0, &bytes);
  Append<uint32_t>(static_cast<uint32_t>(shape.size()), &bytes);
  bytes += SizesOf(shape);
  int64_t count = 1;
  for (const int64_t size : shape) count *= size;
  std::string raw;
  for (int64_t i = 0; i < count; ++i) Append<float>(1, &raw);
  return bytes + Rest(0, raw);
}

struct NamedArray {
  std::string name;
  std::string bytes;
};

inline std::string ListOf(const std::vector<NamedArray>& arrays) {
  std::string bytes;
  Append<uint64_t>(0x112, &bytes);
  Append<uint64_t>(0, &bytes);
  Append<uint64_t>(arrays.size(), &bytes);
  for (const NamedArray& array : arrays) bytes += array.bytes;
  Append<uint64_t>(arrays.size(), &bytes);
  for (const NamedArray& array : arrays) {
    Append<uint64_t>(array.name.size(), &bytes);
    bytes += array.name;
  }
  return bytes;
}

}  // namespace inferd::mxnet
