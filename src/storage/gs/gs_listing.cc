#include "storage/gs/gs_listing.h"

#include <charconv>
#include <utility>

#include "base/text/base64.h"
#include "base/text/hex.h"
#include "base/text/printable.h"
#include "data/json/read.h"

namespace inferd::storage {

namespace {

constexpr size_t kErrorBytesMax = 512;
constexpr size_t kMd5Bytes = 16;

// Google's JSON has 64-bit numbers as texts.
base::Status ReadSizeText(json::Reader& reader, uint64_t& size) {
  std::string text;
  INFERD_RETURN_IF_ERROR(json::ReadText(reader, text));
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
  if (error == std::errc() && end == text.data() + text.size()) return {};
  return reader.Error("an object's size is no number");
}

// A composed object has no MD5.
base::Status ReadMd5(json::Reader& reader, std::string& md5) {
  std::string text;
  INFERD_RETURN_IF_ERROR(json::ReadText(reader, text));
  const auto bytes = base::DecodeBase64(text, text.data());
  if (bytes != kMd5Bytes) return reader.Error("an object's MD5 is none");
  for (const unsigned char byte : text.substr(0, kMd5Bytes)) base::AppendHex(md5, byte, 2);
  return {};
}

base::Status ReadObjectOfPage(json::Reader& reader, ObjectPage& page) {
  StoredObject object;
  bool has_size = false;
  INFERD_RETURN_IF_ERROR(json::ReadObject(reader, [&](std::string_view key) -> base::Status {
    if (key == "name") return json::ReadText(reader, object.key);
    if (key == "generation") return json::ReadText(reader, object.tag);
    if (key == "md5Hash") return ReadMd5(reader, object.md5);
    if (key != "size") return reader.SkipValue();
    has_size = true;
    return ReadSizeText(reader, object.size);
  }));
  if (object.key.empty() || !has_size) return reader.Error("an object without a name or a size");
  page.objects.push_back(std::move(object));
  return {};
}

}  // namespace

base::Result<ObjectPage> ReadGsPage(std::string_view text) {
  ObjectPage page;
  json::Reader reader(text);
  INFERD_RETURN_IF_ERROR(json::ReadObject(reader, [&](std::string_view key) -> base::Status {
    if (key == "nextPageToken") return json::ReadText(reader, page.next_token);
    if (key != "items") return reader.SkipValue();
    return json::ReadArray(reader, [&] { return ReadObjectOfPage(reader, page); });
  }));
  INFERD_RETURN_IF_ERROR(reader.Finish());
  return page;
}

std::string ReadGsError(std::string_view text) {
  std::string message;
  json::Reader reader(text);
  const base::Status read = json::ReadObject(reader, [&](std::string_view key) -> base::Status {
    if (key == "error_description") return json::ReadText(reader, message);  // OAuth 2.0
    if (key != "error") return reader.SkipValue();
    INFERD_ASSIGN_OR_RETURN(const json::ValueType type, reader.Peek());
    if (type != json::ValueType::kObject) return reader.SkipValue();
    return json::ReadObject(reader, [&](std::string_view inner) -> base::Status {
      return inner == "message" ? json::ReadText(reader, message) : reader.SkipValue();
    });
  });
  return read.ok() ? base::Printable(message, kErrorBytesMax) : "";
}

}  // namespace inferd::storage
