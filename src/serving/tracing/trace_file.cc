#include "serving/tracing/trace_file.h"

#include <algorithm>
#include <utility>

#include "base/text/digits.h"
#include "data/json/writer.h"

namespace inferd::tracing {

namespace {

void WriteRequest(json::Writer& writer, const TraceRecord& record) {
  writer.BeginObject();
  writer.Member("id", record.id);
  writer.Member("model_name", record.model);
  writer.Key("model_version");
  writer.Raw(base::IsDigits(record.version) ? std::string_view(record.version) : "-1");
  if (!record.request_id.empty()) writer.Member("request_id", record.request_id);
  if (record.parent_id != 0) writer.Member("parent_id", record.parent_id);
  writer.EndObject();
}

void WriteTimestamps(json::Writer& writer, const TraceRecord& record) {
  std::vector<TraceEvent> events = record.events;
  std::ranges::stable_sort(events, {}, &TraceEvent::at_ns);
  writer.BeginObject();
  writer.Member("id", record.id);
  writer.Key("timestamps");
  writer.BeginArray();
  for (const TraceEvent& event : events) {
    writer.BeginObject();
    writer.Member("name", EventName(event));
    writer.Member("ns", event.at_ns);
    writer.EndObject();
  }
  writer.EndArray();
  writer.EndObject();
}

void WriteTensor(json::Writer& writer, const TraceRecord& record, const TraceTensor& tensor) {
  writer.BeginObject();
  writer.Member("id", record.id);
  writer.Member("activity", ActivityName(tensor.activity));
  writer.Key("tensor");
  writer.BeginObject();
  writer.Member("name", tensor.name);
  writer.Member("data", tensor.data);
  writer.Member("shape", tensor.shape);
  writer.Member("dtype", tensor.datatype);
  writer.EndObject();
  writer.EndObject();
}

}  // namespace

std::string TraceFileText(const TraceRecord& record) {
  json::Writer writer;
  writer.BeginArray();
  WriteRequest(writer, record);
  if (!record.events.empty()) WriteTimestamps(writer, record);
  for (const TraceTensor& tensor : record.tensors) WriteTensor(writer, record, tensor);
  writer.EndArray();
  const std::string text = writer.TakeString();
  return text.substr(1, text.size() - 2);
}

bool TraceFile::Export(std::vector<TraceRecord> records) {
  base::Status status;
  for (const TraceRecord& record : records) {
    if (status = Append(record); !status.ok()) break;
  }
  if (status.ok()) status = whole_.Flush();
  if (status.ok()) status = numbered_.Flush();
  if (!status.ok() && !failing_) logger_.Error("traces are lost", {{"error", status.message()}});
  failing_ = !status.ok();
  return !failing_;
}

base::Status TraceFile::Append(const TraceRecord& record) {
  ArrayFile& file = record.log_frequency == 0 ? whole_ : numbered_;
  if (!file.is_open() || (record.log_frequency != 0 && file.appended() >= record.log_frequency)) {
    INFERD_RETURN_IF_ERROR(file.Flush());
    INFERD_RETURN_IF_ERROR(file.Open(record.log_frequency == 0 ? path_ : path_ + "." + std::to_string(next_number_++)));
  }
  file.Append(TraceFileText(record));
  return {};
}

}  // namespace inferd::tracing
