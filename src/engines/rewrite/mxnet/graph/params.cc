#include "engines/rewrite/mxnet/graph/params.h"

#include <cstring>
#include <limits>

namespace inferd::mxnet {

namespace {

// The magic numbers of a list and an array in MXNet's ndarray.cc. An array of the first version begins with its number
// of dimensions instead.
constexpr uint64_t kListMagic = 0x112;
constexpr uint32_t kVersion1 = 0xF993FAC8;  // with 64-bit sizes
constexpr uint32_t kVersion2 = 0xF993FAC9;  // with kinds of storage
constexpr uint32_t kVersion3 = 0xF993FACA;  // with arrays without dimensions

constexpr int32_t kDense = 0;

class ListReader final {
 public:
  explicit ListReader(std::string_view bytes) : left_(bytes), size_(bytes.size()) {}

  base::Result<Params> Read() {
    if (Take<uint64_t>() != kListMagic) Fail("it is no list of MXNet's arrays");
    Take<uint64_t>();  // reserved
    const std::vector<Array> arrays = ReadArrays();
    const uint64_t names = Take<uint64_t>();
    if (names != arrays.size()) {
      Fail("it has " + std::to_string(arrays.size()) + " arrays and " + std::to_string(names) + " names");
    }
    Params params;
    for (const Array& array : arrays) {
      if (!status_.ok()) break;
      const std::string name = ReadName();
      if (!params.emplace(name, array).second) Fail("array '" + name + "' is there twice");
    }
    if (status_.ok() && !left_.empty()) Fail("there are bytes behind its end");
    if (!status_.ok()) return std::unexpected(status_);
    return params;
  }

 private:
  template <typename T>
  T Take() {
    T value{};
    const std::string_view bytes = TakeBytes(sizeof(T));
    if (status_.ok()) std::memcpy(&value, bytes.data(), sizeof(T));
    return value;
  }

  std::string_view TakeBytes(uint64_t count) {
    if (count > left_.size()) Fail("it is cut off");
    if (!status_.ok()) return {};
    const std::string_view bytes = left_.substr(0, count);
    left_.remove_prefix(count);
    return bytes;
  }

  void Fail(const std::string& message) {
    if (!status_.ok()) return;
    status_ = base::InvalidArgument("at byte " + std::to_string(size_ - left_.size()) + ": " + message);
  }

  std::vector<Array> ReadArrays() {
    const uint64_t count = Take<uint64_t>();
    if (count > kArraysMax) Fail("it has " + std::to_string(count) + " arrays, and may have 65536");
    std::vector<Array> arrays;
    for (uint64_t i = 0; i < count && status_.ok(); ++i) arrays.push_back(ReadArray());
    return arrays;
  }

  Array ReadArray() {
    const uint32_t begin = Take<uint32_t>();
    if (begin == kVersion2 || begin == kVersion3) {
      if (Take<int32_t>() != kDense) Fail("arrays of sparse storage are not supported");
    }
    const bool is_versioned = begin >= kVersion1 && begin <= kVersion3;
    const uint32_t rank = is_versioned ? Take<uint32_t>() : begin;
    if (rank == 0 && begin != kVersion3) Fail("an array has no shape");
    return is_versioned ? ReadShapeAndElements<int64_t>(rank) : ReadShapeAndElements<uint32_t>(rank);
  }

  template <typename Size>
  Array ReadShapeAndElements(uint32_t rank) {
    Array array;
    if (rank > kDimensionsMax) Fail("an array has more than 32 dimensions, or is malformed");
    uint64_t count = 1;
    for (uint32_t i = 0; i < rank && status_.ok(); ++i) {
      const auto size = static_cast<int64_t>(Take<Size>());
      if (size < 0 || __builtin_mul_overflow(count, static_cast<uint64_t>(size), &count))
        Fail("an array has no such size");
      array.shape.push_back(size);
    }
    Take<int32_t>();  // the type of its device
    Take<int32_t>();  // the device's number
    const int32_t flag = Take<int32_t>();
    array.element = ElementOfFlag(flag);
    const size_t each = onnx::SizeOf(array.element);
    if (each == 0) Fail("datatype " + std::to_string(flag) + " is not supported");
    if (each != 0 && count > std::numeric_limits<uint64_t>::max() / each) Fail("an array has no such size");
    array.raw = TakeBytes(count * each);
    return array;
  }

  std::string ReadName() {
    const uint64_t size = Take<uint64_t>();
    if (size > kArrayNameMax) Fail("a name has more than 4096 bytes");
    std::string_view name = TakeBytes(size);
    if (name.starts_with("arg:") || name.starts_with("aux:")) name.remove_prefix(4);
    return std::string(name);
  }

  std::string_view left_;
  const size_t size_;
  base::Status status_;
};

}  // namespace

base::Result<Params> ReadParams(std::string_view bytes) { return ListReader(bytes).Read(); }

}  // namespace inferd::mxnet
