#include "protocols/rpc/retry_info.h"

#include "data/wire/writer.h"

namespace inferd::rpc {

namespace {

constexpr int64_t kMsPerSecond = 1000;
constexpr int64_t kNsPerMs = 1'000'000;

// Field numbers.
constexpr uint32_t kStatusCode = 1, kStatusMessage = 2, kStatusDetails = 3;
constexpr uint32_t kAnyTypeUrl = 1, kAnyValue = 2;
constexpr uint32_t kRetryDelay = 1;
constexpr uint32_t kDurationSeconds = 1, kDurationNanos = 2;

}  // namespace

std::string RetryDetails(const base::Status& status, int64_t retry_after_ms) {
  constexpr size_t kBesidesText = 128;
  wire::Writer out(kBesidesText + status.message().size());
  const size_t end = out.size();
  out.Varint(kDurationNanos, static_cast<uint64_t>(retry_after_ms % kMsPerSecond * kNsPerMs));
  out.Varint(kDurationSeconds, static_cast<uint64_t>(retry_after_ms / kMsPerSecond));
  out.Message(kRetryDelay, end);
  out.Message(kAnyValue, end);
  out.String(kAnyTypeUrl, "type.googleapis.com/google.rpc.RetryInfo");
  out.Message(kStatusDetails, end);
  out.String(kStatusMessage, status.message());
  out.Varint(kStatusCode, static_cast<uint64_t>(status.code()));
  std::string bytes;
  for (const base::BufferSlice& piece : out.Take()) bytes += piece.view();
  return bytes;
}

}  // namespace inferd::rpc
