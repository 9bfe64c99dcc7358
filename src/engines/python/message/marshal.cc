#include "engines/python/message/marshal.h"

#include <bit>
#include <cstring>
#include <limits>

#include "engines/python/message/marshal_writer.h"

namespace inferd::python {

namespace {

constexpr int kDepthMax = 8;
// Far above any message. A value takes about 40 times its size in the message.
constexpr size_t kValuesMax = size_t{1} << 18;
// For a number above 32 bits.
constexpr size_t kDigitsMax = 5;

class Reader final {
 public:
  explicit Reader(std::string_view bytes) : left_(bytes) {}

  base::Result<Value> ReadWhole() {
    INFERD_ASSIGN_OR_RETURN(Value value, Read(0));
    if (!left_.empty()) return Wrong("something stands behind its end");
    return value;
  }

 private:
  static std::unexpected<base::Status> Wrong(const std::string& what) {
    return std::unexpected(base::InvalidArgument("a message of the worker cannot be read: " + what));
  }

  template <typename Number>
  base::Result<Number> Take() {
    if (left_.size() < sizeof(Number)) return Wrong("it is cut short");
    Number number;
    std::memcpy(&number, left_.data(), sizeof(number));
    left_.remove_prefix(sizeof(number));
    return number;
  }

  base::Result<size_t> TakeSize() {
    INFERD_ASSIGN_OR_RETURN(const int32_t size, Take<int32_t>());
    // Each item, and each byte of a text, takes at least one byte.
    if (size < 0 || static_cast<size_t>(size) > left_.size()) return Wrong("it is cut short");
    return static_cast<size_t>(size);
  }

  base::Result<Value> Read(int depth) {
    if (depth > kDepthMax) return Wrong("it is nested too deeply");
    INFERD_ASSIGN_OR_RETURN(const char type, Take<char>());
    switch (type) {
      case 'N': return Value{};
      case 'T': return Value{true};
      case 'F': return Value{false};
      case 'i': return ReadInt();
      case 'l': return ReadLong();
      case 'g': return ReadFloat();
      case 'u':
      case 't':
      case 's': return ReadText();
      case '(':
      case '[': return ReadItems(depth);
      default: return Wrong("it has a type of number " + std::to_string(static_cast<unsigned char>(type)));
    }
  }

  base::Result<Value> ReadInt() {
    INFERD_ASSIGN_OR_RETURN(const int32_t number, Take<int32_t>());
    return Value{int64_t{number}};
  }

  base::Result<Value> ReadLong() {
    INFERD_ASSIGN_OR_RETURN(const int32_t count, Take<int32_t>());
    const bool negative = count < 0;
    const auto digits = static_cast<size_t>(negative ? -int64_t{count} : int64_t{count});
    if (digits > kDigitsMax) return Wrong("a number is too large");
    unsigned __int128 magnitude = 0;
    for (size_t i = 0; i < digits; ++i) {
      INFERD_ASSIGN_OR_RETURN(const uint16_t digit, Take<uint16_t>());
      if (digit >> kDigitBits != 0) return Wrong("a number has a digit that is none");
      magnitude |= static_cast<unsigned __int128>(digit) << (kDigitBits * i);
    }
    constexpr auto kMax = static_cast<unsigned __int128>(std::numeric_limits<int64_t>::max());
    if (magnitude > (negative ? kMax + 1 : std::numeric_limits<uint64_t>::max())) return Wrong("a number is too large");
    const auto low = static_cast<uint64_t>(magnitude);
    if (negative) return Value{static_cast<int64_t>(-low)};
    return magnitude > kMax ? Value{low} : Value{static_cast<int64_t>(low)};
  }

  base::Result<Value> ReadFloat() {
    INFERD_ASSIGN_OR_RETURN(const uint64_t bits, Take<uint64_t>());
    return Value{std::bit_cast<double>(bits)};
  }

  base::Result<Value> ReadText() {
    INFERD_ASSIGN_OR_RETURN(const size_t size, TakeSize());
    Value value{std::string(left_.substr(0, size))};
    left_.remove_prefix(size);
    return value;
  }

  base::Result<Value> ReadItems(int depth) {
    INFERD_ASSIGN_OR_RETURN(const size_t count, TakeSize());
    if (count > kValuesMax - values_) return Wrong("it has too many values");
    values_ += count;
    Value::Items items;
    items.reserve(count);
    for (size_t i = 0; i < count; ++i) {
      INFERD_ASSIGN_OR_RETURN(Value item, Read(depth + 1));
      items.push_back(std::move(item));
    }
    return Value{std::move(items)};
  }

  std::string_view left_;
  size_t values_ = 0;
};

}  // namespace

base::Result<Value> ReadMarshal(std::string_view bytes) { return Reader(bytes).ReadWhole(); }

}  // namespace inferd::python
