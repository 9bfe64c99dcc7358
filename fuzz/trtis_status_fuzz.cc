// Fuzzes the status of a server with one model of a given configuration, and NV-Status with a given message. Both texts
// must have the content of their messages.

#include <google/protobuf/text_format.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "config/model/model_config_document.h"
#include "config/model/model_config_parser.h"
#include "fuzz/require.h"
#include "protocols/trtis/request_status.h"
#include "protocols/trtis/server_status.h"
#include "serving/core/fake_catalog.h"
#include "trtis/request_status.pb.h"

namespace {

using namespace inferd;

void CheckRequestStatus(const std::string& message) {
  const std::string text = trtis::StatusText({.code = trtis::Code::kInternal, .message = message, .request_id = 1});
  for (const char c : text) fuzz::Require(c >= 0x20 && c < 0x7f, "a byte that no header may have");
  nvidia::inferenceserver::RequestStatus status;
  fuzz::Require(google::protobuf::TextFormat::ParseFromString(text, &status), "NV-Status does not parse");
  fuzz::Require(message.size() > 1000 || status.msg() == message, "NV-Status says something else");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  CheckRequestStatus(text);
  const auto config = config::ParseModelConfig(text, "config.pbtxt");
  if (!config.has_value()) return 0;
  core::FakeCatalog catalog;
  catalog.config = config->document->ToJson();
  std::vector<core::IndexEntry> versions(2);
  versions[0].version = "1";
  versions[0].state = core::ModelState::kReady;
  versions[1].version = "99999999999";
  catalog.versions = versions;
  core::ModelStatistics statistics;
  statistics.version = "1";
  statistics.requests.emplace_back();
  statistics.requests[0].rows = 3;
  statistics.requests[0].success = {.count = 1, .ns = 2};
  catalog.statistics = std::vector<core::ModelStatistics>{statistics};
  const trtis::ServerState state("inference:0", "1");
  nvidia::inferenceserver::ServerStatus status;
  fuzz::Require(trtis::MakeServerStatus({.catalog = catalog, .state = state}, "m", status).ok(), "no status");
  const auto& shown = status.model_status().at("m");
  fuzz::Require(shown.config().platform() == config->platform, "another platform");
  fuzz::Require(shown.version_status_size() == 1, "other versions");
  nvidia::inferenceserver::ServerStatus read;
  fuzz::Require(google::protobuf::TextFormat::ParseFromString(status.DebugString(), &read), "the text does not parse");
  fuzz::Require(read.DebugString() == status.DebugString(), "the text says something else");
  return 0;
}
