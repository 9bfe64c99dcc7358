#include "engines/python/message/response_reader.h"

#include <deque>
#include <limits>
#include <string>
#include <vector>

#include "engines/python/message/value_parts.h"

namespace inferd::python {

namespace {

// One response in the ABI's form, with the memory to which it points.
class ResponseReader final {
 public:
  ResponseReader(const inferd_host& host, const inferd_batch& batch, TensorMemory& memory)
      : host_(host), batch_(batch), memory_(memory) {}

  // Returns false if the description is no response.
  bool Read(const Value& description) {
    ItemReader items(description);
    const int64_t request = items.Int();
    const bool final = items.Flag();
    const int64_t code = items.Int();
    const std::string& message = items.Text();
    const Value& outputs = items.Any();
    const Value& parameters = items.Any();
    const bool reschedule = items.Flag();
    if (!items.Finished() || code < INFERD_OK || code > INFERD_UNAUTHENTICATED) return false;
    if (request < -1 || (request >= 0 && static_cast<size_t>(request) >= batch_.request_count)) return false;
    sent_ = {.request = request < 0 ? INFERD_ALL_REQUESTS : static_cast<size_t>(request), .final = final};
    response_.struct_size = sizeof(response_);
    response_.final = final ? 1 : 0;
    response_.code = static_cast<int32_t>(code);
    response_.message = ToText(message);
    response_.reschedule = reschedule ? 1 : 0;
    return ReadOutputs(outputs) && ReadParameters(parameters);
  }

  SentResponse Send() {
    for (const inferd_output& output : outputs_) output_list_.push_back(&output);
    for (const inferd_parameter& parameter : parameters_) parameter_list_.push_back(&parameter);
    response_.outputs = output_list_.data();
    response_.output_count = output_list_.size();
    response_.parameter_names = names_.data();
    response_.parameters = parameter_list_.data();
    response_.parameter_count = parameter_list_.size();
    host_.respond(&batch_, sent_.request, &response_);
    return sent_;
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
    ItemReader items(description);
    const uint64_t index = items.Uint();
    PlacedTensor& placed = placed_.emplace_back();
    if (!ReadPlaced(items, memory_, placed) || !items.Finished()) return false;
    if (index > static_cast<uint64_t>(std::numeric_limits<int32_t>::max())) return false;
    inferd_output& output = outputs_.emplace_back();
    output.struct_size = sizeof(output);
    output.index = static_cast<uint32_t>(index);
    output.datatype = placed.datatype;
    output.shape = placed.shape.data();
    output.rank = placed.shape.size();
    output.bytes_form = INFERD_BYTES_PACKED;
    // The host copies the memory before respond() returns, as the worker may overwrite it after that.
    output.memory = placed.memory;
    return true;
  }

  bool ReadParameters(const Value& list) {
    const Value::Items* const items = list.items();
    if (items == nullptr) return false;
    for (const Value& item : *items) {
      const Value::Items* const pair = item.items();
      if (pair == nullptr || pair->size() != 2 || (*pair)[0].text() == nullptr) return false;
      names_.push_back(ToText(*(*pair)[0].text()));
      if (!ReadParameter((*pair)[1], parameters_.emplace_back())) return false;
    }
    return true;
  }

  const inferd_host& host_;
  const inferd_batch& batch_;
  TensorMemory& memory_;
  SentResponse sent_;
  inferd_response response_ = {};
  std::deque<PlacedTensor> placed_;  // a deque: elements keep their addresses
  std::deque<inferd_output> outputs_;
  std::deque<inferd_parameter> parameters_;
  std::vector<inferd_text> names_;
  std::vector<const inferd_output*> output_list_;
  std::vector<const inferd_parameter*> parameter_list_;
};

}  // namespace

base::Result<SentResponse> SendResponse(const inferd_host& host, const inferd_batch& batch, const Value& description,
                                        TensorMemory& memory) {
  ResponseReader reader(host, batch, memory);
  if (!reader.Read(description)) {
    return std::unexpected(base::Internal("answers what is no response, and was ended"));
  }
  return reader.Send();
}

}  // namespace inferd::python
