#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace inferd::python {

// Python writes a number above 32 bits as digits of this many bits each, the lowest first.
inline constexpr int kDigitBits = 15;

// Appends values to one message. Open a tuple with the number of its items, then append them.
class MarshalWriter final {
 public:
  void Tuple(size_t items);
  void None() { bytes_ += 'N'; }
  void Bool(bool value) { bytes_ += value ? 'T' : 'F'; }
  void Int(int64_t value);
  void Uint(uint64_t value);
  void Float(double value);
  // `text` must be UTF-8 (read back as str). Otherwise the worker refuses the message.
  void Text(std::string_view text);

  const std::string& bytes() const { return bytes_; }
  void Clear() { bytes_.clear(); }

 private:
  void Word(uint32_t value);

  std::string bytes_;
};

}  // namespace inferd::python
