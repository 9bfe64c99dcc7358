#include "engines/python/python_instance.h"

#include <cstring>
#include <utility>

#include "enginekit/parameters.h"
#include "enginekit/response_room.h"
#include "engines/python/response_reader.h"

namespace inferd::python {

namespace {

constexpr size_t kAlignment = 64;

size_t Aligned(size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

const Value::Items* ItemsOf(const Value& message, std::string_view kind, size_t count) {
  const Value::Items* const items = message.items();
  if (items == nullptr || items->size() != count || items->front().text() == nullptr) return nullptr;
  return *items->front().text() == kind ? items : nullptr;
}

void AddParameter(MarshalWriter& message, inferd_text name, const inferd_parameter& value) {
  message.Tuple(2);
  message.Text(enginekit::ToView(name));
  switch (value.kind) {
    case INFERD_PARAMETER_BOOL: return message.Bool(value.bool_value != 0);
    case INFERD_PARAMETER_INT64: return message.Int(value.int64_value);
    case INFERD_PARAMETER_UINT64: return message.Uint(value.uint64_value);
    case INFERD_PARAMETER_DOUBLE: return message.Float(value.double_value);
    case INFERD_PARAMETER_TEXT: return message.Text(enginekit::ToView(value.text_value));
    default: return message.None();
  }
}

}  // namespace

base::Result<std::unique_ptr<PythonInstance>> PythonInstance::Create(PythonModel* model,
                                                                     const inferd_instance_spec& spec) {
  std::unique_ptr<PythonInstance> instance(new PythonInstance(model, spec));
  INFERD_RETURN_IF_ERROR(instance->StartWorker());
  return instance;
}

base::Status PythonInstance::StartWorker() {
  process_.reset();
  INFERD_ASSIGN_OR_RETURN(PythonProcess process, model_.TakeWorker());
  INFERD_RETURN_IF_ERROR(model_.StartInstance(process, spec_));
  process_.emplace(std::move(process));
  return base::OkStatus();
}

base::Status PythonInstance::Execute(const inferd_batch& batch) {
  if (!process_.has_value() || process_->end().has_value()) {
    if (const base::Status started = StartWorker(); !started.ok()) {
      return base::Unavailable("the Python process of instance '" + model_.InstanceName(spec_) +
                               "' has ended, and another one cannot be started: " + std::string(started.message()));
    }
  }
  base::Status status = Order(batch);
  if (status.ok()) status = TakeAnswers(batch);
  if (process_->end().has_value()) {
    const std::string text = "Stub process '" + model_.InstanceName(spec_) + "' is not healthy: " + *process_->end() +
                             ". It is started anew for the next request";
    const std::string line =
        "model instance " + model_.InstanceName(spec_) + ": the Python process " + *process_->end();
    model_.host().log(&model_.host(), INFERD_LOG_ERROR, {line.data(), line.size()});
    return base::Unavailable(text);
  }
  return status;
}

// ("execute", bytes, indices of the outputs that are wanted, requests, inputs); an input: (index, datatype, dimensions
// of the batch, pieces), a piece: (offset, size).
base::Status PythonInstance::Order(const inferd_batch& batch) {
  size_t bytes = 0;
  for (size_t i = 0; i < batch.input_count; ++i) {
    for (size_t p = 0; p < batch.inputs[i]->piece_count; ++p) bytes += Aligned(batch.inputs[i]->pieces[p].size);
  }
  INFERD_ASSIGN_OR_RETURN(const std::span<std::byte> memory, process_->inputs().Reserve(bytes));

  message_.Clear();
  message_.Tuple(5);
  message_.Text("execute");
  message_.Uint(memory.size());
  message_.Tuple(batch.output_count);
  for (size_t i = 0; i < batch.output_count; ++i) message_.Uint(batch.outputs[i]);
  message_.Tuple(batch.request_count);
  for (size_t request = 0; request < batch.request_count; ++request) AddRequest(batch, request);
  message_.Tuple(batch.input_count);
  size_t offset = 0;
  for (size_t i = 0; i < batch.input_count; ++i) {
    const inferd_input& input = *batch.inputs[i];
    message_.Tuple(4);
    message_.Uint(input.index);
    message_.Int(input.datatype);
    message_.Tuple(input.rank);
    for (size_t d = 0; d < input.rank; ++d) message_.Int(input.shape[d]);
    message_.Tuple(input.piece_count);
    for (size_t p = 0; p < input.piece_count; ++p) {
      const inferd_memory& piece = input.pieces[p];
      message_.Tuple(2);
      message_.Uint(offset);
      message_.Uint(piece.size);
      if (piece.size > 0) std::memcpy(memory.data() + offset, piece.data, piece.size);
      offset += Aligned(piece.size);
    }
  }
  return process_->Send(message_, model_.patience());
}

// (id, rows, sequence id or 0, flags, parameters); flags: 1: the sequence's start, 2: its end.
void PythonInstance::AddRequest(const inferd_batch& batch, size_t request) {
  const inferd_host& host = model_.host();
  message_.Tuple(5);
  message_.Text(enginekit::ToView(host.request_id(&batch, request)));
  message_.Int(batch.rows[request]);
  inferd_sequence sequence = {};
  sequence.struct_size = sizeof(sequence);
  if (host.sequence(&batch, request, &sequence) == 0) {
    message_.Int(0);
    message_.Int(0);
  } else {
    if (sequence.text.size > 0) {
      message_.Text(enginekit::ToView(sequence.text));
    } else {
      message_.Uint(sequence.number);
    }
    message_.Int((sequence.start != 0 ? 1 : 0) | (sequence.end != 0 ? 2 : 0));
  }
  inferd_text name = {};
  inferd_parameter value = {};
  value.struct_size = sizeof(value);
  size_t count = 0;
  while (host.parameter_at(&batch, request, count, &name, &value) != 0) ++count;
  message_.Tuple(count);
  for (size_t i = 0; i < count; ++i) {
    host.parameter_at(&batch, request, i, &name, &value);
    AddParameter(message_, name, value);
  }
}

// ("responses", bytes, responses), each of which is confirmed, and at last ("done", bytes, responses).
base::Status PythonInstance::TakeAnswers(const inferd_batch& batch) {
  for (;;) {
    INFERD_ASSIGN_OR_RETURN(const Value message, model_.Receive(*process_, model_.patience()));
    if (const Value::Items* const done = ItemsOf(message, "done", 3)) return Respond(batch, (*done)[1], (*done)[2]);
    const Value::Items* const some = ItemsOf(message, "responses", 3);
    if (some == nullptr) return base::Internal("the Python worker answers what was not asked");
    INFERD_RETURN_IF_ERROR(Respond(batch, (*some)[1], (*some)[2]));
    WaitForRoom(batch, (*some)[2]);
    MarshalWriter taken;
    taken.Tuple(1);
    taken.Text("taken");
    INFERD_RETURN_IF_ERROR(process_->Send(taken, model_.patience()));
  }
}

// Before the response behind these, which were sent.
void PythonInstance::WaitForRoom(const inferd_batch& batch, const Value& responses) {
  for (const Value& response : *responses.items()) {
    const Value::Items& parts = *response.items();
    if (!*parts[1].flag())
      enginekit::WaitForResponseRoom(model_.host(), &batch, static_cast<size_t>(*parts[0].number()));
  }
}

base::Status PythonInstance::Respond(const inferd_batch& batch, const Value& bytes, const Value& responses) {
  const Value::Items* const items = responses.items();
  if (bytes.number() == nullptr || *bytes.number() < 0 || items == nullptr) {
    return base::Internal("the Python worker answers what was not asked");
  }
  INFERD_ASSIGN_OR_RETURN(const std::span<const std::byte> memory,
                          process_->outputs().Look(static_cast<size_t>(*bytes.number())));
  for (const Value& response : *items) {
    INFERD_RETURN_IF_ERROR(SendResponse(model_.host(), batch, response, memory));
  }
  return base::OkStatus();
}

}  // namespace inferd::python
