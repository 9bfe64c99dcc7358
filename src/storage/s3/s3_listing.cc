#include "storage/s3/s3_listing.h"

#include <algorithm>
#include <cstring>
#include <pugixml.hpp>
#include <utility>

#include "base/text/digits.h"
#include "base/text/percent.h"
#include "base/text/printable.h"

namespace inferd::storage {

namespace {

constexpr size_t kShownBytesMax = 512;
constexpr int kDigitsMax = 19;  // digits of a 64-bit size

// Keys in pages are form-encoded: '+' is a space.
std::string FormDecoded(std::string text) {
  std::ranges::replace(text, '+', ' ');
  return base::PercentDecoded(text);
}

base::Result<uint64_t> ReadSize(const char* text) {
  if (!base::IsDigits(text) || std::strlen(text) > kDigitsMax) {
    return std::unexpected(base::InvalidArgument("the listing has an object without a size"));
  }
  return std::strtoull(text, nullptr, 10);
}

}  // namespace

base::Result<ObjectPage> ReadS3Page(std::string_view xml) {
  pugi::xml_document document;
  const pugi::xml_parse_result parsed = document.load_buffer(xml.data(), xml.size());
  const pugi::xml_node list = document.child("ListBucketResult");
  if (!parsed || !list) return std::unexpected(base::InvalidArgument("the answer is no listing of a bucket"));
  ObjectPage page;
  for (const pugi::xml_node entry : list.children("Contents")) {
    StoredObject object;
    object.key = FormDecoded(entry.child_value("Key"));
    object.tag = entry.child_value("ETag");
    INFERD_ASSIGN_OR_RETURN(object.size, ReadSize(entry.child_value("Size")));
    if (object.key.empty()) return std::unexpected(base::InvalidArgument("the listing has an object without a key"));
    page.objects.push_back(std::move(object));
  }
  if (std::strcmp(list.child_value("IsTruncated"), "true") == 0) {
    page.next_token = list.child_value("NextContinuationToken");
    if (page.next_token.empty())
      return std::unexpected(base::InvalidArgument("the listing is cut, and has no next page"));
  }
  return page;
}

std::string ReadS3Error(std::string_view xml) {
  pugi::xml_document document;
  if (!document.load_buffer(xml.data(), xml.size())) return {};
  pugi::xml_node error = document.child("Error");
  if (!error) error = document.child("ErrorResponse").child("Error");
  if (!error) return {};
  return base::Printable(std::string(error.child_value("Code")) + ": " + error.child_value("Message"), kShownBytesMax);
}

}  // namespace inferd::storage
