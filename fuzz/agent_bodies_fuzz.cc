// What inferd-agent reads: bodies of requests that it puts together, answers that it takes apart, lists of models. Each
// is read or refused; what was put together is read as what it was put together from, and parts lie in the answer.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "agent/batcher/predict_body.h"
#include "agent/puller/model_list.h"
#include "fuzz/require.h"

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

void ReadList(std::string_view text) {
  const auto models = agent::ParseModelList(text);
  if (!models.has_value()) return RequireRefused(models.error());
  for (const auto& [name, model] : *models) {
    Require(!name.empty() && name.find('/') == std::string::npos && name.front() != '.', "a name that is no folder's");
    Require(!model.storage_uri.empty(), "a model from nowhere");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  ReadRequest(text);
  ReadAnswer(text);
  ReadList(text);
  return 0;
}
