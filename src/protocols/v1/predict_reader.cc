#include "protocols/v1/predict_reader.h"

#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "data/json/read.h"
#include "data/tensorjson/nested_fault.h"
#include "data/tensorjson/nested_parser.h"
#include "protocols/tfs/aliases.h"
#include "protocols/v1/body_members.h"

namespace inferd::v1 {

namespace {

using base::InvalidArgument;

// Returns the expected number of elements of an input: one row's, as far as the shape says. The whole body bounds the
// reserved memory, so only a single input gets a large hint.
size_t ElementsHint(const core::ModelSignature& signature, const tensor::Shape& shape) {
  constexpr size_t kOfManyMax = 1024;
  size_t elements = 1;
  for (const int64_t dim : shape.dims()) {
    if (dim > 0 && __builtin_mul_overflow(elements, static_cast<size_t>(dim), &elements)) return kOfManyMax;
  }
  return signature.inputs.size() == 1 ? elements : std::min(elements, kOfManyMax);
}

// As in TensorFlow Serving: an unconvertible value in a row is the client's error.
base::StatusCode CodeInRow(const base::Status& fault) {
  return fault.code() == base::StatusCode::kUnimplemented ? base::StatusCode::kInvalidArgument : fault.code();
}

// The members that a body has.
struct Members {
  Dialect dialect = Dialect::kTensorflowServing;
  bool instances = false;
  bool inputs = false;
  SignatureName signature = {};

  base::Status Check(std::string_view body, const core::ModelSignature& read) const {
    INFERD_RETURN_IF_ERROR(signature.Check(body));
    if (!signature.Names(read)) {
      return InvalidArgument("Serving signature name: \"" + std::string(signature.Shown()) +
                             "\" not found in signature def");
    }
    if (dialect == Dialect::kKserve) return CheckKeys();
    if (instances && inputs) {
      return FormatError(body, "Not formatted correctly expecting only one of 'inputs' or 'instances' keys to exist ");
    }
    if (instances || inputs) return {};
    return InvalidArgument("Missing 'inputs' or 'instances' key");
  }

 private:
  // KServe's servers accept either, and let the model check what it needs.
  base::Status CheckKeys() const {
    if (instances && inputs) return InvalidArgument(R"(Expected either "instances" or "inputs", not both)");
    if (instances || inputs) return {};
    return InvalidArgument(R"(Expected "instances" or "inputs" in the request)");
  }
};

// Reads tensors from a body. If the JSON itself is malformed, this error is replaced: Diagnose() finds the real one.
class TensorReader {
 public:
  TensorReader(std::string_view body, const core::ModelSignature& signature, const BodyRules& rules)
      : body_(body), signature_(signature), dialect_(rules.dialect), values_(rules.values) {
    parsers_.reserve(signature.inputs.size());
    for (const core::TensorSpec& input : signature.inputs) {
      parsers_.emplace_back(input.datatype, ElementsHint(signature, input.shape), values_);
    }
  }

  base::Status ReadInstances(json::Reader& reader) {
    row_ = true;
    INFERD_ASSIGN_OR_RETURN(const json::ValueType type, reader.Peek());
    if (type != json::ValueType::kArray) {
      if (dialect_ == Dialect::kKserve) return InvalidArgument(R"(Expected "instances" to be a list)");
      return FormatError(body_, "Expecting 'instances' to be an list/array");
    }
    if (ReadWhole(reader)) return {};
    INFERD_RETURN_IF_ERROR(reader.BeginArray());
    for (;; ++rows_) {
      INFERD_ASSIGN_OR_RETURN(const bool more, reader.NextElement());
      if (!more) break;
      INFERD_RETURN_IF_ERROR(ReadInstance(reader));
    }
    if (rows_ > 0) return rows_named_ ? base::OkStatus() : CheckLoneInput();
    return FormatError(body_, "No values in 'instances' array");
  }

  base::Status ReadInputs(json::Reader& reader) {
    if (IsNamed(reader)) return ReadNamedInputs(reader);
    // KServe's servers accept the list under this name too.
    if (dialect_ == Dialect::kKserve && reader.Rest().starts_with('[')) {
      return ReadInstances(reader);
    }
    if (parsers_.size() > 1) {
      return InvalidArgument(
          "inputs is a plain value/list, but expecting an object as multiple input tensors required as per "
          "tensorinfo_map");
    }
    return AddTo(0, reader);
  }

