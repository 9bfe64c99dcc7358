#include "config/tfs/server_files.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "config/model/model_config_place.h"
#include "config/model/text_format.h"
#include "config/tfs/batching_message.h"
#include "tfs/server_files.pb.h"

namespace inferd::config {
namespace {

namespace tfs = tensorflow::serving;

// TensorFlow Serving's defaults.
constexpr int64_t kEnqueuedBatches = 10;
constexpr int64_t kLargest = std::numeric_limits<int32_t>::max();

// A parsed file, and the places of its fields.
template <typename Message>
struct File {
  Message message;
  google::protobuf::TextFormat::ParseInfoTree places;
};

template <typename Message>
base::Status ParseFile(std::string_view text, std::string_view file_name, File<Message>& file) {
  return ParseTextFormat(text, file_name, file.message, file.places)
      .WithContext("Error parsing text-format " + file.message.GetDescriptor()->full_name());
}

class BatchingReader {
 public:
  BatchingReader(const tfs::BatchingParameters& from, const Place& place) : from_(from), place_(place) {}

  base::Result<BatchingParameters> Read() {
    const bool splits = from_.enable_large_batch_splitting().value();
    const int64_t requested = from_.has_max_batch_size() ? Positive("max_batch_size", from_.max_batch_size()) : 1000;
    const int64_t executed = from_.has_max_execution_batch_size()
                                 ? Positive("max_execution_batch_size", from_.max_execution_batch_size())
                                 : requested;
    const int64_t batches = from_.has_max_enqueued_batches()
                                ? Positive("max_enqueued_batches", from_.max_enqueued_batches())
                                : kEnqueuedBatches;
    if (from_.has_num_batch_threads()) {
      result_.batch_threads = static_cast<int32_t>(Positive("num_batch_threads", from_.num_batch_threads()));
    }
    ReadPoolName();
    CheckSizes(splits, requested, executed);
    if (from_.batch_timeout_micros().value() < 0 || from_.batch_timeout_micros().value() > kLargest) {
      Refuse("batch_timeout_micros", "is out of range");
    }
    INFERD_RETURN_IF_ERROR(ToStatus(problems_));
    result_.max_batch_size = static_cast<int32_t>(splits ? executed : requested);
    result_.batching.max_queue_delay_us = static_cast<uint32_t>(from_.batch_timeout_micros().value());
    result_.batching.queue_size_max = static_cast<uint32_t>(std::min(batches * requested, kLargest));
    result_.batching.split_large_requests = splits;
    result_.batching.pad_to_largest_shape = from_.pad_variable_length_inputs();
    for (const int64_t size : from_.allowed_batch_sizes()) {
      result_.batching.allowed_batch_sizes.push_back(static_cast<int32_t>(size));
    }
    return std::move(result_);
  }

 private:
  void Refuse(std::string_view field, std::string message) {
    problems_.push_back(place_.At(field, std::move(message)));
  }

  int64_t Positive(std::string_view field, const google::protobuf::Int64Value& value) {
    if (value.value() >= 1 && value.value() <= kLargest) return value.value();
    Refuse(field, "must be from 1 to " + std::to_string(kLargest) + ", got " + std::to_string(value.value()));
    return 1;
  }

  // The name becomes that of a resource, which must not contain a colon.
  void ReadPoolName() {
    if (!from_.has_thread_pool_name()) return;
    result_.thread_pool_name = from_.thread_pool_name().value();
    const bool fits = !result_.thread_pool_name.empty() && result_.thread_pool_name.find(':') == std::string::npos;
    if (!fits) Refuse("thread_pool_name", "must not be empty, or have a ':'");
  }

  void CheckSizes(bool splits, int64_t requested, int64_t executed) {
    if (!splits && from_.has_max_execution_batch_size() && executed != requested) {
      Refuse("max_execution_batch_size", "differs from max_batch_size only with enable_large_batch_splitting");
    }
    const auto& allowed = from_.allowed_batch_sizes();
    if (allowed.empty()) return;
    const bool ascending = std::ranges::adjacent_find(allowed, std::greater_equal<>()) == allowed.end();
    if (!ascending || *allowed.begin() < 1) Refuse("allowed_batch_sizes", "must be above 0 and ascending");
    if (*allowed.rbegin() == executed) return;
    Refuse("allowed_batch_sizes", std::string("Last entry in allowed_batch_sizes must match ") +
                                      (splits ? "max_execution_batch_size" : "max_batch_size") + "; last entry was " +
                                      std::to_string(*allowed.rbegin()) + "; expected " + std::to_string(executed));
  }

  const tfs::BatchingParameters& from_;
  const Place& place_;
  BatchingParameters result_;
  std::vector<Problem> problems_;
};

}  // namespace

base::Result<BatchingParameters> ReadBatchingParameters(const tfs::BatchingParameters& message, const Place& place) {
  return BatchingReader(message, place).Read();
}

base::Result<BatchingParameters> ParseBatchingParameters(std::string_view text, std::string_view file_name) {
  File<tfs::BatchingParameters> file;
  INFERD_RETURN_IF_ERROR(ParseFile(text, file_name, file));
  const Place place(file.message.GetDescriptor(), &file.places, std::string(file_name));
  return ReadBatchingParameters(file.message, place);
}

base::Result<std::string> ParseMonitoringPath(std::string_view text, std::string_view file_name) {
  File<tfs::MonitoringConfig> file;
  INFERD_RETURN_IF_ERROR(ParseFile(text, file_name, file));
  const tfs::PrometheusConfig& prometheus = file.message.prometheus_config();
  if (!prometheus.enable()) return "";
  return prometheus.path().empty() ? "/monitoring/prometheus/metrics" : prometheus.path();
}

base::Result<SslTexts> ParseSslConfig(std::string_view text, std::string_view file_name) {
  File<tfs::SSLConfig> file;
  INFERD_RETURN_IF_ERROR(ParseFile(text, file_name, file));
  const tfs::SSLConfig& ssl = file.message;
  const auto missing = [&](const char* field) {
    return std::unexpected(base::InvalidArgument(std::string(file_name) + ": " + field + " is missing"));
  };
  if (ssl.server_key().empty()) return missing("server_key");
  if (ssl.server_cert().empty()) return missing("server_cert");
  const std::pair<const char*, const std::string&> texts[] = {
      {"server_key", ssl.server_key()}, {"server_cert", ssl.server_cert()}, {"custom_ca", ssl.custom_ca()}};
  for (const auto& [field, pem] : texts) {
    if (pem.empty() || pem.contains("-----BEGIN ")) continue;
    return std::unexpected(
        base::InvalidArgument(std::string(file_name) + ": " + field +
                              " must be the PEM text itself (-----BEGIN ...), not the path of a file "
                              "that has it"));
  }
  if (ssl.client_verify() && ssl.custom_ca().empty()) return missing("custom_ca, by which clients are verified,");
  return SslTexts{.key = ssl.server_key(),
                  .certificate = ssl.server_cert(),
                  .client_ca = ssl.client_verify() ? ssl.custom_ca() : ""};
}

}  // namespace inferd::config
