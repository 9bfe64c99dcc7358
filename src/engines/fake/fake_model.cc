#include "engines/fake/fake_model.h"

#include <string_view>

#include "data/tensor/data_type.h"

using inferd::base::InvalidArgument;
using inferd::base::OkStatus;
using inferd::base::Result;
using inferd::base::Status;

namespace {

// Request parameters that delay or fail the whole batch of the request.
constexpr std::string_view kSignificant[] = {"execute_delay_ms", "fail_code", "hold"};

bool Adds(int32_t datatype) {
  return (datatype >= INFERD_TYPE_UINT8 && datatype <= INFERD_TYPE_INT64) || datatype == INFERD_TYPE_FP32 ||
         datatype == INFERD_TYPE_FP64;
}

}  // namespace

Result<std::unique_ptr<inferd_model>> inferd_model::Load(const inferd_load& load,
                                                         std::vector<std::string>* unknown_parameters) {
  INFERD_ASSIGN_OR_RETURN(inferd::fake::FakeOptions options, inferd::fake::ParseOptions(load, unknown_parameters));
  std::unique_ptr<inferd_model> model(new inferd_model(std::move(options)));
  model->batches = load.max_batch_size > 0;
  model->CopySignature(*load.declared);
  INFERD_RETURN_IF_ERROR(model->Check());
  if (const auto& file = model->options.record_batches_file; !file.empty()) {
    INFERD_ASSIGN_OR_RETURN(model->recorder, inferd::fake::BatchRecorder::Open(file));
  }
  return model;
}

void inferd_model::CopySignature(const inferd_signature& declared) {
  const size_t count = declared.input_count + declared.output_count;
  specs.reserve(count);
  names.reserve(count);
  shapes.reserve(count);
  const auto copy = [this](const inferd_tensor_spec& spec, std::vector<const inferd_tensor_spec*>* list) {
    names.emplace_back(spec.name.data, spec.name.size);
    shapes.emplace_back(spec.shape, spec.shape + spec.rank);
    inferd_tensor_spec own = {};
    own.struct_size = sizeof(own);
    own.name = {names.back().data(), names.back().size()};
    own.datatype = spec.datatype;
    own.shape = shapes.back().data();
    own.rank = spec.rank;
    own.optional = spec.optional;
    own.bytes_form = options.bytes_form;
    own.one_piece = options.one_piece;
    own.alignment = options.alignment;
    if (options.input_memory != inferd::fake::InputMemory::kHost) own.memory_kinds = 1u << INFERD_MEMORY_GPU;
    specs.push_back(own);
    list->push_back(&specs.back());
  };
  for (size_t i = 0; i < declared.input_count; ++i) copy(*declared.inputs[i], &input_list);
  for (size_t i = 0; i < declared.output_count; ++i) copy(*declared.outputs[i], &output_list);
  signature.struct_size = sizeof(signature);
  signature.inputs = input_list.data();
  signature.input_count = input_list.size();
  signature.outputs = output_list.data();
  signature.output_count = output_list.size();
  for (const std::string_view name : kSignificant) significant_parameters.push_back({name.data(), name.size()});
  for (const std::string& name : options.significant_parameters) {
    significant_parameters.push_back({name.data(), name.size()});
  }
  signature.significant_parameters = significant_parameters.data();
  signature.significant_parameter_count = significant_parameters.size();
  const bool streams =
      options.behavior == inferd::fake::Behavior::kRepeat || options.behavior == inferd::fake::Behavior::kSquare;
  const bool declares = options.behavior == inferd::fake::Behavior::kIterativeSequence && declared.decoupled != 0;
  const bool single = options.streams_if_declared && declared.decoupled == 0;
  signature.decoupled = (streams && !single) || declares ? 1 : 0;
  signature.unfinished_executions_max = static_cast<int32_t>(options.unfinished_executions_max);
  answers_aside = options.behavior == inferd::fake::Behavior::kRepeat && FindInput("WAIT") >= 0 &&
                  !options.complete_on_thread && options.hold_file.empty();
  if (answers_aside) signature.unfinished_executions_max = inferd::fake::kStreamsMax;
  signature.sequences = KeepsSequences(options.behavior) ? 1 : options.sequences;
  signature.checks_readiness = options.ready_file.empty() ? 0 : 1;
  if (signature.unfinished_executions_max > 1) signature.compute_threads = -1;
}

