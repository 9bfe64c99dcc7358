// Fuzzes an API server's reviews to our webhooks. Each webhook must answer any input in the API's form, and a patch
// must make an object that has its defaults. The first byte selects the webhook, and which of the objects that pods
// need exist.

#include <cstdint>
#include <expected>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/base64.h"
#include "data/manifest/read.h"
#include "fuzz/require.h"
#include "kserve/cluster/admission/admission_review.h"
#include "kserve/cluster/admission/review.h"

namespace inferd::fuzz {
namespace {

using manifest::Kind;
using manifest::Value;

// Responses are larger than requests, because a patch is in base64 and repeats values.
constexpr manifest::Limits kAnswerLimits = {.file_bytes_max = 64 << 20, .depth_max = 300, .bytes_max = 64'000'000};

Value Parsed(std::string_view json) {
  auto documents = manifest::ReadJson(json, "answer", kAnswerLimits);
  Require(documents.has_value() && documents->size() == 1, "an answer that is no JSON");
  return std::move(documents->front());
}

const Value& Member(const Value& map, std::string_view key, Kind kind) {
  const Value* const found = map.Find(key);
  Require(found != nullptr && found->is(kind), "an answer without one of its fields");
  return *found;
}

// A Secret or a ServiceAccount, which exists, is missing, or cannot be read.
kubernetes::ApiResult<kubernetes::ObjectPointer> Found(size_t choice, const std::string& kind) {
  if (choice % 3 == 0) return nullptr;
  if (choice % 3 == 1) return std::unexpected(kubernetes::ApiError{.reason = "Forbidden", .message = "no"});
  return std::make_shared<const Value>(
      Parsed(kind == "Secret" ? R"({"data":{"awsSecretAccessKey":"YQ==","https-host":"YQ==","headers":"e30="}})"
                              : R"({"secrets":[{"name":"s"},{"name":""},{}]})"));
}

void CheckStatus(const Value& status) {
  Require(!Member(status, "message", Kind::kString).text().empty(), "a refusal without words");
  Require(Member(status, "message", Kind::kString).text().size() <= 4096, "a refusal with too many words");
  Member(status, "code", Kind::kNumber);
}

void CheckPatch(const Value& patch) {
  Require(!patch.items().empty(), "a patch of nothing");
  for (const Value& operation : patch.items()) {
    Member(operation, "op", Kind::kString);
    const std::string& path = Member(operation, "path", Kind::kString).text();
    Require(path.empty() || path.front() == '/', "a path that is no JSON pointer");
  }
}

void CheckResponse(const Value& response) {
  Require(!Member(response, "uid", Kind::kString).text().empty(), "an answer to no request");
  if (!Member(response, "allowed", Kind::kBool).boolean()) return CheckStatus(Member(response, "status", Kind::kMap));
  if (const Value* const patch = response.Find("patch")) {
    CheckPatch(Parsed(base::DecodedBase64(patch->text())));
  }
}

}  // namespace
}  // namespace inferd::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace inferd;
  if (size == 0) return 0;
  const std::vector<std::string_view> paths = cluster::WebhookPaths();
  // The selector is the distance from '0'.
  const size_t choice = static_cast<uint8_t>(data[0] - '0');
  const std::string_view path = paths[choice % paths.size()];
  const std::vector<char> copy(data + 1, data + size);
  const auto configuration = std::make_shared<cluster::Configuration>();
  configuration->config.default_mode = model::DeploymentMode::kRawDeployment;
  const cluster::ReviewContext context = {
      .objects = {.config = [&] { return configuration->config; },
                  .runtimes = [] { return std::vector<model::ServingRuntime>(); }},
      .pods = {.configuration = [&] { return configuration; },
               .find = [&](const std::string& kind, const kubernetes::ObjectName&,
                           const std::stop_token&) { return fuzz::Found(choice / paths.size(), kind); }}};
  const cluster::ReviewAnswer answer = cluster::Review(path, std::string_view(copy.data(), copy.size()), context);
  const manifest::Value said = fuzz::Parsed(answer.body);
  if (answer.status == 200) {
    fuzz::CheckResponse(fuzz::Member(said, "response", manifest::Kind::kMap));
  } else {
    fuzz::Require(answer.status == 400, "another error of HTTP");
    fuzz::CheckStatus(said);
  }
  return 0;
}
