#include "protocols/tfs_http/codec/example_reader.h"

#include <string>
#include <utility>

#include "data/json/read.h"
#include "data/tensorjson/nested_fault.h"
#include "protocols/tfs/example_columns.h"
#include "protocols/tfs_http/codec/feature_reader.h"
#include "protocols/v1/body_members.h"

namespace inferd::tfs_http {

namespace {

using base::InvalidArgument;
using v1::BodyRules;
using v1::FormatError;
using v1::SignatureName;
using v1::SkipMember;
using v1::WalkMembers;
using Part = tfs::ExampleColumns::Part;

// The members that a body has.
struct Members {
  bool examples = false;
  SignatureName signature;

  base::Status Check(std::string_view body, const core::ModelSignature& read) const {
    INFERD_RETURN_IF_ERROR(signature.Check(body));
    // The text is the same for both verbs.
    if (!examples) return FormatError(body, "When method is classify, key 'examples' is expected and was not found");
    if (signature.Names(read)) return {};
    return InvalidArgument("No signature was found with the name: " + std::string(signature.Shown()));
  }
};

// Reads features from a body. If the JSON itself is malformed, this error is replaced: Diagnose() finds the real one.
class ExampleReader {
 public:
  ExampleReader(std::string_view body, const core::ModelSignature& signature, const BodyRules& rules)
      : body_(body), values_(rules.values), columns_(signature) {}

  base::Status ReadContext(json::Reader& reader) { return ReadExample(reader, Part::kContext); }

  base::Status ReadExampleList(json::Reader& reader) {
    INFERD_ASSIGN_OR_RETURN(const json::ValueType type, reader.Peek());
    if (type != json::ValueType::kArray) return FormatError(body_, "Expecting 'examples' value to be an list/array");
    INFERD_RETURN_IF_ERROR(json::ReadArray(reader, [&] {
      columns_.CountExample();
      return ReadExample(reader, Part::kExample);
    }));
    return columns_.examples() > 0 ? base::OkStatus() : FormatError(body_, "'examples' value is an empty array");
  }

  base::Status TakeTensors(uint64_t bytes_max, core::InferRequest& request) {
    return columns_.Take(bytes_max, request);
  }

 private:
  base::Status ReadExample(json::Reader& reader, Part part) {
    const std::string_view rest = reader.Rest();
    if (!rest.starts_with('{')) {
      return InvalidArgument("Example must be JSON object but got JSON " +
                             std::string(tensorjson::JsonTypeName(rest.data(), rest.data() + rest.size())));
    }
    return json::ReadObject(reader, [&](std::string_view key) -> base::Status {
      INFERD_RETURN_IF_ERROR(ReadFeature(reader, key, values_, feature_));
      return columns_.Add(part, key, feature_);
    });
  }

  const std::string_view body_;
  const tensorjson::ValueRules values_;
  tfs::ExampleColumns columns_;
  tfs::Feature feature_;
};

// Returns why a body was refused: errors in its JSON or its members precede `contents`.
base::Status Diagnose(std::string_view body, const core::ModelSignature& signature, const BodyRules& rules,
                      base::Status contents) {
  Members members;
  INFERD_RETURN_IF_ERROR(WalkMembers(body, rules, [&](json::Reader& reader, std::string_view key) {
    if (key == "signature_name") return members.signature.Read(reader);
    members.examples |= key == "examples";
    return SkipMember(reader);
  }));
  INFERD_RETURN_IF_ERROR(members.Check(body, signature));
  return contents;
}

}  // namespace

base::Result<std::unique_ptr<core::InferRequest>> ReadExamples(std::string_view body,
                                                               const core::ModelSignature& signature,
                                                               const ExampleLimits& limits) {
  ExampleReader examples(body, signature, limits.body);
  Members members;
  base::Status status = WalkMembers(body, limits.body, [&](json::Reader& reader, std::string_view key) {
    if (key == "signature_name") return members.signature.Read(reader);
    if (key == "context") return examples.ReadContext(reader);
    if (key != "examples") return SkipMember(reader);
    members.examples = true;
    return examples.ReadExampleList(reader);
  });
  if (!status.ok()) return std::unexpected(Diagnose(body, signature, limits.body, std::move(status)));
  INFERD_RETURN_IF_ERROR(members.Check(body, signature));
  auto request = std::make_unique<core::InferRequest>();
  INFERD_RETURN_IF_ERROR(examples.TakeTensors(limits.tensor_bytes_max, *request));
  return request;
}

}  // namespace inferd::tfs_http
