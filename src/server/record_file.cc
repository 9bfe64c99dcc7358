#include "server/record_file.h"

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

namespace inferd::server {

namespace {

static_assert(std::endian::native == std::endian::little);

// CRC-32C (RFC 3720, B.4), its bits in reverse.
constexpr uint32_t kPolynomial = 0x82F63B78;

constexpr std::array<uint32_t, 256> MakeTable() {
  std::array<uint32_t, 256> table{};
  for (uint32_t i = 0; i < table.size(); ++i) {
    uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit) value = (value >> 1) ^ ((value & 1) != 0 ? kPolynomial : 0);
    table[i] = value;
  }
  return table;
}

// As these files have it: turned and shifted, so that a checksum of checksums is none.
uint32_t MaskedChecksum(std::string_view bytes) {
  static constexpr std::array<uint32_t, 256> kTable = MakeTable();
  uint32_t crc = ~uint32_t{0};
  for (const char c : bytes) crc = kTable[(crc ^ static_cast<uint8_t>(c)) & 0xFF] ^ (crc >> 8);
  return std::rotr(~crc, 15) + 0xA282EAD8;
}

template <typename Value>
Value Load(const char* p) {
  Value value;
  std::memcpy(&value, p, sizeof(value));
  return value;
}

template <typename Value>
void Append(Value value, std::string& out) {
  out.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

}  // namespace

base::Result<std::vector<std::string_view>> SplitRecords(std::string_view file, size_t records_max) {
  constexpr size_t kLengthSize = sizeof(uint64_t);
  constexpr size_t kHeadSize = kLengthSize + sizeof(uint32_t);
  std::vector<std::string_view> records;
  for (size_t at = 0; at < file.size();) {
    const auto damaged = [&](const std::string& what) {
      return std::unexpected(base::InvalidArgument("record " + std::to_string(records.size()) + " at byte " +
                                                   std::to_string(at) + " " + what));
    };
    const std::string_view rest = file.substr(at);
    if (rest.size() < kHeadSize) return damaged("is cut off");
    const auto size = Load<uint64_t>(rest.data());
    if (Load<uint32_t>(rest.data() + kLengthSize) != MaskedChecksum(rest.substr(0, kLengthSize))) {
      return damaged("is damaged");
    }
    if (rest.size() - kHeadSize < sizeof(uint32_t) || size > rest.size() - kHeadSize - sizeof(uint32_t)) {
      return damaged("is cut off");
    }
    const std::string_view data = rest.substr(kHeadSize, size);
    if (Load<uint32_t>(data.data() + size) != MaskedChecksum(data)) return damaged("is damaged");
    if (records.size() == records_max)
      return damaged("is more than the " + std::to_string(records_max) + " there may be");
    records.push_back(data);
    at += kHeadSize + size + sizeof(uint32_t);
  }
  return records;
}

std::string RecordOf(std::string_view data) {
  std::string record;
  Append(uint64_t{data.size()}, record);
  Append(MaskedChecksum(record), record);
  record += data;
  Append(MaskedChecksum(data), record);
  return record;
}

}  // namespace inferd::server
