#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "net/body/body.h"
#include "net/http1/chunk_decoder.h"
#include "net/http1/input.h"

namespace inferd::net::http1 {

// The body behind a request's head, plain or chunked: put into a Body, or dropped. One after the other; Begin or
// BeginDrop starts each. Loop-bound.
class BodyReader final {
 public:
  enum class Result {
    kMore,  // the input is used up
    kDone,
    kTooLarge,          // 413
    kNoMemory,          // 503
    kMalformed,         // 400
    kTrailersTooLarge,  // 431
    kGaveUp,            // Drop: its end is too far away, or cannot be found
  };

  explicit BodyReader(size_t trailer_bytes_max) : trailer_bytes_max_(trailer_bytes_max), chunks_(trailer_bytes_max) {}

  // `length` absent: it is chunked.
  void Begin(Body&& body, std::optional<uint64_t> length);
  // Where the next bytes may be read straight to, as no framing stands before them; empty: read to the input.
  std::span<std::byte> Space();
  // `bytes` of Space() were written. kMore, kTooLarge or kNoMemory.
  Result Commit(size_t bytes);
  // Takes all of it that `input` has.
  Result Read(Input& input) { return chunked_ ? ReadChunked(input) : ReadPlain(input); }
  // What was read, to be shared.
  base::BufferSlice Finish() { return body_.Finish(); }
  // Gives back what was read of one that is not finished.
  void Reset() { body_ = Body(); }

  // The body is not wanted: of a chunked one no more than `chunked_bytes_max` are dropped.
  void BeginDrop(std::optional<uint64_t> length, uint64_t chunked_bytes_max);
  // Skips all of it that `input` has. kMore, kDone or kGaveUp.
  Result Drop(Input& input);

 private:
  Result ReadPlain(Input& input);
  Result ReadChunked(Input& input);
  void BeginFraming(std::optional<uint64_t> length);

  const size_t trailer_bytes_max_;
  bool chunked_ = false;
  ChunkDecoder chunks_;
  Body body_;
  uint64_t length_ = 0;     // unless chunked_
  uint64_t drop_left_ = 0;  // of a refused body
};

}  // namespace inferd::net::http1
