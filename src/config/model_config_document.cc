#include "config/model_config_document.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "config/model_config_message.h"

namespace inferd::config {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

void AppendJsonString(std::string& out, std::string_view text) {
  static constexpr char kHex[] = "0123456789abcdef";
  out += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    switch (c) {
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      case '\n': out += "\\n"; break;
      case '\r': out += "\\r"; break;
      case '\t': out += "\\t"; break;
      default:
        if (byte < 0x20) {
          out += "\\u00";
          out += kHex[byte >> 4];
          out += kHex[byte & 15];
        } else {
          out += c;
        }
    }
  }
  out += '"';
}

template <typename T>
void AppendNumber(std::string& out, T value) {
  if constexpr (std::is_floating_point_v<T>) {
    // As proto3 JSON spells them.
    if (!std::isfinite(value)) return AppendJsonString(out, std::isnan(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity");
  }
  char text[32];
  out.append(text, std::to_chars(text, text + sizeof(text), value).ptr);
}

// Prints a message as JSON by reflection. protobuf's own printer writes 64-bit integers as strings, which Triton's clients
// do not read.
class JsonPrinter {
 public:
  std::string Print(const Message& message) {
    AppendMessage(message);
    return std::move(out_);
  }

 private:
  void AppendMessage(const Message& message) {
    const auto* descriptor = message.GetDescriptor();
    out_ += '{';
    bool first = true;
    for (int i = 0; i < descriptor->field_count(); ++i) {
      const FieldDescriptor* field = descriptor->field(i);
      if (!Shown(message, field)) continue;
      if (!first) out_ += ',';
      first = false;
      AppendJsonString(out_, field->name());
      out_ += ':';
      AppendField(message, field);
    }
    out_ += '}';
  }

  // Messages and members of a oneof only where they are set; everything else always, but our own fields if empty.
  static bool Shown(const Message& message, const FieldDescriptor* field) {
    const Reflection* reflection = message.GetReflection();
    if (field->is_repeated()) return field->number() < kOwnFieldNumbers || reflection->FieldSize(message, field) > 0;
    if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE || field->real_containing_oneof() != nullptr) {
      return reflection->HasField(message, field);
    }
    return true;
  }

  void AppendField(const Message& message, const FieldDescriptor* field) {
    if (field->is_map()) return AppendMap(message, field);
    if (!field->is_repeated()) return AppendValue(message, field, -1);
    out_ += '[';
    const int size = message.GetReflection()->FieldSize(message, field);
    for (int i = 0; i < size; ++i) {
      if (i > 0) out_ += ',';
      AppendValue(message, field, i);
    }
    out_ += ']';
  }

  void AppendMap(const Message& message, const FieldDescriptor* field) {
    const Reflection* reflection = message.GetReflection();
    const FieldDescriptor* key_field = field->message_type()->map_key();
    const FieldDescriptor* value_field = field->message_type()->map_value();
    std::map<std::string, const Message*> sorted;
    for (int i = 0; i < reflection->FieldSize(message, field); ++i) {
      const Message& entry = reflection->GetRepeatedMessage(message, field, i);
      const Reflection* entry_reflection = entry.GetReflection();
      sorted.emplace(key_field->cpp_type() == FieldDescriptor::CPPTYPE_STRING
                         ? entry_reflection->GetString(entry, key_field)
                         : std::to_string(entry_reflection->GetUInt64(entry, key_field)),
                     &entry);
    }
    out_ += '{';
    bool first = true;
    for (const auto& [key, entry] : sorted) {
      if (!first) out_ += ',';
      first = false;
      AppendJsonString(out_, key);
      out_ += ':';
      AppendValue(*entry, value_field, -1);
    }
    out_ += '}';
  }

  // `index` < 0: the field is singular.
  void AppendValue(const Message& message, const FieldDescriptor* field, int index) {
    const Reflection* r = message.GetReflection();
    const bool one = index < 0;
    switch (field->cpp_type()) {
      case FieldDescriptor::CPPTYPE_MESSAGE:
        return AppendMessage(one ? r->GetMessage(message, field) : r->GetRepeatedMessage(message, field, index));
      case FieldDescriptor::CPPTYPE_STRING:
        return AppendJsonString(out_, one ? r->GetString(message, field) : r->GetRepeatedString(message, field, index));
      case FieldDescriptor::CPPTYPE_ENUM: {
        // An open enumeration: a number that has no name stays a number.
        const int number = one ? r->GetEnumValue(message, field) : r->GetRepeatedEnumValue(message, field, index);
        const auto* value = field->enum_type()->FindValueByNumber(number);
        return value != nullptr ? AppendJsonString(out_, value->name()) : AppendNumber(out_, number);
      }
      case FieldDescriptor::CPPTYPE_BOOL:
        out_ += (one ? r->GetBool(message, field) : r->GetRepeatedBool(message, field, index)) ? "true" : "false";
        return;
      case FieldDescriptor::CPPTYPE_INT32:
        return AppendNumber(out_, one ? r->GetInt32(message, field) : r->GetRepeatedInt32(message, field, index));
      case FieldDescriptor::CPPTYPE_INT64:
        return AppendNumber(out_, one ? r->GetInt64(message, field) : r->GetRepeatedInt64(message, field, index));
      case FieldDescriptor::CPPTYPE_UINT32:
        return AppendNumber(out_, one ? r->GetUInt32(message, field) : r->GetRepeatedUInt32(message, field, index));
      case FieldDescriptor::CPPTYPE_UINT64:
        return AppendNumber(out_, one ? r->GetUInt64(message, field) : r->GetRepeatedUInt64(message, field, index));
      case FieldDescriptor::CPPTYPE_FLOAT:
        return AppendNumber(out_, one ? r->GetFloat(message, field) : r->GetRepeatedFloat(message, field, index));
      case FieldDescriptor::CPPTYPE_DOUBLE:
        return AppendNumber(out_, one ? r->GetDouble(message, field) : r->GetRepeatedDouble(message, field, index));
    }
  }

  static constexpr int kOwnFieldNumbers = 10000;
  std::string out_;
};

}  // namespace

std::string Problem::ToString() const {
  std::string text = file;
  if (line > 0) text += ":" + std::to_string(line) + ":" + std::to_string(column);
  for (const std::string& part : {field, message}) {
    if (part.empty()) continue;
    if (!text.empty()) text += ": ";
    text += part;
  }
  return text;
}

ModelConfigDocument::ModelConfigDocument(std::unique_ptr<const Message> message) : message_(std::move(message)) {}
ModelConfigDocument::~ModelConfigDocument() = default;

std::string ModelConfigDocument::ToJson() const { return JsonPrinter().Print(message_->proto); }

std::string ModelConfigDocument::ToPbtxt() const {
  google::protobuf::TextFormat::Printer printer;
  printer.SetUseUtf8StringEscaping(true);
  printer.SetUseShortRepeatedPrimitives(true);
  std::string text;
  printer.PrintToString(message_->proto, &text);
  return text;
}

}  // namespace inferd::config
