#include "config/model/model_config_document.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <charconv>
#include <cmath>

#include "config/model/model_config_message.h"
#include "data/json/writer.h"

namespace inferd::config {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

// Prints a message as JSON by reflection. protobuf's own printer writes 64-bit integers as strings, which Triton's
// clients do not accept.
class JsonPrinter {
 public:
  std::string Print(const Message& message) {
    AppendMessage(message);
    return out_.TakeString();
  }

 private:
  void AppendMessage(const Message& message) {
    const auto* descriptor = message.GetDescriptor();
    out_.BeginObject();
    for (int i = 0; i < descriptor->field_count(); ++i) {
      const FieldDescriptor* field = descriptor->field(i);
      if (!Shown(message, field)) continue;
      out_.Key(field->name());
      AppendField(message, field);
    }
    out_.EndObject();
  }

  // Messages and members of a oneof are shown if set; other fields always, except empty ones of our own.
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
    out_.BeginArray();
    const int size = message.GetReflection()->FieldSize(message, field);
    for (int i = 0; i < size; ++i) AppendValue(message, field, i);
    out_.EndArray();
  }

  void AppendMap(const Message& message, const FieldDescriptor* field) {
    const Reflection* reflection = message.GetReflection();
    const FieldDescriptor* key_field = field->message_type()->map_key();
    const FieldDescriptor* value_field = field->message_type()->map_value();
    std::map<std::string, const Message*> sorted;
    for (int i = 0; i < reflection->FieldSize(message, field); ++i) {
      const Message& entry = reflection->GetRepeatedMessage(message, field, i);
      const Reflection* entry_reflection = entry.GetReflection();
      // As in every map, the last entry of a key counts.
      sorted.insert_or_assign(key_field->cpp_type() == FieldDescriptor::CPPTYPE_STRING
                                  ? entry_reflection->GetString(entry, key_field)
                                  : std::to_string(entry_reflection->GetUInt64(entry, key_field)),
                              &entry);
    }
    out_.BeginObject();
    for (const auto& [key, entry] : sorted) {
      out_.Key(key);
      AppendValue(*entry, value_field, -1);
    }
    out_.EndObject();
  }

  // `index` < 0 for a singular field.
  void AppendValue(const Message& message, const FieldDescriptor* field, int index) {
    const Reflection* r = message.GetReflection();
    const bool one = index < 0;
    switch (field->cpp_type()) {
      case FieldDescriptor::CPPTYPE_MESSAGE:
        return AppendMessage(one ? r->GetMessage(message, field) : r->GetRepeatedMessage(message, field, index));
      case FieldDescriptor::CPPTYPE_STRING:
        return out_.String(one ? r->GetString(message, field) : r->GetRepeatedString(message, field, index));
      case FieldDescriptor::CPPTYPE_ENUM: {
        // An open enumeration: a number without a name stays a number.
        const int number = one ? r->GetEnumValue(message, field) : r->GetRepeatedEnumValue(message, field, index);
        const auto* value = field->enum_type()->FindValueByNumber(number);
        return value != nullptr ? out_.String(value->name()) : out_.Int(number);
      }
      case FieldDescriptor::CPPTYPE_BOOL:
        return out_.Bool(one ? r->GetBool(message, field) : r->GetRepeatedBool(message, field, index));
      case FieldDescriptor::CPPTYPE_INT32:
        return out_.Int(one ? r->GetInt32(message, field) : r->GetRepeatedInt32(message, field, index));
      case FieldDescriptor::CPPTYPE_INT64:
        return out_.Int(one ? r->GetInt64(message, field) : r->GetRepeatedInt64(message, field, index));
      case FieldDescriptor::CPPTYPE_UINT32:
        return out_.Uint(one ? r->GetUInt32(message, field) : r->GetRepeatedUInt32(message, field, index));
      case FieldDescriptor::CPPTYPE_UINT64:
        return out_.Uint(one ? r->GetUInt64(message, field) : r->GetRepeatedUInt64(message, field, index));
      case FieldDescriptor::CPPTYPE_FLOAT:
        return AppendReal(one ? r->GetFloat(message, field) : r->GetRepeatedFloat(message, field, index));
      case FieldDescriptor::CPPTYPE_DOUBLE:
        return AppendReal(one ? r->GetDouble(message, field) : r->GetRepeatedDouble(message, field, index));
    }
  }

  // Writes non-finite values as proto3 JSON does.
  template <typename Real>
  void AppendReal(Real value) {
    if (!std::isfinite(value)) return out_.String(std::isnan(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity");
    // protobuf's reader takes "-0" for the integer 0, which has no sign.
    if (value == 0 && std::signbit(value)) return out_.Raw("-0.0");
    char text[32];
    out_.Raw({text, std::to_chars(text, text + sizeof(text), value).ptr});
  }

  static constexpr int kOwnFieldNumbers = 10000;
  json::Writer out_;
};

}  // namespace

std::string Problem::PlaceText() const {
  std::string text = file;
  if (line > 0) text += ":" + std::to_string(line) + ":" + std::to_string(column);
  if (!text.empty() && !field.empty()) text += ": ";
  return text + field;
}

std::string Problem::ToString() const {
  const std::string place = PlaceText();
  return place.empty() || message.empty() ? place + message : place + ": " + message;
}

std::string Problem::ToStringPlaceLast() const {
  const std::string place = PlaceText();
  return place.empty() ? message : message + " (" + place + ")";
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
