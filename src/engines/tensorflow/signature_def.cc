#include "engines/tensorflow/signature_def.h"

#include <algorithm>
#include <utility>

#include "data/wire/reader.h"

namespace inferd::tensorflow {

namespace {

constexpr std::string_view kServingDefault = "serving_default";

using wire::Tag;
using wire::Type;

// Tags of tensorflow/core/protobuf/meta_graph.proto and tensorflow/core/framework/tensor_shape.proto.
constexpr uint32_t kMetaGraphSignature = Tag(5, Type::kBytes);
constexpr uint32_t kEntryKey = Tag(1, Type::kBytes);
constexpr uint32_t kEntryValue = Tag(2, Type::kBytes);
constexpr uint32_t kSignatureInput = Tag(1, Type::kBytes);
constexpr uint32_t kSignatureOutput = Tag(2, Type::kBytes);
constexpr uint32_t kSignatureMethod = Tag(3, Type::kBytes);
constexpr uint32_t kSignatureDefault = Tag(4, Type::kBytes);
constexpr uint32_t kInfoName = Tag(1, Type::kBytes);
constexpr uint32_t kInfoType = Tag(2, Type::kVarint);
constexpr uint32_t kInfoShape = Tag(3, Type::kBytes);
constexpr uint32_t kShapeDim = Tag(2, Type::kBytes);
constexpr uint32_t kShapeUnknownRank = Tag(3, Type::kVarint);
constexpr uint32_t kDimSize = Tag(1, Type::kVarint);

// Malformed fields are noted, and reported at the end.
class Parser {
 public:
  explicit Parser(SignatureUse use) : use_(use) {}

  std::vector<SignatureDef> MetaGraph(std::string_view bytes) {
    std::vector<SignatureDef> signatures;
    Each(wire::Reader(bytes), [&](uint32_t tag, wire::Reader& in) {
      if (tag != kMetaGraphSignature) return in.Skip();
      auto [name, value] = Entry(in.Message());
      const SignatureUse found = name.starts_with("__") ? SignatureUse::kTensorFlow : SignatureUse::kClients;
      if (found == use_) signatures.push_back(Signature(std::move(name), value));
    });
    std::ranges::sort(signatures, {}, &SignatureDef::name);
    return signatures;
  }

  const base::Status& status() const { return status_; }

 private:
  template <typename Visit>
  void Each(wire::Reader in, Visit visit) {
    while (const uint32_t tag = in.Next()) visit(tag, in);
    if (status_.ok()) status_ = in.status();
  }

  // Reads an entry of a map.
  std::pair<std::string, wire::Reader> Entry(wire::Reader entry) {
    std::string key;
    wire::Reader value("");
    Each(entry, [&](uint32_t tag, wire::Reader& in) {
      if (tag == kEntryKey) {
        key = in.Bytes();
      } else if (tag == kEntryValue) {
        value = in.Message();
      } else {
        in.Skip();
      }
    });
    return {std::move(key), value};
  }

  SignatureDef Signature(std::string name, wire::Reader signature_def) {
    SignatureDef signature;
    signature.name = std::move(name);
    Each(signature_def, [&](uint32_t tag, wire::Reader& in) {
      if (tag == kSignatureInput) {
        signature.inputs.push_back(Info(in.Message()));
      } else if (tag == kSignatureOutput) {
        signature.outputs.push_back(Info(in.Message()));
      } else if (tag == kSignatureMethod) {
        signature.method = in.Bytes();
      } else if (tag == kSignatureDefault) {
        auto [input, value] = Entry(in.Message());
        signature.defaults[std::move(input)] = value.rest();
      } else {
        in.Skip();
      }
    });
    std::ranges::sort(signature.inputs, {}, &TensorInfo::name);
    std::ranges::sort(signature.outputs, {}, &TensorInfo::name);
    return signature;
  }

  TensorInfo Info(wire::Reader entry) {
    auto [name, value] = Entry(entry);
    TensorInfo info;
    info.name = std::move(name);
    if (use_ == SignatureUse::kClients) info.type = TF_FLOAT;  // the default if it is missing
    Each(value, [&](uint32_t tag, wire::Reader& in) {
      if (tag == kInfoName) {
        info.tensor = in.Bytes();
      } else if (tag == kInfoType) {
        info.type = WithoutReference(static_cast<TF_DataType>(in.Varint()));
      } else if (tag == kInfoShape) {
        Shape(in.Message(), &info);
      } else {
        in.Skip();
      }
    });
    return info;
  }

  void Shape(wire::Reader shape, TensorInfo* info) {
    Each(shape, [&](uint32_t tag, wire::Reader& in) {
      if (tag == kShapeUnknownRank) {
        info->known_rank = in.Varint() == 0;
      } else if (tag == kShapeDim) {
        info->shape.push_back(DimSize(in.Message()));
      } else {
        in.Skip();
      }
    });
  }

  int64_t DimSize(wire::Reader dim) {
    int64_t size = 0;
    Each(dim, [&](uint32_t tag, wire::Reader& in) {
      if (tag != kDimSize) return in.Skip();
      size = static_cast<int64_t>(in.Varint());
    });
    return std::max<int64_t>(size, -1);
  }

  const SignatureUse use_;
  base::Status status_;
};

std::string Names(const std::vector<SignatureDef>& signatures) {
  std::string names;
  for (const SignatureDef& signature : signatures) names += (names.empty() ? "" : ", ") + signature.name;
  return names.empty() ? "none" : names;
}

}  // namespace

TF_DataType WithoutReference(TF_DataType type) {
  constexpr int kReferences = 100;  // tensorflow/core/framework/types.proto, DT_FLOAT_REF
  return type > kReferences ? static_cast<TF_DataType>(type - kReferences) : type;
}

base::Result<std::vector<SignatureDef>> ReadSignatureDefs(std::string_view meta_graph, SignatureUse use) {
  Parser parser(use);
  std::vector<SignatureDef> signatures = parser.MetaGraph(meta_graph);
  INFERD_RETURN_IF_ERROR(parser.status().WithContext("the SavedModel's MetaGraphDef"));
  return signatures;
}

base::Status PutFirst(std::string_view wanted, std::vector<SignatureDef>& signatures) {
  auto found = std::ranges::find(signatures, wanted.empty() ? kServingDefault : wanted, &SignatureDef::name);
  if (found == signatures.end() && wanted.empty()) found = signatures.begin();
  if (found == signatures.end()) {
    return base::InvalidArgument("the SavedModel has no signature" +
                                 (wanted.empty() ? "" : " '" + std::string(wanted) + "'") +
                                 ". Its signatures: " + Names(signatures));
  }
  std::rotate(signatures.begin(), found, found + 1);
  return base::OkStatus();
}

}  // namespace inferd::tensorflow
