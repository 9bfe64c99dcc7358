#include "protocols/tfs_grpc/codec/predict_request_reader.h"

#include <boost/container/small_vector.hpp>
#include <set>
#include <string>
#include <utility>

#include "data/wire/reader.h"
#include "protocols/tfs/aliases.h"
#include "protocols/tfs_grpc/codec/tensor_field.h"
#include "protocols/tfs_grpc/codec/tensor_reader.h"
#include "protocols/v2/parameters.h"

namespace inferd::tfs_grpc {

namespace {

using base::InvalidArgument;
using wire::Reader;
using wire::Tag;
using wire::Type;

constexpr uint32_t kInputs = Tag(2, Type::kBytes);
constexpr uint32_t kOutputFilter = Tag(3, Type::kBytes);
constexpr uint32_t kEntryKey = Tag(1, Type::kBytes);
constexpr uint32_t kEntryValue = Tag(2, Type::kBytes);

// The parts of one input's TensorProto; empty if the request has no such input.
using Parts = boost::container::small_vector<Reader, 1>;

class RequestReader {
 public:
  RequestReader(const base::BufferSlice& message, const core::ModelSignature& signature, core::InferRequest& request)
      : message_(message),
        in_(message.view()),
        signature_(signature),
        request_(request),
        found_(signature.inputs.size()) {}

  base::Status Read(uint64_t fill_bytes_left) {
    while (const uint32_t tag = in_.Next()) {
      switch (tag) {
        case kInputs: INFERD_RETURN_IF_ERROR(ReadEntry(in_.Message())); break;
        case kOutputFilter: INFERD_RETURN_IF_ERROR(AddOutput(in_.String())); break;
        default: in_.Skip();
      }
    }
    if (!in_.ok()) return in_.status();
    INFERD_RETURN_IF_ERROR(CheckAliases());
    // TensorFlow Serving checks the inputs first.
    INFERD_RETURN_IF_ERROR(ReadTensors(fill_bytes_left));
    return output_fault_.ok() ? std::move(type_fault_) : std::move(output_fault_);
  }

 private:
  base::Status ReadEntry(Reader in) {
    std::string_view alias;
    Parts value;
    bool has_value = false;
    while (const uint32_t tag = in.Next()) {
      switch (tag) {
        case kEntryKey: alias = in.String(); break;
        case kEntryValue:
          value.push_back(in.Message());
          has_value = true;
          break;
        default: in.Skip();
      }
    }
    if (!in.ok()) return in.status();
    if (!has_value) value.push_back(Reader(std::string_view()));
    const int input = signature_.FindInput(alias);
    if (input >= 0) {
      found_[static_cast<size_t>(input)] = std::move(value);
    } else if (extra_.insert(alias); extra_.size() > v2::kTensorsMax) {
      return InvalidArgument("expected at most " + std::to_string(v2::kTensorsMax) + " inputs, got more");
    }
    return {};
  }

  base::Status AddOutput(std::string_view alias) {
    if (!in_.ok() || !output_fault_.ok()) return {};
    output_fault_ = tfs::CheckOutputAlias(alias, request_.outputs, signature_);
    if (output_fault_.ok()) request_.outputs.push_back({.name = std::string(alias)});
    return {};
  }

  base::Status CheckAliases() const {
    bool complete = extra_.empty();
    for (size_t i = 0; i < found_.size(); ++i) {
      complete = complete && (!found_[i].empty() || signature_.inputs[i].optional);
    }
    if (complete) return {};
    std::set<std::string_view> sent = extra_;
    for (size_t i = 0; i < found_.size(); ++i) {
      if (!found_[i].empty()) sent.insert(signature_.inputs[i].name);
    }
    return tfs::CheckInputAliases(sent, signature_);
  }

  base::Status ReadTensors(uint64_t fill_bytes_left) {
    for (size_t i = 0; i < found_.size(); ++i) {
      if (found_[i].empty()) continue;
      core::InferTensor& input = request_.inputs.emplace_back();
      input.name = signature_.inputs[i].name;
      const base::Status status = ReadTensor(message_, found_[i], fill_bytes_left, input);
      if (!status.ok()) return status.WithContext("tensor parsing error: " + input.name);
      if (input.datatype != signature_.inputs[i].datatype && type_fault_.ok()) {
        type_fault_ = tfs::WrongDatatype(signature_, i, input.datatype);
      }
    }
    return {};
  }

  const base::BufferSlice& message_;
  Reader in_;
  const core::ModelSignature& signature_;
  core::InferRequest& request_;
  boost::container::small_vector<Parts, 4> found_;  // by input of the signature
  std::set<std::string_view> extra_;                // inputs that the signature does not have
  base::Status output_fault_;                       // the first one
  base::Status type_fault_;                         // likewise
};

bool IsBulk(uint32_t tag) {
  return tag == Tag(kTensorContent, Type::kBytes) || tag == Tag(kFloatVal, Type::kBytes) ||
         tag == Tag(kDoubleVal, Type::kBytes) || tag == Tag(kComplexVal, Type::kBytes) ||
         tag == Tag(kDoubleComplexVal, Type::kBytes);
}

// Calls take(tag, reader) at each field of the tensors, until it returns that it is done.
template <typename Take>
void ForEachTensorField(std::string_view message, Take take) {
  Reader in(message);
  while (const uint32_t tag = in.Next()) {
    if (tag != kInputs) {
      in.Skip();
      continue;
    }
    Reader entry = in.Beginning();
    while (const uint32_t part = entry.Next()) {
      if (part != kEntryValue) {
        entry.Skip();
        continue;
      }
      Reader tensor = entry.Beginning();
      while (const uint32_t field = tensor.Next()) {
        if (take(field, tensor)) return;
      }
    }
  }
}

}  // namespace

base::Result<std::unique_ptr<core::InferRequest>> ReadPredictRequest(const base::BufferSlice& message,
                                                                     const core::ModelSignature& signature,
                                                                     uint64_t fill_bytes_max) {
  auto request = std::make_unique<core::InferRequest>();
  RequestReader reader(message, signature, *request);
  INFERD_RETURN_IF_ERROR(reader.Read(fill_bytes_max));
  return request;
}

size_t TensorBytesAt(std::span<const std::byte> beginning) {
  size_t found = 0;
  ForEachTensorField({reinterpret_cast<const char*>(beginning.data()), beginning.size()},
                     [&found](uint32_t field, Reader& tensor) {
                       if (!IsBulk(field)) {
                         tensor.Skip();
                         return false;
                       }
                       const size_t at = tensor.BytesAt();
                       if (tensor.ok()) found = at;
                       return true;
                     });
  return found;
}

size_t BytesToDecode(std::string_view message) {
  constexpr size_t kFieldsMax = 1 << 14;
  size_t bulk = 0;
  size_t others = 0;
  ForEachTensorField(message, [&](uint32_t field, Reader& tensor) {
    if (IsBulk(field)) {
      bulk += tensor.Bytes().size();
      return false;
    }
    tensor.Skip();
    return ++others == kFieldsMax;
  });
  return message.size() - bulk;
}

}  // namespace inferd::tfs_grpc
