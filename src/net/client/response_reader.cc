#include "net/client/response_reader.h"

#include <algorithm>
#include <charconv>

#include "base/text/ascii_case.h"

namespace inferd::net {

namespace {

constexpr std::string_view kHeadEnd = "\r\n\r\n";

template <typename T>
bool ParseNumber(std::string_view text, T& value, int base = 10) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  return error == std::errc() && end != text.data();
}

}  // namespace

void ResponseReader::Reset() {
  part_ = Part::kHead;
  line_.clear();
  body_left_ = 0;
  chunked_ = false;
  keep_alive_ = true;
  status_ = 0;
  error_body_.clear();
}

ResponseReader::State ResponseReader::Read(std::string_view& data) {
  while (!data.empty()) {
    switch (part_) {
      case Part::kHead: {
        // The usual case: the whole head is in `data`, and nothing is copied.
        const size_t end = line_.empty() ? data.find(kHeadEnd) : std::string_view::npos;
        if (end != std::string_view::npos) {
          if (!ParseHead(data.substr(0, end + 2))) return State::kBroken;
          data.remove_prefix(end + kHeadEnd.size());
        } else {
          const size_t had = line_.size();
          line_ += data;
          const size_t joined = line_.find(kHeadEnd, had < 3 ? 0 : had - 3);
          if (joined == std::string::npos) {
            data = {};
            return line_.size() > kHeadBytesMax ? State::kBroken : State::kMore;
          }
          data.remove_prefix(joined + kHeadEnd.size() - had);
          if (!ParseHead(std::string_view(line_).substr(0, joined + 2))) return State::kBroken;
          line_.clear();
        }
        if (status_ / 100 == 1) break;  // 100 Continue: another head follows
        part_ = chunked_ ? Part::kChunkSize : Part::kBody;
        if (!chunked_ && body_left_ == 0) return State::kDone;
        break;
      }
      case Part::kBody:
      case Part::kChunkData: {
        const size_t taken = static_cast<size_t>(std::min<uint64_t>(body_left_, data.size()));
        Keep(data.substr(0, taken));
        data.remove_prefix(taken);
        body_left_ -= taken;
        if (body_left_ > 0) return State::kMore;
        if (part_ == Part::kBody) return State::kDone;
        part_ = Part::kChunkEnd;
        break;
      }
      case Part::kChunkSize:
        if (!TakeLine(data)) break;
        if (!ParseNumber(line_, body_left_, 16)) return State::kBroken;
        part_ = body_left_ == 0 ? Part::kTrailer : Part::kChunkData;
        line_.clear();
        break;
      case Part::kChunkEnd:
        if (!TakeLine(data)) break;
        if (!line_.empty()) return State::kBroken;
        part_ = Part::kChunkSize;
        break;
      case Part::kTrailer: {
        if (!TakeLine(data)) break;
        const bool last = line_.empty();
        line_.clear();
        if (last) return State::kDone;
        break;
      }
    }
    if (line_.size() > kHeadBytesMax) return State::kBroken;
  }
  return State::kMore;
}

bool ResponseReader::ParseHead(std::string_view head) {
  // "HTTP/1.1 200 OK"
  if (!head.starts_with("HTTP/1.") || head.size() < 12 || !ParseNumber(head.substr(9, 3), status_)) return false;
  body_left_ = 0;
  chunked_ = false;
  keep_alive_ = head[7] != '0';
  size_t at = head.find("\r\n") + 2;
  while (at < head.size()) {
    const size_t end = head.find("\r\n", at);
    const std::string_view line = head.substr(at, end - at);
    at = end + 2;
    const size_t colon = line.find(':');
    if (colon == std::string_view::npos) return false;
    const std::string_view name = line.substr(0, colon);
    std::string_view value = line.substr(colon + 1);
    while (value.starts_with(' ')) value.remove_prefix(1);
    if (base::EqualWithoutCase(name, "content-length")) {
      if (!ParseNumber(value, body_left_)) return false;
    } else if (base::EqualWithoutCase(name, "transfer-encoding")) {
      chunked_ = base::EqualWithoutCase(value, "chunked");
    } else if (base::EqualWithoutCase(name, "connection")) {
      keep_alive_ = !base::EqualWithoutCase(value, "close");
    }
  }
  return true;
}

bool ResponseReader::TakeLine(std::string_view& data) {
  const size_t end = data.find('\n');
  line_ += data.substr(0, end);
  if (end == std::string_view::npos) {
    data = {};
    return false;
  }
  data.remove_prefix(end + 1);
  if (line_.ends_with('\r')) line_.pop_back();
  return true;
}

void ResponseReader::Keep(std::string_view body) {
  if (status_ / 100 == 2 || error_body_.size() >= kKeptBytesMax) return;
  error_body_ += body.substr(0, kKeptBytesMax - error_body_.size());
}

}  // namespace inferd::net
