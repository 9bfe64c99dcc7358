// Fuzzes the inputs of inferd-agent: request bodies that it joins, answers that it splits, model lists, and a server's
// model index. Each must be read or refused. A joined body must read as the bodies that it was joined from, and the
// parts of an answer must lie in the answer.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/require.h"
#include "kserve/agent/batcher/batch_form.h"
#include "kserve/agent/batcher/predict_body.h"
#include "kserve/agent/batcher/tensor_body.h"
#include "kserve/agent/puller/model_list.h"
#include "kserve/modelcalls/model_index.h"

namespace {

using inferd::fuzz::Require;
using inferd::fuzz::RequireRefused;
namespace agent = inferd::agent;

void ReadRequest(std::string_view text) {
  const auto body = agent::ParsePredictBody(text);
  if (!body.has_value()) return RequireRefused(body.error());
  Require(body->count > 0, "a request without instances");
  const std::string both = "{" + body->rest + (body->rest.empty() ? "" : ",") + "\"instances\":[" +
                           std::string(body->instances) + "," + std::string(body->instances) + "]}";
  const auto together = agent::ParsePredictBody(both);
  Require(together.has_value(), "two requests together are none");
  Require(together->count == 2 * body->count, "instances were lost");
  Require(together->rest == body->rest, "the other members changed");
}

void ReadAnswer(std::string_view text) {
  for (const std::vector<size_t>& counts : {std::vector<size_t>{1}, {2, 1}, {1, 1, 3}}) {
    const auto parts = agent::SplitPredictions(text, counts);
    if (!parts.has_value()) {
      RequireRefused(parts.error());
      continue;
    }
    Require(parts->size() == counts.size(), "not a part for each request");
    for (size_t i = 0; i < counts.size(); ++i) {
      const std::string_view part = (*parts)[i];
      Require(part.data() >= text.data() && part.data() + part.size() <= text.data() + text.size(),
              "outside the answer");
      const size_t one[] = {counts[i]};
      Require(agent::SplitPredictions("{\"predictions\":[" + std::string(part) + "]}", one).has_value(),
              "a part is no predictions");
    }
  }
}

void ReadTensors(std::string_view text) {
  const auto body = agent::ParseTensorBody(text);
  if (!body.has_value()) {
    Require(!body.error().message().empty(), "alone without a reason");
    return;
  }
  Require(body->count > 0 && !body->lists.empty(), "a request without rows");
  std::string again;
  size_t list = 0;
  for (const char c : body->frame) {
    if (c == agent::kRowCount) {
      again += std::to_string(body->count);
    } else if (c == agent::kRows) {
      again += body->lists[list++];
    } else {
      again += c;
    }
  }
  Require(list == body->lists.size(), "a list without a place");
  const auto same = agent::ParseTensorBody(again);
  Require(same.has_value() && same->frame == body->frame && same->lists == body->lists, "the request changed");
}

void ReadTensorAnswer(std::string_view text) {
  const std::vector<agent::BatchedRequest> requests = {{.count = 1, .own = "\"id\":\"a\""}, {.count = 2, .own = ""}};
  const auto answers = agent::SplitTensorAnswer(text, requests);
  if (!answers.has_value()) return RequireRefused(answers.error());
  Require(answers->size() == requests.size(), "not an answer for each request");
  for (size_t i = 0; i < requests.size(); ++i) {
    const agent::BatchedRequest alone[] = {requests[i]};
    Require(agent::SplitTensorAnswer((*answers)[i], alone).has_value(), "an answer's part is none");
  }
}

void ReadList(std::string_view text) {
  const auto models = agent::ParseModelList(text);
  if (!models.has_value()) return RequireRefused(models.error());
  for (const auto& [name, model] : *models) {
    Require(!name.empty() && name.find('/') == std::string::npos && name.front() != '.', "a name that is no folder's");
    Require(!model.storage_uri.empty(), "a model from nowhere");
  }
}

void ReadIndex(std::string_view text) {
  const auto ready = inferd::modelcalls::ParseModelIndex(text);
  if (!ready.has_value()) return RequireRefused(ready.error());
  Require(!ready->contains(""), "a model without a name");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  ReadRequest(text);
  ReadAnswer(text);
  ReadTensors(text);
  ReadTensorAnswer(text);
  ReadList(text);
  ReadIndex(text);
  return 0;
}
