#include "protocols/tfs_http/codec/tensor_proto_json.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <string>

#include "base/text/base64.h"
#include "data/wire/reader.h"
#include "protocols/tfs/dtype.h"

namespace inferd::tfs_http {

namespace {

using wire::Reader;
using wire::Type;

// The JSON form of a field's elements.
enum class Form { kNumber, kSigned, kText, kSignedText, kFloat, kDouble, kBool, kBase64, kNothing };

// A field of tensorflow/core/framework/tensor.proto.
struct Field {
  uint32_t number;
  Type type;
  Form form;
  std::string_view name;
};
// In the order of declaration, in which TensorFlow Serving prints them.
constexpr Field kValues[] = {
    {13, Type::kVarint, Form::kSigned, "half_val"},      {5, Type::kFixed32, Form::kFloat, "float_val"},
    {6, Type::kFixed64, Form::kDouble, "double_val"},    {7, Type::kVarint, Form::kSigned, "int_val"},
    {8, Type::kBytes, Form::kBase64, "string_val"},      {9, Type::kFixed32, Form::kFloat, "scomplex_val"},
    {10, Type::kVarint, Form::kSignedText, "int64_val"}, {11, Type::kVarint, Form::kBool, "bool_val"},
    {12, Type::kFixed64, Form::kDouble, "dcomplex_val"}, {14, Type::kBytes, Form::kNothing, "resource_handle_val"},
    {15, Type::kBytes, Form::kNothing, "variant_val"},   {16, Type::kVarint, Form::kNumber, "uint32_val"},
    {17, Type::kVarint, Form::kText, "uint64_val"}};
constexpr uint32_t kDtype = 1;
constexpr uint32_t kShape = 2;
constexpr uint32_t kVersion = 3;
constexpr uint32_t kContent = 4;
constexpr uint32_t kFloat8 = 18;

void WriteBase64(json::Writer& writer, std::string_view bytes) {
  std::string text(base::Base64Size(bytes.size()), ' ');
  base::EncodeBase64(bytes, text.data());
  writer.String(text);
}

// Writes the shortest text that reads back as the same number; non-finite values as text.
template <typename T>
void WriteReal(json::Writer& writer, T value) {
  if (std::isnan(value)) return writer.String("NaN");
  if (std::isinf(value)) return writer.String(value > 0 ? "Infinity" : "-Infinity");
  constexpr size_t kTextMax = 32;
  char text[kTextMax];
  writer.Raw({text, static_cast<size_t>(std::to_chars(text, text + kTextMax, value).ptr - text)});
}

void WriteElement(json::Writer& writer, Reader& in, const Field& field) {
  switch (field.form) {
    case Form::kNumber: return writer.Uint(in.Varint());
    case Form::kSigned: return writer.Int(static_cast<int32_t>(in.Varint()));
    case Form::kText: return writer.String(std::to_string(in.Varint()));
    case Form::kSignedText: return writer.String(std::to_string(static_cast<int64_t>(in.Varint())));
    case Form::kFloat: return WriteReal(writer, std::bit_cast<float>(in.Fixed32()));
    case Form::kDouble: return WriteReal(writer, std::bit_cast<double>(in.Fixed64()));
    case Form::kBool: return writer.Bool(in.Varint() != 0);
    case Form::kBase64: return WriteBase64(writer, in.Bytes());
    case Form::kNothing: return in.Skip();
  }
}

// Writes packed or single values.
void WriteValues(json::Writer& writer, Reader in, const Field& field) {
  writer.Key(field.name);
  writer.BeginArray();
  while (const uint32_t tag = in.Next()) {
    if (tag == wire::Tag(field.number, field.type)) {
      WriteElement(writer, in, field);
    } else if (tag == wire::Tag(field.number, Type::kBytes)) {
      Reader packed(in.Bytes());
      while (packed.ok() && !packed.rest().empty()) WriteElement(writer, packed, field);
    } else {
      in.Skip();
    }
  }
  writer.EndArray();
}

void WriteShape(json::Writer& writer, Reader in) {
  writer.Key("tensor_shape");
  writer.BeginObject();
  writer.Key("dim");
  writer.BeginArray();
  bool unknown_rank = false;
  while (const uint32_t tag = in.Next()) {
    if (tag == wire::Tag(3, Type::kVarint)) {
      unknown_rank = in.Varint() != 0;
    } else if (tag == wire::Tag(2, Type::kBytes)) {
      Reader dim = in.Message();
      int64_t size = 0;
      while (const uint32_t field = dim.Next()) {
        field == wire::Tag(1, Type::kVarint) ? static_cast<void>(size = static_cast<int64_t>(dim.Varint()))
                                             : dim.Skip();
      }
      writer.BeginObject();
      writer.Member("size", std::to_string(size));
      writer.Member("name", "");
      writer.EndObject();
    } else {
      in.Skip();
    }
  }
  writer.EndArray();
  writer.Member("unknown_rank", unknown_rank);
  writer.EndObject();
}

// The singular fields of a tensor.
struct Head {
  uint64_t dtype = 0;
  uint64_t version = 0;
  std::string_view content;
  std::string_view float8;
  Reader shape{""};
};

Head ReadHead(Reader in) {
  Head head;
  while (const uint32_t tag = in.Next()) {
    switch (tag) {
      case wire::Tag(kDtype, Type::kVarint): head.dtype = in.Varint(); break;
      case wire::Tag(kShape, Type::kBytes): head.shape = in.Message(); break;
      case wire::Tag(kVersion, Type::kVarint): head.version = in.Varint(); break;
      case wire::Tag(kContent, Type::kBytes): head.content = in.Bytes(); break;
      case wire::Tag(kFloat8, Type::kBytes): head.float8 = in.Bytes(); break;
      default: in.Skip();
    }
  }
  return head;
}

}  // namespace

void WriteTensorProto(json::Writer& writer, std::string_view proto) {
  const Head head = ReadHead(Reader(proto));
  writer.BeginObject();
  writer.Member("dtype", tfs::DtypeName(tfs::DtypeOf(tfs::DataTypeOf(head.dtype))));
  WriteShape(writer, head.shape);
  writer.Member("version_number", head.version);
  writer.Key("tensor_content");
  WriteBase64(writer, head.content);
  for (const Field& field : kValues) WriteValues(writer, Reader(proto), field);
  writer.Key("float8_val");
  WriteBase64(writer, head.float8);
  writer.EndObject();
}

}  // namespace inferd::tfs_http
