#pragma once

#include <cstdint>
#include <string_view>

namespace inferd::net::http1 {

// Decodes the framing of a chunked body (RFC 9112, 7.1) that arrives in pieces. The caller passes framing to it and
// reports data, which the decoder never touches. Chunk extensions and trailers are read, limited and dropped.
class ChunkDecoder final {
 public:
  enum class State {
    kFraming,  // next: call Consume
    kData,     // next: `data_left` bytes of body; report them with Advance
    kDone,
    kError,    // 400
    kTooLong,  // 431: trailers too long
  };

  explicit ChunkDecoder(size_t trailer_bytes_max) : trailer_bytes_max_(trailer_bytes_max) {}

  State state() const { return state_; }
  uint64_t data_left() const { return data_left_; }

  // Reads framing from `input` until the state changes or the input ends. Returns the number of bytes read.
  size_t Consume(std::string_view input);
  // Reports that `bytes` <= data_left() of the body were taken.
  void Advance(uint64_t bytes);

 private:
  enum class Step {
    kSize,
    kExtension,
    kSizeLf,
    kDataCr,
    kDataLf,
    kTrailerStart,
    kTrailer,
    kTrailerValue,
    kTrailerLf,
    kLastLf
  };

  void Take(char c);
  void TakeSize(char c);
  void BeginData();
  void Expect(char c, char wanted, Step next);

  size_t trailer_bytes_max_;
  State state_ = State::kFraming;
  Step step_ = Step::kSize;
  uint64_t data_left_ = 0;
  uint32_t digits_ = 0;
  uint32_t extension_bytes_ = 0;
  size_t trailer_bytes_ = 0;
};

}  // namespace inferd::net::http1
