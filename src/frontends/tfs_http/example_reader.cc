#include "frontends/tfs_http/example_reader.h"

#include <boost/container/small_vector.hpp>
#include <string>
#include <utility>

#include "frontends/tfs_http/body_members.h"
#include "frontends/tfs_http/feature.h"
#include "json/read.h"
#include "tensorjson/nested_fault.h"

namespace inferd::tfs_http {

namespace {

using base::InvalidArgument;
using Columns = boost::container::small_vector<FeatureColumn, 4>;

// Which of the members a body has.
struct Members {
  bool examples = false;
  SignatureName signature;

  base::Status Check(std::string_view body) const {
    INFERD_RETURN_IF_ERROR(signature.Check(body));
    if (examples) return {};
    // The same words for both verbs.
    return FormatError(body, "When method is classify, key 'examples' is expected and was not found");
  }
};

// Reads features out of a body. Where an error stands in the JSON itself, its words are of no use: Diagnose finds it.
class ExampleReader {
 public:
  ExampleReader(std::string_view body, const core::ModelSignature& signature) : body_(body), signature_(signature) {
    for (const core::TensorSpec& input : signature.inputs) {
      examples_.emplace_back(input);
      context_.emplace_back(input);
    }
  }

  base::Status ReadContext(json::Reader& reader) { return ReadExample(reader, context_); }

  base::Status ReadExampleList(json::Reader& reader) {
    INFERD_ASSIGN_OR_RETURN(const json::ValueType type, reader.Peek());
    if (type != json::ValueType::kArray) return FormatError(body_, "Expecting 'examples' value to be an list/array");
    INFERD_RETURN_IF_ERROR(json::ReadArray(reader, [&] {
      ++count_;
      return ReadExample(reader, examples_);
    }));
    return count_ > 0 ? base::OkStatus() : FormatError(body_, "'examples' value is an empty array");
  }

  base::Status TakeTensors(uint64_t bytes_max, core::InferRequest& request) {
    for (size_t i = 0; i < signature_.inputs.size(); ++i) {
      FeatureColumn& column = context_[i].rows() > 0 ? context_[i] : examples_[i];
      if (context_[i].rows() > 0) {
        if (examples_[i].rows() > 0) {
          return InvalidArgument("Feature: " + signature_.inputs[i].name + " is in the context and in examples");
        }
        INFERD_RETURN_IF_ERROR(column.Repeat(count_, bytes_max));
        bytes_max -= column.bytes();
      }
      if (column.rows() == 0 && signature_.inputs[i].optional) continue;
      if (column.rows() != count_) return column.Add(Feature());  // "required but could not be found"
      INFERD_ASSIGN_OR_RETURN(core::InferTensor tensor, column.Take());
      request.inputs.push_back(std::move(tensor));
    }
    return {};
  }

 private:
  base::Status ReadExample(json::Reader& reader, Columns& columns) {
    const std::string_view rest = reader.Rest();
    if (!rest.starts_with('{')) {
      return InvalidArgument("Example must be JSON object but got JSON " +
                             std::string(tensorjson::JsonTypeName(rest.data(), rest.data() + rest.size())));
    }
    return json::ReadObject(reader, [&](std::string_view key) -> base::Status {
      const int input = signature_.FindInput(key);
      INFERD_RETURN_IF_ERROR(feature_.Read(reader, key));
      return input >= 0 ? columns[static_cast<size_t>(input)].Add(feature_) : base::OkStatus();
    });
  }

  const std::string_view body_;
  const core::ModelSignature& signature_;
  Columns examples_;  // by input
  Columns context_;
  Feature feature_;
  size_t count_ = 0;  // examples
};

// Why a body was refused: what is wrong with its JSON or its members goes before `contents`.
base::Status Diagnose(std::string_view body, size_t depth_max, base::Status contents) {
  Members members;
  INFERD_RETURN_IF_ERROR(WalkMembers(body, depth_max, [&](json::Reader& reader, std::string_view key) {
    if (key == "signature_name") return members.signature.Read(reader);
    members.examples |= key == "examples";
    return SkipMember(reader);
  }));
  INFERD_RETURN_IF_ERROR(members.Check(body));
  return contents;
}

}  // namespace

base::Result<std::unique_ptr<core::InferRequest>> ReadExamples(std::string_view body,
                                                               const core::ModelSignature& signature,
                                                               const ExampleLimits& limits) {
  ExampleReader examples(body, signature);
  Members members;
  base::Status status = WalkMembers(body, limits.depth_max, [&](json::Reader& reader, std::string_view key) {
    if (key == "signature_name") return members.signature.Read(reader);
    if (key == "context") return examples.ReadContext(reader);
    if (key != "examples") return SkipMember(reader);
    members.examples = true;
    return examples.ReadExampleList(reader);
  });
  if (!status.ok()) return std::unexpected(Diagnose(body, limits.depth_max, std::move(status)));
  INFERD_RETURN_IF_ERROR(members.Check(body));
  auto request = std::make_unique<core::InferRequest>();
  INFERD_RETURN_IF_ERROR(examples.TakeTensors(limits.tensor_bytes_max, *request));
  return request;
}

}  // namespace inferd::tfs_http
