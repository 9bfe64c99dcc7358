#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>

#include "data/tensor/data_type.h"
#include "fuzz/wire_recipe.h"

// Turns any bytes into the wire form of a ModelInferRequest with correct lengths, so that mutations reach the content
// of its messages: repeated, split, unpacked and unknown fields, with values of every size.

namespace inferd::fuzz {

class OipGrpcRecipe : WireRecipe {
 public:
  using WireRecipe::WireRecipe;

  std::string Build() { return Message(Kind::kRequest); }

 private:
  enum class Kind : uint8_t { kRequest, kInput, kOutput, kEntry, kValue, kContents };

  // A varint: small, any, or longer than necessary.
  std::string Varint() {
    std::string out;
    const uint8_t choice = Byte();
    if (choice < 128) {
      Append(out, choice);
    } else if (choice < 192) {
      uint64_t value = 0;
      for (int i = 0; i < 8; ++i) value = value << 8 | Byte();
      Append(out, value);
    } else if (choice < 224) {
      Append(out, ~uint64_t{0} - Byte());
    } else {
      out = std::string(choice % 16, '\xff') + static_cast<char>(Byte() & 0x7f);
    }
    return out;
  }

  std::string Fixed(size_t size) {
    std::string out;
    while (out.size() < size) out += static_cast<char>(Byte());
    return out;
  }

  std::string Element(Type type) {
    if (type == Type::kFixed32) return Fixed(4);
    if (type == Type::kFixed64) return Fixed(8);
    return type == Type::kBytes ? Bytes() : Varint();
  }

  // One element, or a packed field of several.
  void Repeated(std::string& out, uint32_t number, Type type) {
    const uint8_t choice = Byte();
    if (type == Type::kBytes) return AppendField(out, number, Bytes());
    if (choice < 64) {
      Append(out, wire::Tag(number, type));
      out += Element(type);
      return;
    }
    std::string packed;
    for (int i = choice % 16; i > 0; --i) packed += Element(type);
    AppendField(out, number, packed);
  }

  void Unknown(std::string& out) {
    const uint8_t tag = Byte();
    Append(out, tag);
    switch (tag & 7) {
      case 0: out += Varint(); return;
      case 1: out += Fixed(8); return;
      case 2: {
        const std::string bytes = Bytes();
        Append(out, bytes.size());
        out += bytes;
        return;
      }
      case 3:
        out += Message(Kind::kValue);
        Append(out, static_cast<uint64_t>(tag | 4) & ~uint64_t{3});
        return;
      case 5: out += Fixed(4); return;
      default: return;
    }
  }

  std::string Datatype() {
    const uint8_t choice = Byte();
    return choice < 240 ? std::string(tensor::DataTypeName(static_cast<tensor::DataType>(1 + choice % 14))) : Bytes();
  }

  std::string Message(Kind kind) {
    if (++depth_ > 8) return {};
    std::string out;
    while (!done()) {
      const uint8_t op = Byte();
      if (op < 32) break;
      if (op == 255) {
        const size_t depth = Byte() % 128;
        out.append(depth, '\x0b').append(depth, '\x0c');
      } else if (op > 248) {
        Unknown(out);
      } else {
        Field(kind, op, out);
      }
    }
    --depth_;
    return out;
  }

  void Field(Kind kind, uint8_t op, std::string& out) {
    switch (kind) {
      case Kind::kRequest: return RequestField(1 + op % 8, out);
      case Kind::kInput: return InputField(1 + op % 6, out);
      case Kind::kOutput:
        return op % 2 == 0 ? AppendField(out, 1, Bytes()) : AppendField(out, 2, Message(Kind::kEntry));
      case Kind::kEntry: return op % 2 == 0 ? AppendField(out, 1, Bytes()) : AppendField(out, 2, Message(Kind::kValue));
      case Kind::kValue: return Repeated(out, 1 + op % 5, kValueTypes[op % 5]);
      case Kind::kContents: return Repeated(out, 1 + op % 8, kContentsTypes[op % 8]);
    }
  }

  void RequestField(uint32_t number, std::string& out) {
    if (number == 4) return AppendField(out, 4, Message(Kind::kEntry));
    if (number == 5 || number == 8) return AppendField(out, 5, Message(Kind::kInput));
    if (number == 6) return AppendField(out, 6, Message(Kind::kOutput));
    AppendField(out, number, Bytes());
  }

  void InputField(uint32_t number, std::string& out) {
    if (number == 1) return AppendField(out, 1, Bytes());
    if (number == 2) return AppendField(out, 2, Datatype());
    if (number == 3) return Repeated(out, 3, Type::kVarint);
    if (number == 4) return AppendField(out, 4, Message(Kind::kEntry));
    AppendField(out, 5, Message(Kind::kContents));
  }

  static constexpr Type kValueTypes[] = {Type::kVarint, Type::kVarint, Type::kBytes, Type::kFixed64, Type::kVarint};
  static constexpr Type kContentsTypes[] = {Type::kVarint, Type::kVarint,  Type::kVarint,  Type::kVarint,
                                            Type::kVarint, Type::kFixed32, Type::kFixed64, Type::kBytes};

  int depth_ = 0;
};

}  // namespace inferd::fuzz
