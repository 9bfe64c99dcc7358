#include "net/compression/compression.h"

#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <new>
#include <string>

namespace inferd::net {

namespace {

using base::Buffer;
using base::BufferSlice;
using base::Result;
using base::Status;

// zlib's windowBits, which select the format around the deflate data.
constexpr int kGzipWindow = 15 + 16;
constexpr int kZlibWindow = 15;
constexpr int kRawWindow = -15;
constexpr size_t kStepBytesMax = std::numeric_limits<uInt>::max();  // z_stream counts in 32 bits
constexpr size_t kFirstOutputBytes = 16 * 1024;

Bytef* AsBytef(const std::byte* data) { return reinterpret_cast<Bytef*>(const_cast<std::byte*>(data)); }

// Checks for a zlib header (RFC 1950, 2.2): compression method 8, and a multiple of 31. Raw deflate from any encoder
// fails this check.
bool HasZlibHeader(std::span<const std::byte> data) {
  if (data.size() < 2) return false;
  const unsigned first = std::to_integer<unsigned>(data[0]);
  return (first & 0x0f) == 8 && (first * 256 + std::to_integer<unsigned>(data[1])) % 31 == 0;
}

int WindowFor(ContentCoding coding, std::span<const std::byte> data) {
  if (coding == ContentCoding::kGzip) return kGzipWindow;
  return HasZlibHeader(data) ? kZlibWindow : kRawWindow;
}

// Guesses the decoded size. gzip ends with it (modulo 2^32); deflate does not state it.
size_t GuessOutputBytes(ContentCoding coding, std::span<const std::byte> data, uint64_t bytes_max) {
  uint64_t guess = std::max<uint64_t>(kFirstOutputBytes, data.size() * uint64_t{4});
  if (coding == ContentCoding::kGzip && data.size() >= 18) {
    uint32_t size = 0;
    for (size_t i = 0; i < 4; ++i) size |= std::to_integer<uint32_t>(data[data.size() - 4 + i]) << (8 * i);
    guess = size;
  }
  // One byte more than the body or the limit, so that inflate sees the end, or that there is more.
  return static_cast<size_t>(std::min(guess, bytes_max) + 1);
}

// One inflate run over one body.
class Inflater {
 public:
  Inflater(ContentCoding coding, std::span<const std::byte> input, const DecompressLimits& limits, size_t align_at)
      : coding_(coding), input_(input), align_at_(align_at) {
    const uint64_t by_ratio = input.size() > limits.bytes_max / std::max<uint32_t>(limits.ratio_max, 1)
                                  ? limits.bytes_max
                                  : input.size() * uint64_t{limits.ratio_max};
    bytes_max_ = std::min(limits.bytes_max, std::max(by_ratio, limits.ratio_free_bytes));
    if (bytes_max_ < limits.bytes_max) ratio_max_ = limits.ratio_max;
  }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  Result<BufferSlice> Run() {
    if (inflateInit2(&stream_, WindowFor(coding_, input_)) != Z_OK) return std::unexpected(NoMemory());
    output_ = Buffer::Allocate(GuessOutputBytes(coding_, input_, bytes_max_), align_at_);
    for (;;) {
      INFERD_RETURN_IF_ERROR(Step());
      if (!ended_) continue;
      if (produced_ > bytes_max_) return std::unexpected(TooLarge());
      if (consumed_ == input_.size()) break;
      constexpr std::byte kGzipMagic{0x1f};
      const bool next_member = coding_ == ContentCoding::kGzip && input_[consumed_] == kGzipMagic;
      if (!next_member) return std::unexpected(Corrupt("other bytes follow the compressed data"));
      inflateReset(&stream_);
      ended_ = false;
    }
    output_.Truncate(produced_);
    return BufferSlice(std::move(output_));
  }

 private:
  Status Corrupt(std::string_view why) const {
    return base::InvalidArgument("the " + std::string(ContentCodingName(coding_)) +
                                 " body cannot be decoded: " + std::string(why));
  }
  Status NoMemory() const { return base::ResourceExhausted("no memory to decode the body"); }

  // Calls inflate once, for as much as fits.
  Status Step() {
    if (produced_ == output_.size()) INFERD_RETURN_IF_ERROR(Grow());
    const size_t in = std::min(input_.size() - consumed_, kStepBytesMax);
    const size_t out = std::min(output_.size() - produced_, kStepBytesMax);
    stream_.next_in = AsBytef(input_.data() + consumed_);
    stream_.avail_in = static_cast<uInt>(in);
    stream_.next_out = AsBytef(output_.data() + produced_);
    stream_.avail_out = static_cast<uInt>(out);
    const int code = inflate(&stream_, Z_NO_FLUSH);
    const size_t used = in - stream_.avail_in;
    const size_t made = out - stream_.avail_out;
    consumed_ += used;
    produced_ += made;
    if (code == Z_STREAM_END) {
      ended_ = true;
      return base::OkStatus();
    }
    if (code == Z_MEM_ERROR) return NoMemory();
    if (code != Z_OK && code != Z_BUF_ERROR) return Corrupt(stream_.msg != nullptr ? stream_.msg : "bad data");
    if (used == 0 && made == 0 && out > 0) return Corrupt("it is cut short");
    return base::OkStatus();
  }

