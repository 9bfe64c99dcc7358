#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"
#include "data/json/reader.h"
#include "data/tensorjson/nested_parser.h"
#include "protocols/tfs/model_spec.h"
#include "serving/core/dispatcher.h"

namespace inferd::v1 {

// The protocol whose error texts are used, and whose rules apply if the two differ.
enum class Dialect { kTensorflowServing, kKserve };

// The rules for a body's JSON.
struct BodyRules {
  Dialect dialect = Dialect::kTensorflowServing;
  size_t depth_max = 64;
  bool trailing_bytes = false;  // text after the JSON is ignored
  tensorjson::ValueRules values = tensorjson::ValueRules::kStrict;
};

// The options for reading bodies: NaN, Infinity and Inf are numbers in them.
constexpr json::ReaderOptions BodyReaderOptions(size_t depth_max) {
  return {.depth_max = depth_max, .nonfinite_tokens = true, .short_infinity = true};
}

// Returns the beginning of a text, for quotation in error texts.
std::string QuoteBody(std::string_view body);

// Returns "JSON Value: <body> <what>".
base::Status FormatError(std::string_view body, std::string_view what);

// Returns json::Reader's error in TensorFlow Serving's words: "JSON Parse error: ...".
base::Status ParseError(const base::Status& status);

// Converts an error of ParseError(), or of a body that is not an object, to KServe's words. Returns others unchanged.
base::Status InKserveWords(base::Status status);

// The member "signature_name".
struct SignatureName {
  std::string name;     // empty for the default
  bool is_text = true;  // false if it has another value

  base::Status Read(json::Reader& reader);
  // INVALID_ARGUMENT if it is not a text.
  base::Status Check(std::string_view body) const;
  // Returns true if it names the signature.
  bool Names(const core::ModelSignature& signature) const;
  // Returns the name for error texts.
  std::string_view Shown() const { return tfs::MeantSignature(name); }
};

// Returns the index of the signature of `model` that a body chooses, so that its tensors can be read. 0 if the body has
// no valid choice, which is reported when the body is read.
uint32_t ChosenSignature(std::string_view body, const core::PinnedModel& model, const BodyRules& rules);

// UNIMPLEMENTED if the body chooses a signature of `model` that cannot be served (tfs::CheckServed()).
base::Status CheckServed(std::string_view body, const core::PinnedModel& model, const BodyRules& rules);

// Reads `body`, which must be an object, and calls `member(reader, key)` at each member. Errors are those of
// ParseError() if it is not an object.
template <typename Member>
base::Status WalkMembers(std::string_view body, const BodyRules& rules, Member member) {
  if (body.empty()) return base::InvalidArgument("JSON Parse error: The document is empty");
  json::Reader reader(body, BodyReaderOptions(rules.depth_max));
  const auto type = reader.Peek();
  if (!type.has_value()) return ParseError(type.error());
  if (*type != json::ValueType::kObject) {
    if (base::Status skipped = reader.SkipValue(); !skipped.ok()) return ParseError(skipped);
    return FormatError(body, "Is not object");
  }
  if (base::Status opened = reader.BeginObject(); !opened.ok()) return ParseError(opened);
  for (;;) {
    const auto key = reader.NextKey();
    if (!key.has_value()) return ParseError(key.error());
    if (!key->has_value()) break;
    INFERD_RETURN_IF_ERROR(member(reader, **key));
  }
  if (rules.trailing_bytes) return {};
  if (base::Status end = reader.Finish(); !end.ok()) return ParseError(end);
  return {};
}

// Skips the next value of `reader`.
base::Status SkipMember(json::Reader& reader);

}  // namespace inferd::v1
