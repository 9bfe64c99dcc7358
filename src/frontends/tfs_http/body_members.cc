#include "frontends/tfs_http/body_members.h"

#include "tensorjson/nested_fault.h"
#include "tfs/model_spec.h"

namespace inferd::tfs_http {

std::string QuoteBody(std::string_view body) { return tensorjson::QuoteValue(body.data(), body.data() + body.size()); }

base::Status FormatError(std::string_view body, std::string_view what) {
  return base::InvalidArgument("JSON Value: " + QuoteBody(body) + " " + std::string(what));
}

base::Status ParseError(const base::Status& status) {
  // "JSON at byte 12: expected a value, got '}'"
  constexpr std::string_view kPrefix = "JSON at byte ";
  std::string_view text = status.message();
  if (!text.starts_with(kPrefix)) return status;
  text.remove_prefix(kPrefix.size());
  const size_t colon = text.find(": ");
  return base::InvalidArgument("JSON Parse error: " + std::string(text.substr(colon + 2)) +
                               " at offset: " + std::string(text.substr(0, colon)));
}

base::Status SignatureName::Read(json::Reader& reader) {
  const auto type = reader.Peek();
  is_text = type.has_value() && *type == json::ValueType::kString;
  if (!is_text) return SkipMember(reader);
  const auto text = reader.ReadString();
  if (!text.has_value()) return ParseError(text.error());
  name = *text;
  return {};
}

base::Status SignatureName::Check(std::string_view body) const {
  if (!is_text) return FormatError(body, "not formatted correctly. 'signature_name' key must be a string value.");
  if (name.empty() || name == tfs::kServingDefault) return {};
  return base::InvalidArgument("Serving signature name: \"" + name + "\" not found in signature def");
}

base::Status SkipMember(json::Reader& reader) {
  const base::Status skipped = reader.SkipValue();
  return skipped.ok() ? skipped : ParseError(skipped);
}

}  // namespace inferd::tfs_http
