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

// Whose words errors have; and what counts as right, where the two differ.
enum class Dialect { kTensorflowServing, kKserve };

// What the JSON of a body may be like.
struct BodyRules {
  Dialect dialect = Dialect::kTensorflowServing;
  size_t depth_max = 64;
  bool trailing_bytes = false;  // what follows it does not matter
  tensorjson::ValueRules values = tensorjson::ValueRules::kStrict;
};

// How bodies are read: NaN, Infinity and Inf are numbers in them.
constexpr json::ReaderOptions BodyReaderOptions(size_t depth_max) {
  return {.depth_max = depth_max, .nonfinite_tokens = true, .short_infinity = true};
}

// The beginning of a text, as error texts quote it.
std::string QuoteBody(std::string_view body);

// "JSON Value: <body> <what>".
base::Status FormatError(std::string_view body, std::string_view what);

// json::Reader's error in TensorFlow Serving's words: "JSON Parse error: ...".
base::Status ParseError(const base::Status& status);

// An error of ParseError's, or of a body that is no object, in KServe's words; another one as it is.
base::Status InKserveWords(base::Status status);

// The member "signature_name".
struct SignatureName {
  std::string name;     // empty: the default
  bool is_text = true;  // false: another value stands there

  base::Status Read(json::Reader& reader);
  // INVALID_ARGUMENT: it is no text.
  base::Status Check(std::string_view body) const;
  // Whether it is `signature`'s.
  bool Names(const core::ModelSignature& signature) const;
  // As error texts have it.
  std::string_view Shown() const { return tfs::MeantSignature(name); }
};

// The signature of `model` that a body chooses, by its place, so that its tensors can be read; 0 where the body has no
// good choice, which is found when it is read.
uint32_t ChosenSignature(std::string_view body, const core::PinnedModel& model, const BodyRules& rules);

// UNIMPLEMENTED: the body chooses a signature of `model` that cannot be served (tfs::CheckServed).
base::Status CheckServed(std::string_view body, const core::PinnedModel& model, const BodyRules& rules);

// Whether `body` is an object: reads it and calls `member(reader, key)` at each member. Errors of the JSON are
// ParseError's.
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

// Passes over the value that `reader` is at.
base::Status SkipMember(json::Reader& reader);

}  // namespace inferd::v1