  // Returns true if the values that were read are rows.
  bool row() const { return row_; }

  base::Status TakeTensors(core::InferRequest& request) {
    for (size_t i = 0; i < parsers_.size(); ++i) {
      tensorjson::NestedParser& parser = whole_ ? *whole_ : parsers_[i];
      if (parser.count() == 0) continue;
      core::InferTensor& tensor = request.inputs.emplace_back();
      tensor.name = signature_.inputs[i].name;
      tensor.datatype = signature_.inputs[i].datatype;
      tensor.shape = parser.shape();
      if (row_ && !whole_) {
        if (tensor.shape.rank() == tensor::kRankMax) return tensorjson::TooDeep();
        tensor.shape.Prepend(static_cast<int64_t>(rows_));
      }
      tensor.data = base::BufferSlice(parser.Take());
    }
    return {};
  }

 private:
  // Reads the instances of a single input, if they are plain values, as one value: a list of rows. Returns false if
  // they are not, or if they have an error, which must be reported with its element.
  bool ReadWhole(json::Reader& reader) {
    if (parsers_.size() != 1) return false;
    const core::TensorSpec& input = signature_.inputs[0];
    whole_.emplace(input.datatype, ElementsHint(signature_, input.shape), values_);
    const auto bytes = whole_->Add(reader.Rest());
    if (!bytes.has_value() || whole_->shape()[0] == 0) {
      whole_.reset();
      return false;
    }
    reader.Advance(*bytes);
    return true;
  }

  // Returns true if an object of named values follows; {"b64": ".."} is none.
  static bool IsNamed(json::Reader& reader) {
    const std::string_view rest = reader.Rest();
    return rest.starts_with('{') && !tensorjson::StartsWithBase64(rest);
  }

  base::Status AddTo(size_t input, json::Reader& reader) {
    INFERD_ASSIGN_OR_RETURN(const size_t bytes, parsers_[input].Add(reader.Rest()));
    reader.Advance(bytes);
    return {};
  }

  std::string Element() const { return "Failed to process element: " + std::to_string(rows_); }

  base::Status ReadInstance(json::Reader& reader) {
    const bool named = IsNamed(reader);
    if (rows_ == 0) {
      if (parsers_.size() > 1 && !reader.Rest().starts_with('{')) {
        return InvalidArgument(
            "instances is a plain list, but expecting list of objects as multiple input tensors required as per "
            "tensorinfo_map");
      }
      rows_named_ = named;
    }
    if (rows_named_) {
      if (named) return ReadNamedInstance(reader);
      return InvalidArgument("Expecting object but got list at item " + std::to_string(rows_) + " of input list");
    }
    if (named) {
      return InvalidArgument("Expecting value/list but got object at item " + std::to_string(rows_) + " of input list");
    }
    const base::Status added = AddTo(0, reader);
    if (added.ok()) return {};
    return {CodeInRow(added), Element() + " of 'instances' list. Error: " + added.ToString()};
  }

  // As in TensorFlow Serving, values that are objects ({"b64": ".."}) belong to the first of several inputs.
  base::Status CheckLoneInput() const { return tfs::CheckInputAliases({signature_.inputs.front().name}, signature_); }

  base::Status ReadNamedInstance(json::Reader& reader) {
    const std::string_view object = reader.Rest();
    INFERD_RETURN_IF_ERROR(json::ReadObject(reader, [&](std::string_view key) -> base::Status {
      const int input = signature_.FindInput(key);
      const base::Status added = input >= 0
                                     ? AddTo(static_cast<size_t>(input), reader)
                                     : InvalidArgument("JSON object: does not have named input: " + std::string(key));
      if (added.ok()) return {};
      return {CodeInRow(added),
              Element() + " key: " + std::string(key) + " of 'instances' list. Error: " + added.ToString()};
    }));
    for (size_t i = 0; i < parsers_.size(); ++i) {
      if (parsers_[i].count() == rows_ + 1 || (signature_.inputs[i].optional && parsers_[i].count() == 0)) continue;
      return InvalidArgument(Element() + " of 'instances' list. JSON object: " +
                             tensorjson::QuoteValue(object.data(), object.data() + object.size()) +
                             " keys must be equal to: " + InputNames());
    }
    return {};
  }

