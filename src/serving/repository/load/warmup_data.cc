#include "serving/repository/load/warmup_data.h"

#include <cstring>
#include <string>

#include "base/system/regular_file.h"
#include "data/tensor/bytes.h"
#include "data/tensor/half.h"
#include "data/tensor/raw.h"
#include "storage/staging.h"

namespace inferd::repository {

namespace {

using tensor::DataType;

// A warm-up that needs more memory is a mistake in the configuration.
constexpr size_t kWarmupBytesMax = size_t{1} << 30;

base::Result<base::Buffer> Allocate(size_t row_bytes, int64_t rows) {
  if (row_bytes > 0 && static_cast<size_t>(rows) > kWarmupBytesMax / row_bytes) {
    return std::unexpected(base::InvalidArgument("more than " + std::to_string(kWarmupBytesMax) + " bytes"));
  }
  return base::Buffer::Allocate(row_bytes * static_cast<size_t>(rows));
}

base::Result<base::Buffer> FromFile(const config::WarmupInput& input, int64_t rows, const std::filesystem::path& dir) {
  INFERD_RETURN_IF_ERROR(storage::CheckRelativePath(input.file));
  INFERD_ASSIGN_OR_RETURN(const std::string row, base::ReadRegularFile(dir / input.file, kWarmupBytesMax));
  INFERD_ASSIGN_OR_RETURN(base::Buffer buffer, Allocate(row.size(), rows));
  for (int64_t i = 0; i < rows; ++i) {
    std::memcpy(buffer.data() + static_cast<size_t>(i) * row.size(), row.data(), row.size());
  }
  return buffer;
}

// Returns the bytes of one element. An empty BYTES element is its length alone.
size_t ElementBytes(const config::WarmupInput& input) {
  if (input.datatype != DataType::kBytes) return tensor::ElementSize(input.datatype);
  return input.data == config::WarmupData::kRandom ? tensor::kLengthSize + 1 : tensor::kLengthSize;
}

template <typename T>
void Put(std::byte* at, T value) {
  std::memcpy(at, &value, sizeof(value));
}

// Writes one random element. The bytes at `at` must be zero.
void PutRandom(DataType datatype, std::byte* at, std::minstd_rand& random) {
  // Exact in the narrowest float type.
  const auto fraction = [&random] { return static_cast<double>(random() % 256) / 256; };
  switch (datatype) {
    case DataType::kFp16: return Put(at, tensor::DoubleToHalf(fraction()));
    case DataType::kBf16: return Put(at, tensor::DoubleToBf16(fraction()));
    case DataType::kFp32: return Put(at, static_cast<float>(fraction()));
    case DataType::kFp64: return Put(at, fraction());
    case DataType::kBytes:
      Put(at, uint32_t{1});
      return Put(at + tensor::kLengthSize, static_cast<char>('0' + random() % 10));
    default: return Put(at, static_cast<uint8_t>(random() % 2));  // little-endian
  }
}

}  // namespace

base::Result<base::Buffer> MakeWarmupData(const config::WarmupInput& input, int64_t rows,
                                          const std::filesystem::path& dir, std::minstd_rand& random) {
  if (input.data == config::WarmupData::kFile) return FromFile(input, rows, dir);
  INFERD_ASSIGN_OR_RETURN(const size_t count, tensor::ElementCount(input.dims));
  const size_t element = ElementBytes(input);
  if (element == 0 || count > kWarmupBytesMax / element) {
    return std::unexpected(base::InvalidArgument("no such tensor"));
  }
  INFERD_ASSIGN_OR_RETURN(base::Buffer buffer, Allocate(count * element, rows));
  std::memset(buffer.data(), 0, buffer.size());
  if (input.data != config::WarmupData::kRandom) return buffer;
  for (size_t at = 0; at < buffer.size(); at += element) PutRandom(input.datatype, buffer.data() + at, random);
  return buffer;
}

}  // namespace inferd::repository
