#include "engines/python/native/order.h"

#include <cstring>

#include "engines/python/message/marshal_writer.h"

namespace inferd::python {

namespace {

constexpr int kDepthMax = 8;
constexpr int32_t kDigitsMax = 4;  // 60 bits

// Reads values of Python's `marshal`, version 2. After a value of the wrong type, ok() is false.
class Reader final {
 public:
  explicit Reader(std::string_view bytes) : left_(bytes) {}

  bool ok() const { return ok_; }

  // Returns the number of items that follow.
  size_t Tuple() { return Take<char>() == '(' ? Size() : Refuse(); }

  // Returns a number that is not negative.
  size_t Number() {
    const char type = Take<char>();
    const auto number = Take<int32_t>();
    if (type == 'l') return Digits(number);
    return type == 'i' && number >= 0 ? static_cast<size_t>(number) : Refuse();
  }

  std::string_view Text() {
    const char type = Take<char>();
    return Bytes(type == 'u' ? Size() : Refuse());
  }

  void Skip(int depth = 0) {
    switch (Take<char>()) {
      case 'N':
      case 'T':
      case 'F': return;
      case 'i': return static_cast<void>(Take<int32_t>());
      case 'g': return static_cast<void>(Take<int64_t>());
      case 'u': return static_cast<void>(Bytes(Size()));
      case 'l': return SkipLong();
      case '(': return SkipItems(depth);
      default: Refuse();
    }
  }

 private:
  size_t Refuse() {
    ok_ = false;
    left_ = {};
    return 0;
  }

  template <typename T>
  T Take() {
    T value = {};
    if (left_.size() < sizeof(value)) {
      Refuse();
      return value;
    }
    std::memcpy(&value, left_.data(), sizeof(value));
    left_.remove_prefix(sizeof(value));
    return value;
  }

  size_t Size() {
    const auto size = Take<int32_t>();
    return size >= 0 && static_cast<size_t>(size) <= left_.size() ? static_cast<size_t>(size) : Refuse();
  }

  std::string_view Bytes(size_t size) {
    const std::string_view bytes = left_.substr(0, size);
    left_.remove_prefix(bytes.size());
    return bytes;
  }

  // Reads digits of 15 bits each, the lowest first.
  size_t Digits(int32_t count) {
    if (count < 0 || count > kDigitsMax) return Refuse();
    uint64_t number = 0;
    for (int32_t i = 0; i < count; ++i) number |= uint64_t{Take<uint16_t>()} << (kDigitBits * i);
    return number;
  }

  void SkipLong() {
    const auto digits = Take<int32_t>();
    const int64_t bytes = (digits < 0 ? -int64_t{digits} : int64_t{digits}) * 2;
    if (static_cast<uint64_t>(bytes) > left_.size()) Refuse();
    Bytes(static_cast<size_t>(bytes));
  }

  void SkipItems(int depth) {
    const size_t count = depth < kDepthMax ? Size() : Refuse();
    for (size_t i = 0; i < count && ok_; ++i) Skip(depth + 1);
  }

  std::string_view left_;
  bool ok_ = true;
};

bool ReadInput(Reader& reader, Order::Input& to) {
  if (reader.Tuple() != 4) return false;
  to.index = reader.Number();
  to.datatype = static_cast<int32_t>(reader.Number());
  to.rank = reader.Tuple();
  if (to.rank > Order::kRankMax) return false;
  for (size_t d = 0; d < to.rank; ++d) to.shape[d] = static_cast<int64_t>(reader.Number());
  if (reader.Tuple() != 1 || reader.Tuple() != 2) return false;
  to.offset = reader.Number();
  to.size = reader.Number();
  return reader.ok();
}

}  // namespace

bool ReadOrder(std::string_view message, Order& to) {
  Reader reader(message);
  if (reader.Tuple() != 6 || reader.Text() != "execute") return false;
  to.number = reader.Number();
  to.bytes = reader.Number();
  to.wanted_count = reader.Tuple();
  if (to.wanted_count > Order::kTensorsMax) return false;
  for (size_t i = 0; i < to.wanted_count; ++i) to.wanted[i] = reader.Number();
  reader.Skip();  // the requests
  to.input_count = reader.Tuple();
  if (to.input_count > Order::kTensorsMax) return false;
  for (size_t i = 0; i < to.input_count; ++i) {
    if (!ReadInput(reader, to.inputs[i])) return false;
  }
  return reader.ok();
}

}  // namespace inferd::python
