#include <utility>

#include "base/text/uuid.h"
#include "data/json/writer.h"
#include "kserve/agent/batcher/batch_form.h"
#include "kserve/agent/batcher/predict_body.h"

namespace inferd::agent {

namespace {

// V1's form. Responses are {"message":"","batchId":"<UUID>","predictions":[...]}, as in KServe's agent.
class PredictBatchForm final : public BatchForm {
 public:
  base::Result<BatchedBody> Parse(std::string_view json) const override {
    INFERD_ASSIGN_OR_RETURN(const PredictBody body, ParsePredictBody(json));
    BatchedBody batched{.count = body.count, .frame = "{", .lists = {body.instances}, .own = {}};
    if (!body.rest.empty()) batched.frame += body.rest + ",";
    batched.frame.append("\"instances\":[").append(1, kRows).append("]}");
    return batched;
  }

  base::Result<std::vector<ResponseBody>> Split(const base::Buffer& answer,
                                                std::span<const BatchedRequest> requests) const override {
    std::vector<size_t> counts;
    for (const BatchedRequest& request : requests) counts.push_back(request.count);
    const std::string_view text(reinterpret_cast<const char*>(answer.data()), answer.size());
    INFERD_ASSIGN_OR_RETURN(const std::vector<std::string_view> parts, SplitPredictions(text, counts));
    const base::BufferSlice begin(
        base::Buffer::CopyOf(R"({"message":"","batchId":")" + base::NewUuid() + R"(","predictions":[)"));
    const base::BufferSlice end(base::Buffer::CopyOf("]}"));
    std::vector<ResponseBody> bodies;
    for (const std::string_view part : parts) {
      bodies.push_back({begin, {answer, reinterpret_cast<const std::byte*>(part.data()), part.size()}, end});
    }
    return bodies;
  }

  std::string Failure(std::string_view message) const override {
    json::Writer writer;
    writer.BeginObject();
    writer.Member("message", message);
    writer.Member("batchId", std::string_view());
    writer.Key("predictions");
    writer.Null();
    writer.EndObject();
    return writer.TakeString();
  }
};

}  // namespace

const BatchForm& PredictForm() {
  static const PredictBatchForm form;
  return form;
}

}  // namespace inferd::agent