int inferd_model::FindInput(std::string_view name) const {
  for (size_t i = 0; i < input_list.size(); ++i) {
    if (names[i] == name) return static_cast<int>(i);
  }
  return -1;
}

Status inferd_model::Check() const {
  switch (options.behavior) {
    case inferd::fake::Behavior::kIdentity:
      // An empty configuration: Triton's identity backend loads it, although it cannot be called.
      if (output_list.empty() && input_list.empty()) return OkStatus();
      if (output_list.empty() || input_list.size() < output_list.size()) {
        return InvalidArgument("behavior 'identity' needs outputs in the configuration, and an input for each");
      }
      for (size_t i = 0; i < output_list.size(); ++i) {
        if (input(i).datatype == output(i).datatype) continue;
        return InvalidArgument("behavior 'identity': output '" + names[input_list.size() + i] +
                               "' is to repeat input '" + names[i] + "', but has another datatype");
      }
      return OkStatus();
    case inferd::fake::Behavior::kAddSub: {
      if (input_list.size() != 2 || output_list.size() != 2) {
        return InvalidArgument("behavior 'add_sub' needs two inputs and two outputs in the configuration");
      }
      const int32_t datatype = input(0).datatype;
      const bool same =
          datatype == input(1).datatype && datatype == output(0).datatype && datatype == output(1).datatype;
      if (same && Adds(datatype)) return OkStatus();
      return InvalidArgument(
          "behavior 'add_sub' needs one datatype of INT8..64, UINT8..64, FP32, FP64 for all four tensors");
    }
    case inferd::fake::Behavior::kRepeat:
    case inferd::fake::Behavior::kSquare:
      if (!input_list.empty() && names[0] == "IN" && input(0).datatype == INFERD_TYPE_INT32 && !output_list.empty() &&
          names[input_list.size()] == "OUT" && output(0).datatype == INFERD_TYPE_INT32) {
        return OkStatus();
      }
      return InvalidArgument(
          "behaviors 'repeat' and 'square' need INT32 input IN and INT32 output OUT as the first ones");
    case inferd::fake::Behavior::kImplicitState: {
      const int state = FindInput("INPUT_STATE");
      const bool same = state > 0 && input(0).datatype == input(static_cast<size_t>(state)).datatype;
      if (same && Adds(input(0).datatype) && !output_list.empty()) return OkStatus();
      return InvalidArgument(
          "behavior 'implicit_state' needs an input of INT8..64, UINT8..64, FP32 or FP64, outputs, and a state "
          "INPUT_STATE, all of one datatype");
    }
    case inferd::fake::Behavior::kIterativeSequence:
      if (!input_list.empty() && input(0).datatype == INFERD_TYPE_INT32 && !output_list.empty() &&
          output(0).datatype == INFERD_TYPE_INT32) {
        return OkStatus();
      }
      return InvalidArgument("behavior 'iterative_sequence' needs an input and an output of INT32");
    case inferd::fake::Behavior::kSequence:
    case inferd::fake::Behavior::kDynaSequence: {
      if (output_list.size() != 1 || input_list.empty() || !Adds(input(0).datatype) ||
          input(0).datatype != output(0).datatype) {
        return InvalidArgument(
            "behaviors 'sequence' and 'dyna_sequence' need one input and one output of one datatype of INT8..64, "
            "UINT8..64, FP32, FP64, beside the controls START, READY, END and CORRID");
      }
      const bool by_id = options.behavior == inferd::fake::Behavior::kDynaSequence;
      if (!by_id || FindInput("CORRID") >= 0) return OkStatus();
      return InvalidArgument("behavior 'dyna_sequence' needs the control CORRID");
    }
  }
  return OkStatus();
}
