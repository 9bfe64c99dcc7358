#include "kserve/model/resolve/admission.h"

#include <utility>
#include <variant>

#include "data/manifest/value_path.h"
#include "kserve/model/api/object.h"
#include "kserve/model/resolve/defaulting.h"
#include "kserve/model/resolve/validation.h"

namespace inferd::model {

namespace {

using manifest::Problems;
using manifest::Value;

Problems ReviewRuntime(const ServingRuntime& runtime, const AdmissionContext& context) {
  const std::vector<ServingRuntime> all = context.runtimes();
  std::vector<const ServingRuntime*> others;
  others.reserve(all.size());
  for (const ServingRuntime& other : all) others.push_back(&other);
  return Validate(runtime, others);
}

Problems ReviewModel(const TrainedModel& model, const Value* live, TrainedModelPlaces places) {
  Problems problems = Validate(model, places);
  const std::string before = live == nullptr ? model.memory : manifest::TextAt(*live, {"spec", "model", "memory"});
  if (before != model.memory) {
    problems.push_back({.message = "the Trained Model \"" + model.metadata.name +
                                   "\" memory field is immutable. The memory was \"" + before +
                                   "\" but it is updated to \"" + model.memory + "\""});
  }
  return problems;
}

// KServe's own messages are complete. inferd's messages continue after the field's name.
std::string DenialOf(const Problems& problems) {
  if (problems.empty()) return {};
  const manifest::Problem& first = problems.front();
  return first.message.starts_with("must ") ? first.path + " " + first.message : first.message;
}

}  // namespace

Value WithDefaults(Value object, const AdmissionContext& context) {
  if (manifest::TextAt(object, {"kind"}) != "InferenceService") return object;
  Problems said_by_admit;
  const InferenceService service = ReadInferenceService(std::move(object), said_by_admit);
  return ApplyDefaults(service, context.config()).document;
}

Admitted Admit(Value object, const Value* live, const AdmissionContext& context) {
  Object read = ReadObject(object);
  Admitted admitted{.object = std::move(object), .unreadable = std::move(read.problems), .denial = {}};
  if (!admitted.unreadable.empty()) return admitted;
  Problems problems;
  if (const auto* service = std::get_if<InferenceService>(&read.typed)) {
    InferenceService defaulted = ApplyDefaults(*service, context.config());
    problems = Validate(defaulted);
    admitted.object = std::move(defaulted.document);
  } else if (const auto* runtime = std::get_if<ServingRuntime>(&read.typed)) {
    problems = ReviewRuntime(*runtime, context);
  } else if (const auto* graph = std::get_if<InferenceGraph>(&read.typed)) {
    problems = Validate(*graph);
  } else if (const auto* model = std::get_if<TrainedModel>(&read.typed)) {
    problems = ReviewModel(*model, live, context.trained_models);
  }
  admitted.denial = DenialOf(problems);
  return admitted;
}

}  // namespace inferd::model
