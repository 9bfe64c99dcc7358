#include "kserve/cluster/objects/status_writer.h"

#include "base/text/utc_time.h"
#include "kserve/cluster/objects/object_writer.h"
#include "kserve/model/status/service_status.h"
#include "kserve/model/status/trained_model_status.h"

namespace inferd::cluster {

using manifest::Value;

StatusWriter::StatusWriter(kubernetes::Client& client, const base::Clock& clock, metrics::Registry& metrics)
    : client_(client),
      clock_(clock),
      written_(WritesCounter(metrics, "status")),
      events_(client, "inferd-controller", clock) {}

kubernetes::ApiResult<bool> StatusWriter::Write(const kubernetes::Resource& resource, const Value& live,
                                                const Value& status, const std::stop_token& stop) {
  const Value* const before = live.Find("status");
  if (before != nullptr && *before == status) return false;
  Value object = live;
  object.Set("status", status);
  const auto written = client_.Update(resource, object, {.subresource = "status"}, stop);
  if (!written.has_value()) return std::unexpected(written.error());
  written_->Add();
  return true;
}

kubernetes::ApiResult<bool> StatusWriter::WriteNotice(const kubernetes::Resource& resource, const Value& live,
                                                      const std::string& type, const model::ObservedCondition& notice,
                                                      const std::stop_token& stop) {
  const Value* const before = live.Find("status");
  // The condition's time is when it began, so an unchanged condition must not be rewritten.
  if (model::MessageOf(before, type) == notice.message) return false;
  const Value status = model::WithTimes(model::WithNotice(before, type, notice), before, Now());
  auto written = Write(resource, live, status, stop);
  if (written.has_value() && *written) Record(live, "Warning", notice.reason, notice.message, stop);
  return written;
}

void StatusWriter::Record(const Value& object, const std::string& type, const std::string& reason,
                          const std::string& message, const std::stop_token& stop) {
  const base::MutexLock lock(mutex_);
  static_cast<void>(events_.Record(object, type, reason, message, stop));
}

std::string StatusWriter::Now() const {
  const std::string text = base::UtcTimeText(clock_.WallNs());
  return text.substr(0, text.find('.')) + "Z";
}

}  // namespace inferd::cluster
