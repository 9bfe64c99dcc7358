#include "protocols/trtis/infer_header_text.h"

#include <limits>
#include <utility>

#include "protocols/trtis/text_tokens.h"

namespace inferd::trtis {

namespace {

constexpr uint64_t kUint32Max = std::numeric_limits<uint32_t>::max();
constexpr uint64_t kUint64Max = std::numeric_limits<uint64_t>::max();

// Reads a field's value, or a list of values, each with `read`. A separator may follow.
template <typename Read>
void Values(TextTokens& in, bool repeated, Read read) {
  if (!repeated || !in.Take('[')) {
    read();
  } else if (!in.Take(']')) {
    do {
      read();
    } while (in.ok() && !in.Take(']') && in.Expect(','));
  }
  if (!in.Take(';')) in.Take(',');
}

// Reads { fields } or < fields >. `field` reads the text after a name.
template <typename Field>
void Message(TextTokens& in, Field field) {
  const char end = in.Take('<') ? '>' : '}';
  if (end == '}' && !in.Expect('{')) return;
  while (in.ok() && !in.Sees('>') && !in.Sees('}')) {
    const std::string_view name = in.Name();
    if (in.ok()) field(name);
  }
  in.Expect(end);
}

// As in protobuf, a singular field may be repeated as long as it has its default value.
void Unsigned(TextTokens& in, uint64_t max, auto& value) {
  if (!in.Expect(':')) return;
  if (value != 0) return in.Fail("a field is there twice");
  Values(in, false, [&] { value = static_cast<std::remove_reference_t<decltype(value)>>(in.Unsigned(max)); });
}

void Text(TextTokens& in, std::string& value) {
  if (!in.Expect(':')) return;
  if (!value.empty()) return in.Fail("a field is there twice");
  Values(in, false, [&] { value = in.String(); });
}

void Unknown(TextTokens& in) { in.Fail("a field that this message does not have, before what is"); }

void ReadInput(TextTokens& in, InferHeader::Input& input) {
  Message(in, [&](std::string_view name) {
    if (name == "name") return Text(in, input.name);
    if (name == "byte_size") return Unsigned(in, kUint64Max, input.byte_size);
    Unknown(in);
  });
}

void ReadClass(TextTokens& in, uint32_t& count) {
  Message(in, [&](std::string_view name) {
    if (name == "count") return Unsigned(in, kUint32Max, count);
    Unknown(in);
  });
}

void ReadOutput(TextTokens& in, InferHeader::Output& output) {
  Message(in, [&](std::string_view name) {
    if (name == "name") return Text(in, output.name);
    if (name == "byte_size") return Unsigned(in, kUint64Max, output.byte_size);
    if (name != "cls") return Unknown(in);
    in.Take(':');
    if (output.classes.has_value()) return in.Fail("a field is there twice");
    Values(in, false, [&] { ReadClass(in, output.classes.emplace(0)); });
  });
}

}  // namespace

base::Result<InferHeader> ReadInferHeaderText(std::string_view text) {
  InferHeader header;
  TextTokens in(text);
  while (in.ok() && !in.AtEnd()) {
    const std::string_view name = in.Name();
    if (!in.ok()) break;
    if (name == "batch_size") {
      Unsigned(in, kUint32Max, header.batch_size);
    } else if (name == "input") {
      in.Take(':');
      Values(in, true, [&] { ReadInput(in, header.inputs.emplace_back()); });
    } else if (name == "output") {
      in.Take(':');
      Values(in, true, [&] { ReadOutput(in, header.outputs.emplace_back()); });
    } else {
      Unknown(in);
    }
  }
  INFERD_RETURN_IF_ERROR(in.status());
  return header;
}

}  // namespace inferd::trtis
