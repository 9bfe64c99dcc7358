#include "server/records/record_file.h"

#include <bit>
#include <boost/crc.hpp>
#include <cstdint>
#include <cstring>

namespace inferd::server {

namespace {

static_assert(std::endian::native == std::endian::little);

// CRC-32C (RFC 3720, B.4) with TFRecord's mask: rotated and shifted, since a CRC of data with CRCs would be weak.
uint32_t MaskedChecksum(std::string_view bytes) {
  boost::crc_optimal<32, 0x1EDC6F41, 0xFFFFFFFF, 0xFFFFFFFF, true, true> crc;
  crc.process_bytes(bytes.data(), bytes.size());
  return std::rotr(crc.checksum(), 15) + 0xA282EAD8;
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
