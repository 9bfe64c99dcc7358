#include "storage/http/http_source.h"

#include <algorithm>
#include <array>
#include <span>

#include "base/text/percent.h"
#include "storage/source/file_response.h"
#include "storage/source/request_headers.h"
#include "storage/source/uri.h"

namespace inferd::storage {

namespace {

constexpr std::array<std::string_view, 3> kZipTypes = {"application/x-zip-compressed", "application/zip",
                                                       "application/zip-compressed"};
constexpr std::array<std::string_view, 4> kTarTypes = {"application/x-tar", "application/x-gtar", "application/x-gzip",
                                                       "application/gzip"};
constexpr std::string_view kOtherType = "application/octet-stream";
constexpr int kRangeNotSatisfiable = 416;
constexpr int kPartial = 206;

bool StartsWithAny(std::string_view value, std::span<const std::string_view> types) {
  return std::ranges::any_of(types, [&](std::string_view type) { return value.starts_with(type); });
}

std::string TypesText(const std::string& uri, std::span<const std::string_view> types) {
  std::string text = "URI: " + uri + " did not respond with any of following 'Content-Type': ";
  for (size_t i = 0; i < types.size(); ++i) text += (i == 0 ? "" : ", ") + std::string(types[i]);
  return text;
}

}  // namespace

HttpSource::HttpSource(FetchRequest request, std::string shown, std::string file_name, ArchiveKind archive)
    : request_(std::move(request)), shown_(std::move(shown)), file_name_(std::move(file_name)), archive_(archive) {}

base::Result<std::unique_ptr<Source>> HttpSource::Open(const std::string& uri, const Environment& environment) {
  const UriParts parts = SplitUri(uri);
  std::string file_name = base::PercentDecoded(parts.path.substr(parts.path.rfind('/') + 1));
  if (file_name.empty())
    return std::unexpected(base::InvalidArgument("No filename contained in URI: " + ShownUri(uri)));
  const std::string variable = std::string(parts.host) + "-headers";
  FetchRequest request;
  request.url = uri.substr(0, uri.find('#'));
  INFERD_ASSIGN_OR_RETURN(request.headers,
                          ReadRequestHeaders("environment variable " + variable, environment(variable)));
  ArchiveKind archive = ArchiveKindOf(parts.path);
  if (archive == ArchiveKind::kNone) archive = ArchiveKindOf(parts.query);
  return std::unique_ptr<Source>(new HttpSource(std::move(request), ShownUri(uri), std::move(file_name), archive));
}

base::Status HttpSource::CheckContentType(const ResponseHead& head) const {
  const std::string_view type = head.Find("content-type");
  switch (archive_) {
    case ArchiveKind::kZip:
      if (!StartsWithAny(type, kZipTypes)) return base::FailedPrecondition(TypesText(shown_, kZipTypes));
      return {};
    case ArchiveKind::kTar:
      if (!StartsWithAny(type, kTarTypes)) return base::FailedPrecondition(TypesText(shown_, kTarTypes));
      return {};
    case ArchiveKind::kNone: break;
  }
  if (type.starts_with(kOtherType)) return {};
  return base::FailedPrecondition("URI: " + shown_ + " did not respond with 'Content-Type': '" +
                                  std::string(kOtherType) + "'");
}

// A request for the first byte is enough: a server without ranges answers with the whole file, of which only the head
// is read. HEAD would not work, since a signed URL may allow GET only.
base::Result<std::vector<RemoteFile>> HttpSource::List(const std::stop_token& stop) {
  RemoteFile file{.path = file_name_, .key = request_.url, .archive = archive_};
  const auto on_head = [&](const ResponseHead& head) -> base::Result<bool> {
    file.tag = TagOf(head);
    file.size = SizeOfFile(head);
    if (head.status == kRangeNotSatisfiable && file.size == 0) return false;  // an empty file has no first byte
    if (head.status != kPartial && head.status != 200) {
      return std::unexpected(StatusOfResponse(head.status, ResponseCodeText(shown_, head.status)));
    }
    INFERD_RETURN_IF_ERROR(CheckContentType(head));
    file.ranges = head.status == kPartial && file.size.has_value();
    return false;
  };
  FetchRequest first_byte = request_;
  first_byte.range = ByteRange{.begin = 0, .end = 1};
  const auto no_body = [](std::string_view) { return base::OkStatus(); };
  INFERD_RETURN_IF_ERROR(client_.Fetch(first_byte, {.head = on_head, .body = no_body}, stop));
  return std::vector<RemoteFile>{std::move(file)};
}

base::Status HttpSource::Read(const RemoteFile& file, const ByteRange& range, const ByteSink& sink,
                              const std::stop_token& stop) {
  return FetchFile(client_, request_, file, range, shown_, sink, stop);
}

}  // namespace inferd::storage
