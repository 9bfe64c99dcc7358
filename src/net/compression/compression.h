#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/buffer.h"
#include "base/status.h"
#include "net/compression/content_coding.h"

namespace inferd::net {

// The size limits for a decompressed body (design, "Default limits"). The functions below are pure and thread-safe.
// Process big bodies off the loop: inflating runs at some 300 MB/s, deflating at a third of that or less.
struct DecompressLimits {
  uint64_t bytes_max = uint64_t{1} << 30;  // the body limit
  uint32_t ratio_max = 100;                // output to input ...
  uint64_t ratio_free_bytes = 64 * 1024;   // the ratio applies above this output size; below, a high ratio is harmless
};

// Decodes `body` into one buffer whose byte `align_at` is aligned (base::Buffer::Allocate). For identity it returns
// `body` itself. gzip may have several members (RFC 1952, 2.2). deflate may be zlib, as standardized, or the raw
// deflate that some clients send. RESOURCE_EXHAUSTED if a limit is exceeded (HTTP 413). INVALID_ARGUMENT if the data is
// corrupt, truncated or followed by other bytes.
base::Result<base::BufferSlice> Decompress(ContentCoding coding, const base::BufferSlice& body,
                                           const DecompressLimits& limits, size_t align_at = 0);

// Favours speed: higher levels cost more than the inference itself.
inline constexpr int kDefaultCompressionLevel = 1;

// Compresses all `pieces` into one body. `level` is zlib's, 1 to 9. RESOURCE_EXHAUSTED if memory is short; there are no
// other errors.
base::Result<base::BufferSlice> Compress(ContentCoding coding, std::span<const base::BufferSlice> pieces,
                                         int level = kDefaultCompressionLevel);

}  // namespace inferd::net
