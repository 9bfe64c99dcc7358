#include "protocols/oip_http/codec/scheduler_json.h"

#include <string_view>

#include "data/json/writer.h"

namespace inferd::oip_http {

namespace {

void WriteMicroseconds(json::Writer& writer, std::string_view key, int64_t ns) {
  writer.Member(key, static_cast<double>(ns) / 1e3);
}

void WriteFailures(json::Writer& writer, const core::SchedulerReport::Sharing& sharing) {
  writer.Key("failures");
  writer.BeginObject();
  writer.Member("executions", sharing.failed);
  writer.Member("repeated_requests", sharing.repeated);
  if (sharing.requests_max > 0) writer.Member("requests_max", sharing.requests_max);
  writer.EndObject();
}

void WriteBatching(json::Writer& writer, const core::SchedulerReport& report) {
  writer.Key("batching");
  writer.BeginObject();
  writer.Member("enabled", report.batching);
  writer.Member("rows_max", report.rows_max);
  writer.Key("preferred_rows");
  writer.BeginArray();
  for (const int64_t rows : report.preferred_rows) writer.Int(rows);
  writer.EndArray();
  WriteMicroseconds(writer, "delay_us", report.delay_ns);
  writer.Member("preserve_ordering", report.preserve_order);
  if (report.sharing.failed > 0) WriteFailures(writer, report.sharing);
  if (!report.sharing.stopped.empty()) writer.Member("stopped", report.sharing.stopped);
  if (!report.batching_reason.empty()) {
    writer.Member("decided_by", report.batching_decided_by);
    writer.Member("reason", report.batching_reason);
  }
  writer.EndObject();
}

void WriteQueue(json::Writer& writer, const core::SchedulerReport& report) {
  writer.Key("queue");
  writer.BeginArray();
  for (const core::SchedulerReport::Level& level : report.levels) {
    writer.BeginObject();
    writer.Member("priority_level", level.level);
    writer.Member("requests", level.requests);
    writer.Member("size_max", level.size_max);
    writer.EndObject();
  }
  writer.EndArray();
}

void WriteInstances(json::Writer& writer, const core::SchedulerReport& report) {
  writer.Key("instances");
  writer.BeginObject();
  writer.Member("count", report.instances);
  writer.Member("busy", report.busy_instances);
  WriteMicroseconds(writer, "mean_service_us", report.mean_service_ns);
  writer.Member("inline_open", report.inline_open);
  writer.Member("inline_executions", report.inline_executions);
  writer.EndObject();
}

void WriteExecutions(json::Writer& writer, const core::SchedulerReport& report) {
  writer.Key("executions");
  writer.BeginObject();
  for (size_t i = 0; i < report.executions.size(); ++i) {
    if (report.executions[i] == 0) continue;
    writer.Member(core::BatchReasonName(static_cast<core::BatchReason>(i)), report.executions[i]);
  }
  writer.EndObject();
  WriteMicroseconds(writer, "resource_wait_us", report.resource_wait_ns);
}

void WriteTuning(json::Writer& writer, const core::SchedulerReport::Tuning& tuning) {
  writer.Key("tuning");
  writer.BeginObject();
  WriteMicroseconds(writer, "latency_objective_us", tuning.objective_ns);
  writer.Member("rows_per_second", tuning.rows_per_second);
  WriteMicroseconds(writer, "first_row_us", tuning.first_row_ns);
  WriteMicroseconds(writer, "further_row_us", tuning.further_row_ns);
  writer.Member("explanation", tuning.explanation);
  writer.EndObject();
}

void WriteConcurrency(json::Writer& writer, const core::SchedulerReport::Concurrency& concurrency) {
  writer.Key("concurrency");
  writer.BeginObject();
  writer.Member("limit", concurrency.limit);
  writer.Member("min", concurrency.min);
  writer.Member("max", concurrency.max);
  writer.Member("in_flight", concurrency.in_flight);
  writer.Member("shed", concurrency.shed);
  writer.EndObject();
}

void WriteSequences(json::Writer& writer, const core::SchedulerReport::Sequences& sequences) {
  writer.Key("sequences");
  writer.BeginObject();
  writer.Member("strategy", sequences.strategy);
  writer.Member("slots", sequences.slots);
  writer.Member("active", sequences.active);
  writer.Member("backlog", sequences.backlog);
  writer.Member("waiting", sequences.waiting);
  writer.Member("waiting_max", sequences.waiting_max);
  writer.Member("begun", sequences.begun);
  writer.Member("ended", sequences.ended);
  writer.Member("restarted", sequences.restarted);
  writer.Member("idled", sequences.idled);
  writer.Member("failed", sequences.failed);
  writer.Member("refused", sequences.refused);
  writer.EndObject();
}

void WriteStep(json::Writer& writer, const core::SchedulerReport::Step& step) {
  writer.BeginObject();
  writer.Key("calls");
  writer.BeginArray();
  for (const core::SchedulerReport::Step::Call& call : step.calls) {
    writer.BeginObject();
    writer.Member("model_name", call.model);
    if (!call.version.empty()) writer.Member("model_version", call.version);
    if (call.shadow) writer.Member("shadow", true);
    writer.Member("taken", call.taken);
    writer.Member("failed", call.failed);
    writer.EndObject();
  }
  writer.EndArray();
  writer.Member("passed_over", step.passed_over);
  writer.EndObject();
}

void WriteRecord(json::Writer& writer, const core::BatchRecord& record) {
  writer.BeginObject();
  writer.Member("started_ms", record.started_wall_ms);
  writer.Member("rows", record.rows);
  writer.Member("requests", record.requests);
  writer.Member("reason", core::BatchReasonName(record.reason));
  WriteMicroseconds(writer, "oldest_waited_us", record.oldest_waited_ns);
  WriteMicroseconds(writer, "service_us", record.service_ns);
  writer.Member("left_waiting", record.left_waiting);
  writer.Member("instance", record.instance);
  writer.Member("inline", record.on_loop);
  writer.EndObject();
}

}  // namespace

std::string SchedulerJson(const core::SchedulerReport& report) {
  json::Writer writer(16 * 1024);
  writer.BeginObject();
  writer.Member("model_name", report.id.name);
  writer.Member("model_version", std::to_string(report.id.version));
  writer.Member("summary", SchedulerSummary(report));
  WriteBatching(writer, report);
  WriteQueue(writer, report);
  WriteInstances(writer, report);
  WriteExecutions(writer, report);
  if (report.tuning.active) WriteTuning(writer, report.tuning);
  if (report.concurrency.limit > 0) WriteConcurrency(writer, report.concurrency);
  if (!report.sequences.strategy.empty()) WriteSequences(writer, report.sequences);
  if (!report.steps.empty()) {
    writer.Key("steps");
    writer.BeginArray();
    for (const core::SchedulerReport::Step& step : report.steps) WriteStep(writer, step);
    writer.EndArray();
  }
  writer.Key("recent");
  writer.BeginArray();
  for (const core::BatchRecord& record : report.recent) WriteRecord(writer, record);
  writer.EndArray();
  writer.EndObject();
  return writer.TakeString();
}

}  // namespace inferd::oip_http
