#include "net/http1/body_reader.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace inferd::net::http1 {

namespace {

// If a chunk has more missing bytes than this, they are read directly into the body ...
constexpr uint64_t kDirectReadBytes = 4096;
// ... this many at a time.
constexpr uint64_t kReadBytesMax = 256 * 1024;

std::span<const std::byte> Bytes(std::string_view text) { return std::as_bytes(std::span(text)); }

BodyReader::Result ResultOf(Body::Fill fill) {
  switch (fill) {
    case Body::Fill::kOk: return BodyReader::Result::kMore;
    case Body::Fill::kTooLarge: return BodyReader::Result::kTooLarge;
    case Body::Fill::kNoMemory: break;
  }
  return BodyReader::Result::kNoMemory;
}

}  // namespace

void BodyReader::BeginFraming(std::optional<uint64_t> length) {
  chunked_ = !length.has_value();
  length_ = length.value_or(0);
  if (chunked_) chunks_ = ChunkDecoder(trailer_bytes_max_);
}

void BodyReader::Begin(Body&& body, std::optional<uint64_t> length) {
  BeginFraming(length);
  body_ = std::move(body);
}

std::span<std::byte> BodyReader::Space() {
  if (!chunked_) return body_.Space();
  if (chunks_.state() != ChunkDecoder::State::kData || chunks_.data_left() < kDirectReadBytes) return {};
  const std::span<std::byte> space = body_.Space(std::min<uint64_t>(chunks_.data_left(), kReadBytesMax));
  return space.first(std::min<uint64_t>(space.size(), chunks_.data_left()));
}

BodyReader::Result BodyReader::Commit(size_t bytes) {
  if (chunked_) chunks_.Advance(bytes);
  return ResultOf(body_.Commit(bytes));
}

BodyReader::Result BodyReader::ReadPlain(Input& input) {
  const uint64_t left = length_ - body_.size();
  const std::string_view taken = input.text().substr(0, left);
  if (!taken.empty()) {
    const Result result = ResultOf(body_.Append(Bytes(taken)));
    if (result != Result::kMore) return result;
    input.Skip(taken.size());
  }
  return taken.size() == left ? Result::kDone : Result::kMore;
}

BodyReader::Result BodyReader::ReadChunked(Input& input) {
  while (chunks_.state() == ChunkDecoder::State::kFraming || chunks_.state() == ChunkDecoder::State::kData) {
    const std::string_view text = input.text();
    if (text.empty()) return Result::kMore;
    if (chunks_.state() == ChunkDecoder::State::kFraming) {
      input.Skip(chunks_.Consume(text));
      continue;
    }
    const std::string_view taken = text.substr(0, chunks_.data_left());
    const Result result = ResultOf(body_.Append(Bytes(taken)));
    if (result != Result::kMore) return result;
    chunks_.Advance(taken.size());
    input.Skip(taken.size());
  }
  if (chunks_.state() == ChunkDecoder::State::kDone) return Result::kDone;
  return chunks_.state() == ChunkDecoder::State::kTooLong ? Result::kTrailersTooLarge : Result::kMalformed;
}

void BodyReader::BeginDrop(std::optional<uint64_t> length, uint64_t chunked_bytes_max) {
  BeginFraming(length);
  drop_left_ = chunked_ ? chunked_bytes_max : length_;
}

BodyReader::Result BodyReader::Drop(Input& input) {
  for (;;) {
    if (chunked_ ? chunks_.state() == ChunkDecoder::State::kDone : drop_left_ == 0) return Result::kDone;
    const std::string_view text = input.text();
    if (text.empty()) return Result::kMore;
    if (chunked_ && (drop_left_ == 0 || chunks_.state() > ChunkDecoder::State::kDone)) return Result::kGaveUp;
    uint64_t used = 0;
    if (!chunked_ || chunks_.state() == ChunkDecoder::State::kData) {
      used = std::min<uint64_t>({text.size(), drop_left_, chunked_ ? chunks_.data_left() : UINT64_MAX});
      if (chunked_) chunks_.Advance(used);
      drop_left_ -= used;
    } else {
      used = chunks_.Consume(text);
    }
    input.Skip(used);
  }
}

}  // namespace inferd::net::http1
