#include "protocols/v1/body_members.h"

#include "data/tensorjson/nested_fault.h"

namespace inferd::v1 {

namespace {

constexpr std::string_view kParseError = "JSON Parse error: ";
constexpr std::string_view kNoObject = "Is not object";

}  // namespace

std::string QuoteBody(std::string_view body) { return tensorjson::QuoteValue(body.data(), body.data() + body.size()); }

base::Status FormatError(std::string_view body, std::string_view what) {
  return base::InvalidArgument("JSON Value: " + QuoteBody(body) + " " + std::string(what));
}

base::Status ParseError(const base::Status& status) {
  // The form is "JSON at byte 12: expected a value, got '}'".
  constexpr std::string_view kPrefix = "JSON at byte ";
  std::string_view text = status.message();
  if (!text.starts_with(kPrefix)) return status;
  text.remove_prefix(kPrefix.size());
  const size_t colon = text.find(": ");
  return base::InvalidArgument(std::string(kParseError) + std::string(text.substr(colon + 2)) +
                               " at offset: " + std::string(text.substr(0, colon)));
}

base::Status InKserveWords(base::Status status) {
  constexpr std::string_view kUnrecognized = "Unrecognized request format: ";
  const std::string_view text = status.message();
  if (text.starts_with(kParseError)) {
    return {status.code(), std::string(kUnrecognized).append(text.substr(kParseError.size()))};
  }
  if (text.ends_with(kNoObject)) return {status.code(), std::string(kUnrecognized) + "expected an object"};
  return status;
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
  if (is_text) return {};
  return FormatError(body, "not formatted correctly. 'signature_name' key must be a string value.");
}

bool SignatureName::Names(const core::ModelSignature& signature) const {
  return Shown() == tfs::SignatureName(signature);
}

namespace {

// Empty for the default, or if there is no valid choice.
SignatureName ReadChoice(std::string_view body, const BodyRules& rules) {
  SignatureName chosen;
  // A key may be written with escapes.
  if (body.contains("signature_name") || body.contains("\\u")) {
    static_cast<void>(WalkMembers(body, rules, [&](json::Reader& reader, std::string_view key) -> base::Status {
      if (key != "signature_name") return SkipMember(reader);
      INFERD_RETURN_IF_ERROR(chosen.Read(reader));
      return base::Cancelled("what follows does not matter here");
    }));
  }
  return chosen;
}

}  // namespace

uint32_t ChosenSignature(std::string_view body, const core::PinnedModel& model, const BodyRules& rules) {
  if (model.signatures().size() == 1) return 0;
  return tfs::FindSignature(model, ReadChoice(body, rules).name).value_or(0);
}

base::Status CheckServed(std::string_view body, const core::PinnedModel& model, const BodyRules& rules) {
  if (model.shown_signatures().empty()) return {};
  const SignatureName chosen = ReadChoice(body, rules);
  return chosen.is_text ? tfs::CheckServed(model, chosen.name) : base::Status();
}

base::Status SkipMember(json::Reader& reader) {
  const base::Status skipped = reader.SkipValue();
  return skipped.ok() ? skipped : ParseError(skipped);
}

}  // namespace inferd::v1
