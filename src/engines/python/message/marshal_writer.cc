#include "engines/python/message/marshal_writer.h"

#include <array>
#include <bit>
#include <cstring>
#include <limits>

namespace inferd::python {

void MarshalWriter::Word(uint32_t value) {
  std::array<char, sizeof(value)> bytes;
  std::memcpy(bytes.data(), &value, sizeof(value));
  bytes_.append(bytes.data(), bytes.size());
}

void MarshalWriter::Tuple(size_t items) {
  bytes_ += '(';
  Word(static_cast<uint32_t>(items));
}

void MarshalWriter::Int(int64_t value) {
  if (value >= 0) return Uint(static_cast<uint64_t>(value));
  if (value >= std::numeric_limits<int32_t>::min()) {
    bytes_ += 'i';
    return Word(static_cast<uint32_t>(static_cast<int32_t>(value)));
  }
  const size_t sign = bytes_.size() + 1;
  Uint(-static_cast<uint64_t>(value));
  int32_t digits = 0;
  std::memcpy(&digits, bytes_.data() + sign, sizeof(digits));
  digits = -digits;
  std::memcpy(bytes_.data() + sign, &digits, sizeof(digits));
}

void MarshalWriter::Uint(uint64_t value) {
  if (value <= static_cast<uint64_t>(std::numeric_limits<int32_t>::max())) {
    bytes_ += 'i';
    return Word(static_cast<uint32_t>(value));
  }
  bytes_ += 'l';
  uint32_t digits = 0;
  for (uint64_t left = value; left != 0; left >>= kDigitBits) ++digits;
  Word(digits);
  for (uint64_t left = value; left != 0; left >>= kDigitBits) {
    const auto digit = static_cast<uint16_t>(left & ((1U << kDigitBits) - 1));
    bytes_ += static_cast<char>(digit & 0xff);
    bytes_ += static_cast<char>(digit >> 8);
  }
}

void MarshalWriter::Float(double value) {
  bytes_ += 'g';
  const auto bits = std::bit_cast<uint64_t>(value);
  Word(static_cast<uint32_t>(bits));
  Word(static_cast<uint32_t>(bits >> 32));
}

void MarshalWriter::Text(std::string_view text) {
  bytes_ += 'u';
  Word(static_cast<uint32_t>(text.size()));
  bytes_ += text;
}

}  // namespace inferd::python