  base::Status ReadNamedInputs(json::Reader& reader) {
    INFERD_RETURN_IF_ERROR(json::ReadObject(reader, [&](std::string_view key) -> base::Status {
      const int input = signature_.FindInput(key);
      if (input >= 0) return AddTo(static_cast<size_t>(input), reader);
      if (dialect_ == Dialect::kKserve) return InvalidArgument("the model has no input '" + std::string(key) + "'");
      return reader.SkipValue();
    }));
    for (size_t i = 0; i < parsers_.size(); ++i) {
      if (parsers_[i].count() > 0 || signature_.inputs[i].optional) continue;
      return InvalidArgument("Missing named input: " + signature_.inputs[i].name + " in 'inputs' object.");
    }
    return {};
  }

  std::string InputNames() const {
    std::vector<std::string_view> names;
    for (const core::TensorSpec& input : signature_.inputs) names.push_back(input.name);
    std::ranges::sort(names);
    std::string text;
    for (const std::string_view name : names) text.append(text.empty() ? "" : ",").append(name);
    return text;
  }

  const std::string_view body_;
  const core::ModelSignature& signature_;
  const Dialect dialect_;
  const tensorjson::ValueRules values_;
  boost::container::small_vector<tensorjson::NestedParser, 2> parsers_;  // by input
  std::optional<tensorjson::NestedParser> whole_;                        // all rows of the single input at once
  size_t rows_ = 0;                                                      // rows that were read
  bool rows_named_ = false;
  bool row_ = false;
};

// Returns why a body was refused: errors in its JSON or its members precede `contents`.
base::Status Diagnose(std::string_view body, const core::ModelSignature& signature, const BodyRules& rules,
                      base::Status contents) {
  if (contents.code() == base::StatusCode::kResourceExhausted) return contents;
  Members members{.dialect = rules.dialect};
  INFERD_RETURN_IF_ERROR(WalkMembers(body, rules, [&](json::Reader& reader, std::string_view key) {
    if (key == "signature_name") return members.signature.Read(reader);
    members.instances |= key == "instances";
    members.inputs |= key == "inputs";
    return SkipMember(reader);
  }));
  INFERD_RETURN_IF_ERROR(members.Check(body, signature));
  return contents;
}

// Reads the body for a model without inputs.
base::Result<DecodedPredict> ReadNothing(std::string_view body, const BodyRules& rules) {
  if (rules.dialect == Dialect::kTensorflowServing) {
    INFERD_RETURN_IF_ERROR(CheckBody(body, rules));
    return std::unexpected(InvalidArgument("Failed to get input map for signature: DEFAULT"));
  }
  if (!body.empty()) INFERD_RETURN_IF_ERROR(CheckBody(body, rules));
  return DecodedPredict{.request = std::make_unique<core::InferRequest>(), .row = true};
}

base::Result<DecodedPredict> Read(std::string_view body, const core::ModelSignature& signature,
                                  const BodyRules& rules) {
  if (signature.inputs.empty()) return ReadNothing(body, rules);
  TensorReader tensors(body, signature, rules);
  Members members{.dialect = rules.dialect};
  base::Status status = WalkMembers(body, rules, [&](json::Reader& reader, std::string_view key) {
    if (key == "signature_name") return members.signature.Read(reader);
    const bool instances = key == "instances";
    if (!instances && key != "inputs") return SkipMember(reader);
    (instances ? members.instances : members.inputs) = true;
    if (members.instances && members.inputs) return SkipMember(reader);
    return instances ? tensors.ReadInstances(reader) : tensors.ReadInputs(reader);
  });
  if (!status.ok()) return std::unexpected(Diagnose(body, signature, rules, std::move(status)));
  INFERD_RETURN_IF_ERROR(members.Check(body, signature));
  DecodedPredict decoded{.request = std::make_unique<core::InferRequest>(), .row = tensors.row()};
  INFERD_RETURN_IF_ERROR(tensors.TakeTensors(*decoded.request));
  return decoded;
}

}  // namespace

base::Result<DecodedPredict> ReadPredict(std::string_view body, const core::ModelSignature& signature,
                                         const BodyRules& rules) {
  auto decoded = Read(body, signature, rules);
  if (decoded.has_value() || rules.dialect == Dialect::kTensorflowServing) return decoded;
  return std::unexpected(InKserveWords(std::move(decoded).error()));
}

base::Status CheckBody(std::string_view body, const BodyRules& rules) {
  return WalkMembers(body, rules, [](json::Reader& reader, std::string_view) { return SkipMember(reader); });
}

}  // namespace inferd::v1
