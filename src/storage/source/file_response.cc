#include "storage/source/file_response.h"

#include "storage/source/content_range.h"

namespace inferd::storage {

namespace {

constexpr int kOkStatus = 200;
constexpr int kPartialContent = 206;

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
  if (const auto range = ParseContentRange(part); range.has_value()) return range->size;
  return ParseUnsatisfiedRange(part);
}

std::string ResponseCodeText(const std::string& name, int status) {
  return "URI: " + name + " returned a " + std::to_string(status) + " response code.";
}

namespace {

// Returns true if the response is the requested part of the listed file.
bool IsPartOf(const ResponseHead& head, const ByteRange& range, const RemoteFile& file) {
  const auto part = ParseContentRange(head.Find("content-range"));
  if (head.status != kPartialContent || !part.has_value()) return false;
  const std::optional<uint64_t> end = range.end.has_value() ? range.end : file.size;
  return part->begin == range.begin && part->size == file.size && (!end.has_value() || part->end == *end);
}

// Returns true if the response to a request without a range is complete. WebHDFS has the range in the URL, and its data
// nodes have been seen to answer a part other than the first with 206, without a Content-Range.
bool IsAllOf(const ResponseHead& head, const ByteRange& range) {
  return head.status == kOkStatus || (range.begin > 0 && head.Find("content-range").empty());
}

}  // namespace

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
    const bool as_asked = request.range.has_value() ? IsPartOf(head, range, file) : IsAllOf(head, range);
    if (!as_asked) return std::unexpected(ChangedMeanwhile(name));
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
