#include "engines/python/response_reader.h"

#include <cstring>
#include <deque>
#include <limits>
#include <string>
#include <vector>

namespace inferd::python {

namespace {

inferd_text ToText(const std::string& text) { return {text.data(), text.size()}; }

// One response in the ABI's form, and what it points at.
class ResponseReader final {
 public:
  ResponseReader(const inferd_host& host, const inferd_batch& batch, std::span<const std::byte> memory)
      : host_(host), batch_(batch), memory_(memory) {}

  // False: it is no response.
  bool Read(const Value& description) {
    const Value::Items* const items = description.items();
    if (items == nullptr || items->size() != 6) return false;
    const int64_t* const request = (*items)[0].number();
    const bool* const final = (*items)[1].flag();
    const int64_t* const code = (*items)[2].number();
    const std::string* const message = (*items)[3].text();
    if (request == nullptr || final == nullptr || code == nullptr || message == nullptr) return false;
    if (*request < -1 || (*request >= 0 && static_cast<size_t>(*request) >= batch_.request_count)) return false;
    if (*code < INFERD_OK || *code > INFERD_UNAUTHENTICATED) return false;
    request_ = *request < 0 ? INFERD_ALL_REQUESTS : static_cast<size_t>(*request);
    response_.struct_size = sizeof(response_);
    response_.final = *final ? 1 : 0;
    response_.code = static_cast<int32_t>(*code);
    response_.message = ToText(*message);
    return ReadOutputs((*items)[4]) && ReadParameters((*items)[5]);
  }

  void Send() {
    for (const inferd_output& output : outputs_) output_list_.push_back(&output);
    for (const inferd_parameter& parameter : parameters_) parameter_list_.push_back(&parameter);
    response_.outputs = output_list_.data();
    response_.output_count = output_list_.size();
    response_.parameter_names = names_.data();
    response_.parameters = parameter_list_.data();
    response_.parameter_count = parameter_list_.size();
    host_.respond(&batch_, request_, &response_);
  }

 private:
  bool ReadOutputs(const Value& list) {
    const Value::Items* const items = list.items();
    if (items == nullptr) return false;
    for (const Value& item : *items) {
      if (!ReadOutput(item)) return false;
    }
    return true;
  }

  bool ReadOutput(const Value& description) {
    const Value::Items* const items = description.items();
    if (items == nullptr || items->size() != 5) return false;
    const int64_t* const index = (*items)[0].number();
    const int64_t* const datatype = (*items)[1].number();
    const Value::Items* const dimensions = (*items)[2].items();
    const int64_t* const offset = (*items)[3].number();
    const int64_t* const size = (*items)[4].number();
    if (index == nullptr || datatype == nullptr || dimensions == nullptr || offset == nullptr || size == nullptr) {
      return false;
    }
    if (*index < 0 || *index > std::numeric_limits<int32_t>::max() || *offset < 0 || *size < 0) return false;
    const auto begin = static_cast<size_t>(*offset);
    const auto bytes = static_cast<size_t>(*size);
    if (begin > memory_.size() || bytes > memory_.size() - begin) return false;
    std::vector<int64_t>& shape = shapes_.emplace_back();
    for (const Value& dimension : *dimensions) {
      if (dimension.number() == nullptr) return false;
      shape.push_back(*dimension.number());
    }
    inferd_output& output = outputs_.emplace_back();
    output.struct_size = sizeof(output);
    output.index = static_cast<uint32_t>(*index);
    output.datatype = static_cast<int32_t>(*datatype);
    output.shape = shape.data();
    output.rank = shape.size();
    output.bytes_form = INFERD_BYTES_PACKED;
    // The host copies it before respond() returns: the worker may write there again then.
    output.memory = {memory_.data() + begin, bytes, INFERD_MEMORY_CPU, 0};
    return true;
  }

  bool ReadParameters(const Value& list) {
    const Value::Items* const items = list.items();
    if (items == nullptr) return false;
    for (const Value& item : *items) {
      const Value::Items* const pair = item.items();
      if (pair == nullptr || pair->size() != 2 || (*pair)[0].text() == nullptr) return false;
      names_.push_back(ToText(*(*pair)[0].text()));
      inferd_parameter& parameter = parameters_.emplace_back();
      parameter.struct_size = sizeof(parameter);
      if (!ReadParameter((*pair)[1], parameter)) return false;
    }
    return true;
  }

  static bool ReadParameter(const Value& value, inferd_parameter& parameter) {
    if (const bool* const flag = value.flag()) {
      parameter.kind = INFERD_PARAMETER_BOOL;
      parameter.bool_value = *flag ? 1 : 0;
    } else if (const int64_t* const number = value.number()) {
      parameter.kind = INFERD_PARAMETER_INT64;
      parameter.int64_value = *number;
    } else if (const uint64_t* const large = std::get_if<uint64_t>(&value.of)) {
      parameter.kind = INFERD_PARAMETER_UINT64;
      parameter.uint64_value = *large;
    } else if (const double* const real = std::get_if<double>(&value.of)) {
      parameter.kind = INFERD_PARAMETER_DOUBLE;
      parameter.double_value = *real;
    } else if (const std::string* const text = value.text()) {
      parameter.kind = INFERD_PARAMETER_TEXT;
      parameter.text_value = ToText(*text);
    } else {
      return false;
    }
    return true;
  }

  const inferd_host& host_;
  const inferd_batch& batch_;
  const std::span<const std::byte> memory_;
  size_t request_ = 0;
  inferd_response response_ = {};
  std::deque<std::vector<int64_t>> shapes_;  // deques: what they hold stays where it is
  std::deque<inferd_output> outputs_;
  std::deque<inferd_parameter> parameters_;
  std::vector<inferd_text> names_;
  std::vector<const inferd_output*> output_list_;
  std::vector<const inferd_parameter*> parameter_list_;
};

}  // namespace

base::Status SendResponse(const inferd_host& host, const inferd_batch& batch, const Value& description,
                          std::span<const std::byte> memory) {
  ResponseReader reader(host, batch, memory);
  if (!reader.Read(description)) return base::Internal("the Python worker answers what is no response");
  reader.Send();
  return base::OkStatus();
}

}  // namespace inferd::python
