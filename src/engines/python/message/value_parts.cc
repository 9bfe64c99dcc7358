#include "engines/python/message/value_parts.h"

#include "engines/kit/parameters.h"

namespace inferd::python {

bool ReadParameter(const Value& value, inferd_parameter& to) {
  to.struct_size = sizeof(to);
  if (const bool* const flag = value.flag()) {
    to.kind = INFERD_PARAMETER_BOOL;
    to.bool_value = *flag ? 1 : 0;
  } else if (const int64_t* const number = value.number()) {
    to.kind = INFERD_PARAMETER_INT64;
    to.int64_value = *number;
  } else if (const uint64_t* const large = std::get_if<uint64_t>(&value.of)) {
    to.kind = INFERD_PARAMETER_UINT64;
    to.uint64_value = *large;
  } else if (const double* const real = std::get_if<double>(&value.of)) {
    to.kind = INFERD_PARAMETER_DOUBLE;
    to.double_value = *real;
  } else if (const std::string* const text = value.text()) {
    to.kind = INFERD_PARAMETER_TEXT;
    to.text_value = ToText(*text);
  } else {
    return false;
  }
  return true;
}

void AddParameter(MarshalWriter& message, inferd_text name, const inferd_parameter& value) {
  message.Tuple(2);
  message.Text(kit::ToView(name));
  switch (value.kind) {
    case INFERD_PARAMETER_BOOL: return message.Bool(value.bool_value != 0);
    case INFERD_PARAMETER_INT64: return message.Int(value.int64_value);
    case INFERD_PARAMETER_UINT64: return message.Uint(value.uint64_value);
    case INFERD_PARAMETER_DOUBLE: return message.Float(value.double_value);
    case INFERD_PARAMETER_TEXT: return message.Text(kit::ToView(value.text_value));
    default: return message.None();
  }
}

inferd_response FailureOf(const base::Status& why) {
  inferd_response failure = {};
  failure.struct_size = sizeof(failure);
  failure.code = static_cast<int32_t>(why.code());
  failure.message = ToText(why.message());
  failure.final = 1;
  return failure;
}

std::optional<inferd_memory> TensorMemory::Take(uint64_t offset, uint64_t size) {
  if (offset > bytes_.size() || size > bytes_.size() - offset || size > left_) return std::nullopt;
  left_ -= size;
  return inferd_memory{bytes_.data() + offset, size, INFERD_MEMORY_CPU, 0};
}

bool ReadPlaced(ItemReader& items, TensorMemory& memory, PlacedTensor& to) {
  const int32_t datatype = items.Int32();
  const Value::Items& dimensions = items.Items();
  const uint64_t offset = items.Uint();
  const uint64_t size = items.Uint();
  if (!items.ok() || datatype < 0 || datatype > INFERD_TYPE_QINT32) return false;
  const std::optional<inferd_memory> place = memory.Take(offset, size);
  if (!place.has_value()) return false;
  for (const Value& dimension : dimensions) {
    if (dimension.number() == nullptr) return false;
    to.shape.push_back(*dimension.number());
  }
  to.datatype = datatype;
  to.memory = *place;
  return true;
}

}  // namespace inferd::python
