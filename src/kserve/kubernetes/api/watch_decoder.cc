#include "kserve/kubernetes/api/watch_decoder.h"

#include <optional>
#include <utility>

#include "data/manifest/read.h"
#include "kserve/kubernetes/api/object_meta.h"

namespace inferd::kubernetes {

namespace {

using manifest::Value;

std::unexpected<ApiError> Malformed(std::string why) {
  return std::unexpected(
      ErrorWithoutAnswer({base::StatusCode::kDataLoss, "the watch sends what is no event: " + std::move(why)}));
}

std::optional<WatchEvent::Type> TypeOf(std::string_view name) {
  if (name == "ADDED") return WatchEvent::Type::kAdded;
  if (name == "MODIFIED") return WatchEvent::Type::kModified;
  if (name == "DELETED") return WatchEvent::Type::kDeleted;
  if (name == "BOOKMARK") return WatchEvent::Type::kBookmark;
  return std::nullopt;
}

ApiResult<void> Decode(std::string_view line, size_t bytes_max, const WatchDecoder::Sink& sink) {
  if (line.find_first_not_of(" \t\r") == std::string_view::npos) return {};
  auto documents = manifest::ReadJson(line, "event", {.file_bytes_max = bytes_max, .bytes_max = bytes_max});
  if (!documents.has_value()) return Malformed(documents.error().message());
  Value* const object = documents->size() == 1 ? documents->front().Find("object") : nullptr;
  if (object == nullptr || !object->is(manifest::Kind::kMap)) return Malformed("it has no object");
  const std::string& type = TextAt(documents->front(), {"type"});
  if (type == "ERROR") return std::unexpected(ErrorOfStatus(*object));
  const auto known = TypeOf(type);
  if (!known.has_value()) return Malformed("its type is \"" + type.substr(0, 32) + "\"");
  if (ResourceVersionOf(*object).empty()) return Malformed("its object has no resourceVersion");
  return sink({.type = *known, .object = std::move(*object)});
}

}  // namespace

ApiResult<void> WatchDecoder::Feed(std::string_view bytes, const Sink& sink) {
  while (!bytes.empty()) {
    const size_t end = bytes.find('\n');
    const std::string_view part = bytes.substr(0, end);
    if (part.size() > line_bytes_max_ - line_.size()) {
      return std::unexpected(ErrorWithoutAnswer(base::ResourceExhausted("an event of the watch has more than " +
                                                                        std::to_string(line_bytes_max_) + " bytes")));
    }
    if (end == std::string_view::npos) {
      line_ += part;
      return {};
    }
    bytes.remove_prefix(end + 1);
    if (line_.empty()) {
      if (auto decoded = Decode(part, line_bytes_max_, sink); !decoded.has_value()) return decoded;
      continue;
    }
    line_ += part;
    const std::string line = std::exchange(line_, {});
    if (auto decoded = Decode(line, line_bytes_max_, sink); !decoded.has_value()) return decoded;
  }
  return {};
}

}  // namespace inferd::kubernetes
