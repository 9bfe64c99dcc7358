#include <utility>

#include "data/json/reader.h"
#include "data/json/writer.h"
#include "kserve/agent/batcher/batch_form.h"
#include "kserve/agent/batcher/tensor_body.h"

namespace inferd::agent {

namespace {

// V2's form. A response equals the component's response to the request alone.
class TensorBatchForm final : public BatchForm {
 public:
  base::Result<BatchedBody> Parse(std::string_view json) const override { return ParseTensorBody(json); }

  base::Result<std::vector<ResponseBody>> Split(const base::Buffer& answer,
                                                std::span<const BatchedRequest> requests) const override {
    const std::string_view text(reinterpret_cast<const char*>(answer.data()), answer.size());
    INFERD_ASSIGN_OR_RETURN(const std::vector<std::string> answers, SplitTensorAnswer(text, requests));
    std::vector<ResponseBody> bodies;
    for (const std::string& one : answers) bodies.push_back({base::BufferSlice(base::Buffer::CopyOf(one))});
    return bodies;
  }

  // The component's error is a JSON object already.
  std::string Failure(std::string_view message) const override {
    json::Reader reader(message);
    if (message.starts_with('{') && reader.SkipValue().ok() && reader.Finish().ok()) return std::string(message);
    json::Writer writer;
    writer.BeginObject();
    writer.Member("error", message);
    writer.EndObject();
    return writer.TakeString();
  }
};

}  // namespace

const BatchForm& TensorForm() {
  static const TensorBatchForm form;
  return form;
}

}  // namespace inferd::agent
