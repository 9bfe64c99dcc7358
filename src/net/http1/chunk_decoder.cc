#include "net/http1/chunk_decoder.h"

#include "base/text/hex.h"
#include "base/text/http_token.h"

namespace inferd::net::http1 {

namespace {

constexpr uint32_t kDigitsMax = 15;  // 60 bits: no overflow, and far over every limit
constexpr uint32_t kExtensionBytesMax = 256;

bool IsControl(char c) { return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f; }

}  // namespace

size_t ChunkDecoder::Consume(std::string_view input) {
  size_t used = 0;
  while (state_ == State::kFraming && used < input.size()) Take(input[used++]);
  return used;
}

void ChunkDecoder::Advance(uint64_t bytes) {
  data_left_ -= bytes;
  if (data_left_ > 0) return;
  state_ = State::kFraming;
  step_ = Step::kDataCr;
}

void ChunkDecoder::Expect(char c, char wanted, Step next) {
  if (c == wanted) {
    step_ = next;
  } else {
    state_ = State::kError;
  }
}

void ChunkDecoder::TakeSize(char c) {
  const int value = base::HexValue(c);
  if (value >= 0 && digits_ < kDigitsMax) {
    data_left_ = data_left_ * 16 + static_cast<uint64_t>(value);
    ++digits_;
  } else if (digits_ > 0 && c == '\r') {
    step_ = Step::kSizeLf;
  } else if (digits_ > 0 && (c == ';' || c == ' ' || c == '\t')) {
    step_ = Step::kExtension;
  } else {
    state_ = State::kError;
  }
}

void ChunkDecoder::BeginData() {
  digits_ = 0;
  extension_bytes_ = 0;
  if (data_left_ > 0) {
    state_ = State::kData;
  } else {
    step_ = Step::kTrailerStart;
  }
}

void ChunkDecoder::Take(char c) {
  if (step_ >= Step::kTrailerStart && ++trailer_bytes_ > trailer_bytes_max_) {
    state_ = State::kTooLong;
    return;
  }
  switch (step_) {
    case Step::kSize: return TakeSize(c);
    case Step::kExtension:
      if (c == '\r') {
        step_ = Step::kSizeLf;
      } else if (IsControl(c) || ++extension_bytes_ > kExtensionBytesMax) {
        state_ = State::kError;
      }
      return;
    case Step::kSizeLf:
      if (c != '\n') {
        state_ = State::kError;
      } else {
        BeginData();
      }
      return;
    case Step::kDataCr: return Expect(c, '\r', Step::kDataLf);
    case Step::kDataLf: return Expect(c, '\n', Step::kSize);
    case Step::kTrailerStart:
      if (c == '\r') {
        step_ = Step::kLastLf;
        return;
      }
      step_ = Step::kTrailer;
      if (!base::IsTokenCharacter(c)) state_ = State::kError;
      return;
    case Step::kTrailer:
      if (c == ':') {
        step_ = Step::kTrailerValue;
      } else if (!base::IsTokenCharacter(c)) {
        state_ = State::kError;
      }
      return;
    case Step::kTrailerValue:
      if (c == '\r') {
        step_ = Step::kTrailerLf;
      } else if (IsControl(c)) {
        state_ = State::kError;
      }
      return;
    case Step::kTrailerLf: return Expect(c, '\n', Step::kTrailerStart);
    case Step::kLastLf: state_ = c == '\n' ? State::kDone : State::kError; return;
  }
}

}  // namespace inferd::net::http1
