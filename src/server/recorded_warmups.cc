#include "server/recorded_warmups.h"

#include <optional>
#include <string>
#include <utility>

#include "config/small_file.h"
#include "frontends/tfs_grpc/examples_reader.h"
#include "frontends/tfs_grpc/predict_request_reader.h"
#include "server/record_file.h"
#include "wire/reader.h"

namespace inferd::server {

namespace {

constexpr const char* kFile = "assets.extra/tf_serving_warmup_requests";
constexpr size_t kFileBytesMax = 256 << 20;
constexpr size_t kRecordsMax = 1000;  // TensorFlow Serving's
constexpr uint64_t kTensorBytesMax = 64 << 20;

using Request = std::unique_ptr<core::InferRequest>;

// The request in a ClassifyLog, PredictLog and so on.
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

// Of a PredictionLog; null: it holds none that could be run.
base::Result<Request> ReadLog(std::string_view record, const core::ModelSignature& signature) {
  std::optional<std::string_view> predict;
  std::optional<std::string_view> examples;
  wire::Reader log(record);
  while (const uint32_t tag = log.Next()) {
    switch (tag) {
      case wire::Tag(2, wire::Type::kBytes):                                              // classify_log
      case wire::Tag(3, wire::Type::kBytes):                                              // regress_log
      case wire::Tag(4, wire::Type::kBytes): examples = RequestIn(log.Message()); break;  // multi_inference_log
      case wire::Tag(6, wire::Type::kBytes): predict = RequestIn(log.Message()); break;   // predict_log
      default: log.Skip();
    }
  }
  INFERD_RETURN_IF_ERROR(log.status());
  if (predict.has_value()) {
    const base::BufferSlice message(base::Buffer::CopyOf(*predict));
    return tfs_grpc::ReadPredictRequest(message, signature, kTensorBytesMax);
  }
  if (examples.has_value()) return tfs_grpc::ReadExamples(*examples, signature, kTensorBytesMax);
  return nullptr;
}

}  // namespace

base::Result<std::vector<Request>> ReadRecordedWarmups(const std::filesystem::path& version_dir,
                                                       const core::PinnedModel& version, uint32_t times) {
  std::vector<Request> requests;
  const auto file = config::ReadSmallFile(version_dir / kFile, kFileBytesMax);
  if (!file.has_value()) {
    if (file.error().code() == base::StatusCode::kNotFound) return requests;
    return std::unexpected(file.error());
  }
  const auto records = SplitRecords(*file, kRecordsMax);
  if (!records.has_value()) return std::unexpected(records.error().WithContext(kFile));
  for (uint32_t i = 0; i < times; ++i) {
    for (const std::string_view record : *records) {
      auto request = ReadLog(record, version.signature());
      if (!request.has_value()) return std::unexpected(request.error().WithContext(kFile));
      if (*request != nullptr) requests.push_back(*std::move(request));
    }
  }
  return requests;
}

}  // namespace inferd::server
