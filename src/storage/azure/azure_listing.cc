#include "storage/azure/azure_listing.h"

#include <charconv>
#include <cstring>
#include <pugixml.hpp>
#include <utility>

#include "base/text/base64.h"
#include "base/text/hex.h"
#include "base/text/percent.h"
#include "base/text/printable.h"

namespace inferd::storage {

namespace {

constexpr size_t kExplanationBytesMax = 512;
constexpr size_t kDigestBytes = 16;

// Returns the hexadecimal digits of Content-MD5. Empty if a blob has none, or has something else there.
std::string HexOfMd5(std::string text) {
  std::string md5;
  if (base::DecodeBase64(text, text.data()) != kDigestBytes) return md5;
  for (const unsigned char byte : text.substr(0, kDigestBytes)) base::AppendHex(md5, byte, 2);
  return md5;
}

base::Result<StoredObject> ReadBlob(const pugi::xml_node& blob) {
  const pugi::xml_node name = blob.child("Name");
  const pugi::xml_node properties = blob.child("Properties");
  StoredObject object{.key = name.child_value()};
  if (name.attribute("Encoded").as_bool()) object.key = base::PercentDecoded(object.key);
  const std::string_view size = properties.child_value("Content-Length");
  const auto [end, error] = std::from_chars(size.data(), size.data() + size.size(), object.size);
  if (object.key.empty() || size.empty() || error != std::errc() || end != size.data() + size.size()) {
    return std::unexpected(base::InvalidArgument("the listing has a blob without a name or a size"));
  }
  const std::string etag = properties.child_value("Etag");
  if (!etag.empty()) object.tag = etag.starts_with('"') ? etag : '"' + etag + '"';
  object.md5 = HexOfMd5(properties.child_value("Content-MD5"));
  return object;
}

}  // namespace

base::Result<ObjectPage> ReadAzurePage(std::string_view xml) {
  pugi::xml_document document;
  const pugi::xml_parse_result parsed = document.load_buffer(xml.data(), xml.size());
  const pugi::xml_node results = document.child("EnumerationResults");
  if (!parsed || !results) return std::unexpected(base::InvalidArgument("the answer is no listing of a container"));
  ObjectPage page;
  for (const pugi::xml_node blob : results.child("Blobs").children("Blob")) {
    if (std::strcmp(blob.child("Properties").child_value("ResourceType"), "directory") == 0) continue;
    INFERD_ASSIGN_OR_RETURN(StoredObject object, ReadBlob(blob));
    page.objects.push_back(std::move(object));
  }
  page.next_token = results.child_value("NextMarker");
  return page;
}

std::string ReadAzureError(std::string_view xml) {
  pugi::xml_document document;
  if (!document.load_buffer(xml.data(), xml.size())) return {};
  const pugi::xml_node error = document.child("Error");
  if (!error) return {};
  const std::string_view message = error.child_value("Message");  // the first line only; numbers of the request follow
  return base::Printable(
      std::string(error.child_value("Code")) + ": " + std::string(message.substr(0, message.find('\n'))),
      kExplanationBytesMax);
}

}  // namespace inferd::storage
