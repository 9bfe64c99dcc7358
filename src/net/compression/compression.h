#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/buffer.h"
#include "base/status.h"
#include "net/compression/content_coding.h"

namespace inferd::net {

// What a compressed body may grow to (design, "Default limits"). Pure functions; thread-safe. Big bodies belong off the
// loop: inflating runs at some 300 MB/s, deflating at a third of that or less.
struct DecompressLimits {
  uint64_t bytes_max = uint64_t{1} << 30;  // the body limit
  uint32_t ratio_max = 100;                // output to input ...
  uint64_t ratio_free_bytes = 64 * 1024;   // ... above this size; below, a good ratio is no attack
};

// The bytes of `body`, decoded, in one buffer whose byte `align_at` is aligned (base::Buffer::Allocate). Identity
// returns `body` itself. gzip: one or more members (RFC 1952, 2.2). deflate: zlib as the standard has it, or the bare
// deflate that some clients send. Errors: RESOURCE_EXHAUSTED for what passes a limit (HTTP 413); INVALID_ARGUMENT for
// what is corrupt, truncated or followed by other bytes.
base::Result<base::BufferSlice> Decompress(ContentCoding coding, const base::BufferSlice& body,
                                           const DecompressLimits& limits, size_t align_at = 0);

// Favours speed: at higher levels, compressing costs more than the inference did.
inline constexpr int kDefaultCompressionLevel = 1;

// All `pieces`, as one coded body. `level` is zlib's, 1 to 9. Fails only with RESOURCE_EXHAUSTED, when memory is short.
base::Result<base::BufferSlice> Compress(ContentCoding coding, std::span<const base::BufferSlice> pieces,
                                         int level = kDefaultCompressionLevel);

}  // namespace inferd::net
