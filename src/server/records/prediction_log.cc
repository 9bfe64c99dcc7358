#include "server/records/prediction_log.h"

#include "data/wire/append.h"
#include "protocols/tfs/api_messages.h"

namespace inferd::server {

namespace {

constexpr int64_t kNsPerSecond = 1'000'000'000;
constexpr uint32_t kMetadata = 1;                                            // PredictionLog
constexpr uint32_t kModelSpec = 1, kSamplingConfig = 2, kTimestampSecs = 4;  // LogMetadata
constexpr uint32_t kSamplingRate = 1;                                        // SamplingConfig
constexpr uint32_t kRequest = 1, kResponse = 2;                              // PredictLog and its like

// Returns the field of PredictionLog.
uint32_t FieldOf(tfs::Api api) {
  switch (api) {
    case tfs::Api::kClassify: return 2;
    case tfs::Api::kRegress: return 3;
    case tfs::Api::kMultiInference: return 4;
    case tfs::Api::kSessionRun: return 5;
    case tfs::Api::kPredict: break;
  }
  return 6;
}

}  // namespace

std::string PredictionLogOf(const tfs::LoggedCall& call, const tfs::LoggedCall::Messages& messages,
                            double sampling_rate, int64_t wall_ns) {
  std::string sampling;
  wire::AppendDouble(kSamplingRate, sampling_rate, &sampling);
  std::string metadata;
  wire::AppendBytes(kModelSpec, tfs::ModelSpecMessage(call.model, call.version, call.signature), &metadata);
  wire::AppendBytes(kSamplingConfig, sampling, &metadata);
  wire::AppendNumber(kTimestampSecs, wall_ns / kNsPerSecond, &metadata);
  std::string exchange;
  wire::AppendBytes(kRequest, messages.request, &exchange);
  wire::AppendBytes(kResponse, messages.response, &exchange);
  std::string log;
  wire::AppendBytes(kMetadata, metadata, &log);
  wire::AppendBytes(FieldOf(call.api), exchange, &log);
  return log;
}

}  // namespace inferd::server
