#include "storage/source/file_response.h"

#include <charconv>

namespace inferd::storage {

namespace {

constexpr int kOkStatus = 200;
constexpr int kPartialContent = 206;

std::optional<uint64_t> ReadNumber(std::string_view text) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

base::Status ChangedMeanwhile(const std::string& name) {
  return {base::StatusCode::kAborted, name + " was changed while it was downloaded"};
}

std::string TagOf(const ResponseHead& head) {
  const std::string_view tag = head.Find("etag");
  return std::string(tag.empty() ? head.Find("last-modified") : tag);
}

std::optional<uint64_t> SizeOfFile(const ResponseHead& head) {
  const std::string_view part = head.Find("content-range");
  if (part.empty()) return head.status == kOkStatus ? ReadNumber(head.Find("content-length")) : std::nullopt;
  const size_t slash = part.rfind('/');
  if (!part.starts_with("bytes ") || slash == std::string_view::npos) return std::nullopt;
  return ReadNumber(part.substr(slash + 1));
}

std::string ResponseCodeText(const std::string& name, int status) {
  return "URI: " + name + " returned a " + std::to_string(status) + " response code.";
}

base::Status FetchFile(const FetchClient& client, FetchRequest request, const RemoteFile& file, const ByteRange& range,
                       const std::string& name, const ByteSink& sink, const std::stop_token& stop) {
  if (file.ranges) request.range = range;
  const std::optional<uint64_t> end = range.end.has_value() ? range.end : file.size;
  uint64_t at = range.begin;
  const auto on_head = [&](const ResponseHead& head) -> base::Result<bool> {
    if (head.status != kOkStatus && head.status != kPartialContent) {
      return std::unexpected(StatusOfResponse(head.status, ResponseCodeText(name, head.status)));
    }
    if (const std::string tag = TagOf(head); !file.tag.empty() && !tag.empty() && tag != file.tag) {
      return std::unexpected(ChangedMeanwhile(name));
    }
    if (!request.range.has_value()) return true;
    const std::string begin = "bytes " + std::to_string(range.begin) + "-";
    const std::string_view part = head.Find("content-range");
    if (head.status != kPartialContent || !part.starts_with(begin) || SizeOfFile(head) != file.size) {
      return std::unexpected(ChangedMeanwhile(name));
    }
    return true;
  };
  const auto on_body = [&](std::string_view bytes) -> base::Status {
    if (end.has_value() && bytes.size() > *end - at) return ChangedMeanwhile(name);
    at += bytes.size();
    return sink(bytes);
  };
  INFERD_RETURN_IF_ERROR(client.Fetch(request, {.head = on_head, .body = on_body}, stop));
  if (end.has_value() && at != *end)
    return base::Unavailable(name + " ended " + std::to_string(*end - at) + " bytes early");
  return {};
}

}  // namespace inferd::storage
