#include "engines/python/worker_asks.h"

#include <string>
#include <utility>
#include <vector>

#include "engines/kit/parameters.h"
#include "engines/python/message/model_call_reader.h"
#include "engines/python/message/value_parts.h"

namespace inferd::python {

namespace {

base::Status NoAsk() { return base::Internal("asks what it cannot, and was ended"); }

base::Status ToStatus(int32_t code, inferd_text message) {
  return {static_cast<base::StatusCode>(code), std::string(kit::ToView(message))};
}

size_t BytesOf(const inferd_model_control& control) {
  size_t bytes = control.model.size + control.config_json.size;
  for (size_t i = 0; i < control.file_count; ++i) bytes += control.files[i].key.size + control.files[i].value.size;
  return bytes;
}

base::Status TooOld() { return base::Unimplemented("the server does not take what models ask"); }

}  // namespace

// Owned by the host's callback alone: deleted with the final response.
struct WorkerAsks::Calling {
  std::shared_ptr<WorkerAsks> asks;
  uint64_t number = 0;
  size_t bytes = 0;  // size of a control
};

base::Status WorkerAsks::Take(const Value::Items& message, std::span<const std::byte> memory) {
  ItemReader items(message);
  const std::string& what = items.Text();
  const uint64_t number = items.Uint();
  if (!items.ok()) return NoAsk();
  if (what == "ask") {
    const std::string& kind = items.Text();
    return items.ok() ? Ask(number, kind, items, memory) : NoAsk();
  }
  if (what == "cancel") {
    Cancel(number);
  } else {
    Used(number);
  }
  return items.Finished() ? base::OkStatus() : NoAsk();
}

base::Status WorkerAsks::Ask(uint64_t number, const std::string& kind, ItemReader& items,
                             std::span<const std::byte> memory) {
  if (kind == "cancelled") return AskCancelled(number, items);
  if (!INFERD_HAS_FIELD(inferd_host, &host_, close_metric)) {
    Reply(number, TooOld());
    return base::OkStatus();
  }
  if (kind == "call") return Call(number, items, memory);
  if (kind == "ready" || kind == "load" || kind == "unload") return Control(number, kind, items);
  if (kind == "metric") return OpenMetric(number, items);
  if (kind == "change") return ChangeMetric(number, items);
  return NoAsk();
}

// Reads (..., execution, request or -1, and the items of ModelCallReader).
base::Status WorkerAsks::Call(uint64_t number, ItemReader& items, std::span<const std::byte> memory) {
  const uint64_t execution = items.Uint();
  const int64_t request = items.Int();
  ModelCallReader reader;
  if (!items.ok() || request < -1 || !reader.Read(items, TensorMemory(memory))) return NoAsk();
  const inferd_batch* const batch = find_batch_(execution);
  if (batch == nullptr || (request >= 0 && static_cast<size_t>(request) >= batch->request_count)) {
    Reply(number, base::FailedPrecondition("the execution that the call is made in is over"), 0, false);
    return base::OkStatus();
  }
  const auto respond = [](void* arg, const inferd_call_response* response) {
    auto* const called = static_cast<Calling*>(arg);
    const bool final = response->final != 0;
    called->asks->OnResponse(called->number, *response);
    if (final) delete called;
  };
  bool open = false;
  {
    const base::MutexLock lock(mutex_);
    open = calls_.size() < kCallsMax;
    if (open && !calls_.emplace(number, Asked{.many = reader.call()->decoupled != 0}).second) return NoAsk();
  }
  if (!open) {
    Reply(number, base::ResourceExhausted("too many calls of models are under way"), 0, false);
    return base::OkStatus();
  }
  uint64_t call = 0;
  const size_t made_for = request < 0 ? INFERD_ALL_REQUESTS : static_cast<size_t>(request);
  auto* const calling = new Calling{.asks = shared_from_this(), .number = number};
  host_.call_model(&host_, batch, made_for, reader.call(), respond, calling, &call);
  const base::MutexLock lock(mutex_);
  if (const auto asked = calls_.find(number); asked != calls_.end()) asked->second.call = call;
  return base::OkStatus();
}

void WorkerAsks::OnResponse(uint64_t number, const inferd_call_response& response) {
  std::vector<inferd_memory> tensors;
  for (size_t i = 0; i < response.output_count; ++i) tensors.push_back(response.outputs[i]->memory);
  {
    const base::MutexLock lock(mutex_);
    if (closed_) return;
  }
  const auto block = inputs_->Add(tensors);
  MarshalWriter message;
  {
    const base::MutexLock lock(mutex_);
    const auto asked = calls_.find(number);
    if (asked == calls_.end()) return;
    if (block.has_value()) asked->second.unused.push_back(*block);
    asked->second.over = response.final != 0;
  }
  WriteCallResponse(number, response, block, inputs_->bytes(), message);
  outbox_->Push(std::move(message));
}

void WorkerAsks::Used(uint64_t number) {
  uint64_t taken = 0;
  {
    const base::MutexLock lock(mutex_);
    const auto asked = calls_.find(number);
    if (asked == calls_.end()) return;
    std::deque<InputBlocks::Block>& unused = asked->second.unused;
    if (!unused.empty()) {
      inputs_->Give(unused.front());
      unused.pop_front();
    }
    if (asked->second.many && !asked->second.over) taken = asked->second.call;
    if (asked->second.over && unused.empty()) calls_.erase(asked);
  }
  if (taken != 0) host_.take_response(&host_, taken);
}

void WorkerAsks::Cancel(uint64_t number) {
  uint64_t call = 0;
  {
    const base::MutexLock lock(mutex_);
    if (const auto asked = calls_.find(number); asked != calls_.end()) call = asked->second.call;
  }
  if (call != 0) host_.cancel_call(&host_, call);
}

// Reads (..., execution, request).
base::Status WorkerAsks::AskCancelled(uint64_t number, ItemReader& items) {
  const uint64_t execution = items.Uint();
  const uint64_t request = items.Uint();
  if (!items.Finished()) return NoAsk();
  const inferd_batch* const batch = find_batch_(execution);
  const bool cancelled = batch != nullptr && request < batch->request_count && host_.is_cancelled(batch, request) != 0;
  Reply(number, {}, cancelled ? 1 : 0);
  return base::OkStatus();
}

// Reads ("ready", model, version), ("load", model, configuration, ((path, bytes), ...)) or ("unload", model,
// unload_dependents).
base::Status WorkerAsks::Control(uint64_t number, const std::string& kind, ItemReader& items) {
  inferd_model_control control = {};
  control.struct_size = sizeof(control);
  control.model = ToText(items.Text());
  std::vector<inferd_pair> files;
  if (kind == "ready") {
    control.control = INFERD_CONTROL_READY;
    control.version = ToText(items.Text());
  } else if (kind == "load") {
    control.control = INFERD_CONTROL_LOAD;
    control.config_json = ToText(items.Text());
    for (const Value& item : items.Items()) {
      ItemReader file(item);
      const std::string& path = file.Text();
      files.push_back({ToText(path), ToText(file.Text())});
      if (!file.Finished()) return NoAsk();
    }
    control.files = files.data();
    control.file_count = files.size();
  } else {
    control.control = INFERD_CONTROL_UNLOAD;
    control.unload_dependents = items.Flag() ? 1 : 0;
  }
  if (!items.Finished()) return NoAsk();
  const size_t bytes = BytesOf(control);
  if (!BeginControl(number, bytes)) return base::OkStatus();
  const auto done = [](void* arg, int32_t code, inferd_text message) {
    const std::unique_ptr<Calling> asked(static_cast<Calling*>(arg));
    asked->asks->EndControl(asked->bytes);
    asked->asks->Reply(asked->number, ToStatus(code, message));
  };
  host_.control_model(&host_, &control, done,
                      new Calling{.asks = shared_from_this(), .number = number, .bytes = bytes});
  return base::OkStatus();
}

bool WorkerAsks::BeginControl(uint64_t number, size_t bytes) {
  {
    const base::MutexLock lock(mutex_);
    const bool fits = bytes <= kSmallControlBytes || control_bytes_ == 0 || control_bytes_ + bytes <= kControlBytesMax;
    if (controls_ < kControlsMax && fits) {
      ++controls_;
      control_bytes_ += bytes;
      return true;
    }
  }
  Reply(number,
        base::ResourceExhausted("too many models, or too large ones, are asked for, loaded or unloaded at a time"));
  return false;
}

void WorkerAsks::EndControl(size_t bytes) {
  const base::MutexLock lock(mutex_);
  --controls_;
  control_bytes_ -= bytes;
}

// Reads (..., kind, name, help, true for a series, labels, bounds).
base::Status WorkerAsks::OpenMetric(uint64_t number, ItemReader& items) {
  inferd_metric metric = {};
  metric.struct_size = sizeof(metric);
  metric.kind = items.Int32();
  metric.name = ToText(items.Text());
  metric.help = ToText(items.Text());
  metric.series = items.Flag() ? 1 : 0;
  std::vector<inferd_pair> labels;
  for (const Value& item : items.Items()) {
    ItemReader label(item);
    const std::string& name = label.Text();
    labels.push_back({ToText(name), ToText(label.Text())});
    if (!label.Finished()) return NoAsk();
  }
  const Value::Items& listed = items.Items();
  std::vector<double> bounds;
  ItemReader list(listed);
  for (size_t i = 0; i < listed.size(); ++i) bounds.push_back(list.Real());
  if (!items.Finished() || !list.ok()) return NoAsk();
  if (metrics_.size() >= kMetricsMax) {
    Reply(number, base::ResourceExhausted("too many metrics are open"));
    return base::OkStatus();
  }
  metric.labels = labels.data();
  metric.label_count = labels.size();
  metric.bounds = bounds.data();
  metric.bound_count = bounds.size();
  const auto done = [](void* arg, int32_t code, inferd_text message, uint64_t opened, double) {
    const std::unique_ptr<Calling> asked(static_cast<Calling*>(arg));
    if (code == INFERD_OK) asked->asks->metrics_.insert(opened);
    asked->asks->Reply(asked->number, ToStatus(code, message), static_cast<double>(opened));
  };
  host_.open_metric(&host_, &metric, done, new Calling{.asks = shared_from_this(), .number = number});
  return base::OkStatus();
}

// Reads (..., metric, change, value). A change of -1 closes the metric.
base::Status WorkerAsks::ChangeMetric(uint64_t number, ItemReader& items) {
  const uint64_t metric = items.Uint();
  const int32_t change = items.Int32();
  const double value = items.Real();
  if (!items.Finished()) return NoAsk();
  if (change < 0) {
    if (metrics_.erase(metric) > 0) host_.close_metric(&host_, metric);
    Reply(number, {});
    return base::OkStatus();
  }
  if (!metrics_.contains(metric)) {
    Reply(number, base::NotFound("the metric is not open"));
    return base::OkStatus();
  }
  const auto done = [](void* arg, int32_t code, inferd_text message, uint64_t, double now) {
    const std::unique_ptr<Calling> asked(static_cast<Calling*>(arg));
    asked->asks->Reply(asked->number, ToStatus(code, message), now);
  };
  host_.change_metric(&host_, metric, change, value, done, new Calling{.asks = shared_from_this(), .number = number});
  return base::OkStatus();
}

void WorkerAsks::Reply(uint64_t number, const base::Status& status, double value, bool submitted) {
  MarshalWriter message;
  WriteReply(number, {.status = status, .submitted = submitted, .value = value}, message);
  outbox_->Push(std::move(message));
}

void WorkerAsks::Close() {
  std::vector<uint64_t> left;
  {
    const base::MutexLock lock(mutex_);
    closed_ = true;
    for (const auto& [number, asked] : calls_) {
      if (!asked.over && asked.call != 0) left.push_back(asked.call);
    }
    calls_.clear();
  }
  for (const uint64_t call : left) host_.cancel_call(&host_, call);
  for (const uint64_t metric : std::exchange(metrics_, {})) host_.close_metric(&host_, metric);
}

}  // namespace inferd::python
