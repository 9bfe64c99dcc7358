#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "net/body/body.h"
#include "net/http1/chunk_decoder.h"
#include "net/http1/input.h"

namespace inferd::net::http1 {

// Reads the body after a request's head, plain or chunked: stores it in a Body, or drops it. It reads one body after
// the other; Begin() or BeginDrop() starts each. Loop-bound.
class BodyReader final {
 public:
  enum class Result {
    kMore,  // the input is used up
    kDone,
    kTooLarge,          // 413
    kNoMemory,          // 503
    kMalformed,         // 400
    kTrailersTooLarge,  // 431
    kGaveUp,            // while dropping: the body's end is too far away, or cannot be found
  };

  explicit BodyReader(size_t trailer_bytes_max) : trailer_bytes_max_(trailer_bytes_max), chunks_(trailer_bytes_max) {}

  // If `length` is absent, the body is chunked.
  void Begin(Body&& body, std::optional<uint64_t> length);
  // Returns the space where the next bytes may be read to directly, since no framing precedes them. If empty, read to
  // the input.
  std::span<std::byte> Space();
  // Adds `bytes` that were written to Space(). Returns kMore, kTooLarge or kNoMemory.
  Result Commit(size_t bytes);
  // Takes all of the body that `input` contains.
  Result Read(Input& input) { return chunked_ ? ReadChunked(input) : ReadPlain(input); }
  // Returns the body, to be shared.
  base::BufferSlice Finish() { return body_.Finish(); }
  // Frees an unfinished body.
  void Reset() { body_ = Body(); }

  // Starts to drop an unwanted body. Drops at most `chunked_bytes_max` of a chunked one.
  void BeginDrop(std::optional<uint64_t> length, uint64_t chunked_bytes_max);
  // Skips all of the body that `input` contains. Returns kMore, kDone or kGaveUp.
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
  uint64_t drop_left_ = 0;  // bytes of a refused body
};

}  // namespace inferd::net::http1
