#include "serving/cache/reply_bounds.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <utility>

namespace inferd::cache {

namespace {

constexpr std::string_view kKinds = "+-:$";  // status, error, number, value
constexpr std::string_view kLineEnd = "\r\n";

base::Status Unusable(const std::string& what) { return base::Unavailable("it answers with " + what); }

}  // namespace

base::Status ReplyBounds::Take(std::string_view bytes) {
  while (!bytes.empty()) {
    if (value_left_ > 0) {
      const size_t taken = std::min(value_left_, bytes.size());
      bytes.remove_prefix(taken);
      value_left_ -= taken;
      continue;
    }
    const size_t end = bytes.find('\n');
    const bool whole = end != std::string_view::npos;
    const std::string_view piece = whole ? bytes.substr(0, end + 1) : bytes;
    if (line_.empty() && !kKinds.contains(piece.front())) return Unusable("what was not asked for");
    if (piece.size() > kLineBytesMax - line_.size()) return Unusable("too long a line");
    line_.append(piece);
    bytes.remove_prefix(piece.size());
    if (whole) INFERD_RETURN_IF_ERROR(TakeLine());
  }
  return {};
}

base::Status ReplyBounds::TakeLine() {
  // This class and hiredis must agree where a line ends.
  if (!line_.ends_with(kLineEnd)) return Unusable("a line without its end");
  const std::string line = std::exchange(line_, {});
  if (line.front() != '$') return {};
  const char* const end = line.data() + line.size() - kLineEnd.size();
  int64_t size = 0;
  const auto [stop, error] = std::from_chars(line.data() + 1, end, size);
  if (error != std::errc() || stop != end || size < -1) return Unusable("a value of no size");
  if (size == -1) return {};  // no value
  if (static_cast<uint64_t>(size) > value_bytes_max_) return Unusable("a value of " + std::to_string(size) + " bytes");
  value_left_ = static_cast<size_t>(size) + kLineEnd.size();
  return {};
}

}  // namespace inferd::cache