  Status Grow() {
    if (produced_ > bytes_max_) return TooLarge();
    const uint64_t wanted = std::min(std::max<uint64_t>(produced_ * uint64_t{2}, kFirstOutputBytes), bytes_max_ + 1);
    Buffer larger = Buffer::Allocate(static_cast<size_t>(wanted), align_at_);
    if (produced_ > 0) std::memcpy(larger.data(), output_.data(), produced_);
    output_ = std::move(larger);
    return base::OkStatus();
  }

  Status TooLarge() const {
    return base::ResourceExhausted(
        "the " + std::string(ContentCodingName(coding_)) + " body of " + std::to_string(input_.size()) +
        " bytes decodes to more than " + std::to_string(bytes_max_) + " bytes, the most that " +
        (ratio_max_ == 0 ? "a body may have" : "--decompression-ratio-max " + std::to_string(ratio_max_) + " allows"));
  }

  ContentCoding coding_;
  std::span<const std::byte> input_;
  size_t align_at_;
  uint64_t bytes_max_ = 0;
  uint32_t ratio_max_ = 0;  // 0 if another limit is lower
  z_stream stream_{};
  Buffer output_;
  size_t consumed_ = 0;
  size_t produced_ = 0;
  bool ended_ = false;
};

// One deflate run into one buffer, sized beforehand by deflateBound.
class Deflater {
 public:
  Deflater(ContentCoding coding, int level) {
    constexpr int kMemoryLevel = 8;  // zlib's default
    const int window = coding == ContentCoding::kGzip ? kGzipWindow : kZlibWindow;
    ready_ =
        deflateInit2(&stream_, std::clamp(level, 1, 9), Z_DEFLATED, window, kMemoryLevel, Z_DEFAULT_STRATEGY) == Z_OK;
  }
  ~Deflater() { deflateEnd(&stream_); }
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;

  Result<BufferSlice> Run(std::span<const BufferSlice> pieces) {
    if (!ready_) return std::unexpected(base::ResourceExhausted("no memory to compress the response"));
    size_t total = 0;
    for (const BufferSlice& piece : pieces) total += piece.size();
    // The bound holds for one call with the whole input; pieces may end a block early.
    constexpr size_t kSlackPerPiece = 64;
    output_ = Buffer::Allocate(deflateBound(&stream_, total) + kSlackPerPiece * (pieces.size() + 1));
    for (const BufferSlice& piece : pieces) Feed(piece.bytes(), Z_NO_FLUSH);
    if (Feed({}, Z_FINISH) != Z_STREAM_END) return std::unexpected(base::Internal("compressing the response failed"));
    output_.Truncate(produced_);
    return BufferSlice(std::move(output_));
  }

 private:
  int Feed(std::span<const std::byte> piece, int flush) {
    int code = Z_OK;
    do {
      const size_t in = std::min(piece.size(), kStepBytesMax);
      const size_t room = std::min(output_.size() - produced_, kStepBytesMax);
      stream_.next_in = AsBytef(piece.data());
      stream_.avail_in = static_cast<uInt>(in);
      stream_.next_out = AsBytef(output_.data() + produced_);
      stream_.avail_out = static_cast<uInt>(room);
      code = deflate(&stream_, flush);
      piece = piece.subspan(in - stream_.avail_in);
      produced_ += room - stream_.avail_out;
    } while (code == Z_OK && (!piece.empty() || flush == Z_FINISH));
    return code;
  }

  z_stream stream_{};
  bool ready_ = false;
  Buffer output_;
  size_t produced_ = 0;
};

BufferSlice Joined(std::span<const BufferSlice> pieces) {
  if (pieces.size() == 1) return pieces[0];
  std::string text;
  for (const BufferSlice& piece : pieces) text += piece.view();
  return BufferSlice(Buffer::CopyOf(text));
}

}  // namespace

Result<BufferSlice> Decompress(ContentCoding coding, const BufferSlice& body, const DecompressLimits& limits,
                               size_t align_at) {
  if (coding == ContentCoding::kIdentity) return body;
  try {
    return Inflater(coding, body.bytes(), limits, align_at).Run();
  } catch (const std::bad_alloc&) {
    return std::unexpected(base::ResourceExhausted("no memory to decode the body"));
  }
}

Result<BufferSlice> Compress(ContentCoding coding, std::span<const BufferSlice> pieces, int level) {
  try {
    if (coding == ContentCoding::kIdentity) return Joined(pieces);
    return Deflater(coding, level).Run(pieces);
  } catch (const std::bad_alloc&) {
    return std::unexpected(base::ResourceExhausted("no memory to compress the response"));
  }
}

}  // namespace inferd::net
