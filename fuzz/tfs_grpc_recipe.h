#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "fuzz/wire_recipe.h"

// Turns any bytes into the wire form of a PredictRequest or a ClassificationRequest with correct lengths, so that
// mutations reach the content of its messages.

namespace inferd::fuzz {

class TfsGrpcRecipe : WireRecipe {
 public:
  using WireRecipe::WireRecipe;

  std::string Build(bool predict) { return Message(predict ? Kind::kPredict : Kind::kClassification); }

 private:
  enum class Kind : uint8_t {
    kPredict,
    kTensorEntry,
    kTensor,
    kShape,
    kDim,
    kSpec,
    kValue,  // for Predict
    kClassification,
    kInput,
    kList,
    kExample,
    kFeatures,
    kFeatureEntry,
    kFeature,
    kValues  // for Classify
  };

  void Varint(std::string& out, uint32_t number) {
    Append(out, wire::Tag(number, Type::kVarint));
    const uint8_t choice = Byte();
    Append(out, choice < 240 ? choice % 32 : ~uint64_t{0} - Byte());
  }

  // A name that both sides are likely to know.
  std::string Name() { return std::string(1, static_cast<char>('a' + Byte() % 4)); }

  // The numbers of a repeated field: packed, or a single one in any layout.
  void Numbers(std::string& out, uint32_t number) {
    const uint8_t choice = Byte();
    if (choice < 64) return Varint(out, number);
    if (choice < 96) {
      Append(out, wire::Tag(number, Type::kFixed32));
      for (int i = 0; i < 4; ++i) out += static_cast<char>(Byte());
      return;
    }
    AppendField(out, number, Bytes());
  }

  std::string Message(Kind kind) {
    if (++depth_ > 10) return {};
    std::string out;
    for (;;) {
      const uint8_t op = done() ? 0 : Byte();
      if (op < 48) break;
      if (op > 250) {
        Numbers(out, 1 + op % 20);
      } else {
        One(kind, op, out);
      }
    }
    --depth_;
    return out;
  }

  void One(Kind kind, uint8_t op, std::string& out) {
    switch (kind) {
      case Kind::kPredict:
        if (op % 8 == 0) return AppendField(out, 1, Message(Kind::kSpec));
        return op % 8 == 1 ? AppendField(out, 3, Name()) : AppendField(out, 2, Message(Kind::kTensorEntry));
      case Kind::kTensorEntry:
        return op % 2 == 0 ? AppendField(out, 1, Name()) : AppendField(out, 2, Message(Kind::kTensor));
      case Kind::kTensor: return TensorField(op, out);
      case Kind::kShape: return op % 8 == 0 ? Varint(out, 3) : AppendField(out, 2, Message(Kind::kDim));
      case Kind::kDim:
      case Kind::kValue: return Varint(out, 1);
      case Kind::kSpec:
        return op % 4 == 1 ? AppendField(out, 2, Message(Kind::kValue)) : AppendField(out, 1 + op % 4, Name());
      case Kind::kClassification: return AppendField(out, 2, Message(Kind::kInput));
      case Kind::kInput: return AppendField(out, 1 + op % 2, Message(Kind::kList));
      case Kind::kList: return AppendField(out, op % 4 == 0 ? 2 : 1, Message(Kind::kExample));
      case Kind::kExample: return AppendField(out, 1, Message(Kind::kFeatures));
      case Kind::kFeatures: return AppendField(out, 1, Message(Kind::kFeatureEntry));
      case Kind::kFeatureEntry:
        return op % 2 == 0 ? AppendField(out, 1, Name()) : AppendField(out, 2, Message(Kind::kFeature));
      case Kind::kFeature: return AppendField(out, 1 + op % 3, Message(Kind::kValues));
      case Kind::kValues: return Numbers(out, 1);
    }
  }

  void TensorField(uint8_t op, std::string& out) {
    switch (op % 6) {
      case 0: return Varint(out, 1);
      case 1:
      case 2: return AppendField(out, 2, Message(Kind::kShape));
      case 3: return AppendField(out, 4, Bytes());
      default: return Numbers(out, 4 + Byte() % 14);
    }
  }

  int depth_ = 0;
};

}  // namespace inferd::fuzz
