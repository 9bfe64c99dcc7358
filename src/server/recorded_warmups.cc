#include "server/recorded_warmups.h"

#include <optional>
#include <string>
#include <utility>

#include "base/system/regular_file.h"
#include "data/wire/reader.h"
#include "protocols/tfs/model_spec.h"
#include "protocols/tfs/signature_method.h"
#include "protocols/tfs_grpc/codec/examples_reader.h"
#include "protocols/tfs_grpc/codec/model_spec_reader.h"
#include "protocols/tfs_grpc/codec/predict_request_reader.h"
#include "protocols/tfs_grpc/result_task.h"
#include "server/records/record_file.h"

namespace inferd::server {

namespace {

constexpr const char* kFile = "assets.extra/tf_serving_warmup_requests";
constexpr size_t kFileBytesMax = 256 << 20;
constexpr size_t kRecordsMax = 1000;  // TensorFlow Serving's limit
constexpr uint64_t kTensorBytesMax = 64 << 20;

using Request = std::unique_ptr<core::InferRequest>;

// Returns the request in a ClassifyLog, PredictLog and similar messages.
std::string_view RequestIn(wire::Reader log) {
  std::string_view request;
  while (const uint32_t tag = log.Next()) {
    if (tag == wire::Tag(1, wire::Type::kBytes)) {
      request = log.Bytes();
    } else {
      log.Skip();
    }
  }
  return request;
}

base::Status AddPredict(std::string_view message, const core::PinnedModel& model, bool check_method,
                        std::vector<Request>& requests) {
  INFERD_ASSIGN_OR_RETURN(const auto spec, tfs_grpc::ReadModelSpecOf(message, 1));
  const auto signature = tfs::FindSignature(model, spec.signature);
  if (!signature) return base::InvalidArgument("Serving signature key \"" + spec.signature + "\" not found.");
  if (check_method) INFERD_RETURN_IF_ERROR(tfs::CheckMethod(tfs::Api::kPredict, *model.signatures()[*signature]));
  const base::BufferSlice bytes(base::Buffer::CopyOf(message));
  INFERD_ASSIGN_OR_RETURN(auto request,
                          tfs_grpc::ReadPredictRequest(bytes, *model.signatures()[*signature], kTensorBytesMax));
  request->signature = *signature;
  requests.push_back(std::move(request));
  return {};
}

base::Status AddExamples(std::string_view message, tfs::Api api, const core::PinnedModel& model, bool check_methods,
                         std::vector<Request>& requests) {
  INFERD_ASSIGN_OR_RETURN(auto tasks, tfs_grpc::ReadResultTasks(message, api));
  INFERD_RETURN_IF_ERROR(tfs_grpc::ResolveTasks(model, api, check_methods, tasks));
  for (const tfs_grpc::ResultTask& task : tasks) {
    INFERD_ASSIGN_OR_RETURN(auto request,
                            tfs_grpc::ReadExamples(message, *model.signatures()[task.signature], kTensorBytesMax));
    request->signature = task.signature;
    requests.push_back(std::move(request));
  }
  return {};
}

// Adds the request of a PredictionLog, if it has one that can be run.
base::Status AddLog(std::string_view record, const core::PinnedModel& model, bool check_methods,
                    std::vector<Request>& requests) {
  std::optional<tfs::Api> api;
  std::string_view message;
  wire::Reader log(record);
  while (const uint32_t tag = log.Next()) {
    switch (tag) {
      case wire::Tag(2, wire::Type::kBytes): api = tfs::Api::kClassify; break;
      case wire::Tag(3, wire::Type::kBytes): api = tfs::Api::kRegress; break;
      case wire::Tag(4, wire::Type::kBytes): api = tfs::Api::kMultiInference; break;
      case wire::Tag(6, wire::Type::kBytes): api = tfs::Api::kPredict; break;
      default: log.Skip(); continue;
    }
    message = RequestIn(log.Message());
  }
  INFERD_RETURN_IF_ERROR(log.status());
  if (!api) return {};
  return *api == tfs::Api::kPredict ? AddPredict(message, model, check_methods, requests)
                                    : AddExamples(message, *api, model, check_methods, requests);
}

}  // namespace

base::Result<repository::RecordedRequests> ReadRecordedWarmups(const std::filesystem::path& version_dir,
                                                               const core::PinnedModel& version,
                                                               const RecordedWarmupOptions& options) {
  repository::RecordedRequests recorded;
  const auto file = base::ReadRegularFile(version_dir / kFile, kFileBytesMax);
  if (!file.has_value()) {
    if (file.error().code() == base::StatusCode::kNotFound) return recorded;
    return std::unexpected(file.error());
  }
  const auto records = SplitRecords(*file, kRecordsMax);
  if (!records.has_value()) return std::unexpected(records.error().WithContext(kFile));
  recorded.records = records->size();
  for (uint32_t i = 0; i < options.times; ++i) {
    for (const std::string_view record : *records) {
      INFERD_RETURN_IF_ERROR(AddLog(record, version, options.check_methods, recorded.requests).WithContext(kFile));
    }
  }
  return recorded;
}

}  // namespace inferd::server
