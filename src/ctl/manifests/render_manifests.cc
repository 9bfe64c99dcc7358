#include "ctl/manifests/render_manifests.h"

#include <iterator>
#include <ostream>
#include <utility>

#include "ctl/manifests/manifest_report.h"
#include "data/manifest/print.h"
#include "kserve/model/files/object_files.h"
#include "kserve/model/reconcile/graph_objects.h"
#include "kserve/model/reconcile/rendering.h"
#include "kserve/model/reconcile/unheeded_fields.h"
#include "kserve/model/resolve/defaulting.h"

namespace inferd::ctl {

namespace {

using manifest::Value;
using model::InferenceService;
using model::InferenceServiceConfig;
using model::Object;
using model::ObjectFiles;

// Returns for example "service.yaml:1: InferenceService models/digits: ".
std::string PlaceOf(const ObjectFiles& files, const Object& object) {
  const model::ObjectMeta& metadata = object.metadata();
  return files.files().at(&object) + ":" + std::to_string(object.position.line) + ": " + object.kind + " " +
         metadata.namespace_name + "/" + metadata.name + ": ";
}

class Renderer final {
 public:
  Renderer(const ObjectFiles& given, const ObjectFiles& known, bool revisions, std::ostream& notes)
      : given_(given), revisions_(revisions), notes_(notes) {
    for (const Object& object : given.objects()) objects_.push_back(&object);
    context_ = model::ContextOf(objects_, known.runtimes());
    if (context_.config != nullptr) config_ = *context_.config;
  }

  const std::vector<const Object*>& objects() const { return objects_; }

  // Renders all manifests. Returns false if one could not be rendered.
  bool Render(std::vector<Value>& rendered) {
    bool sound = true;
    for (const Object* const object : objects_) {
      if (const auto* const service = std::get_if<InferenceService>(&object->typed)) {
        sound = RenderOne(*object, *service, rendered) && sound;
      } else if (const auto* const graph = std::get_if<model::InferenceGraph>(&object->typed)) {
        auto made = model::RenderGraph(*graph, objects_, context_);
        sound = Take(*object, std::move(made), rendered) && sound;
      }
    }
    return sound;
  }

 private:
  bool RenderOne(const Object& object, const InferenceService& service, std::vector<Value>& rendered) {
    auto desired = model::RenderService(service, objects_, context_, revisions_);
    const InferenceService defaulted = model::ApplyDefaults(service, config_);
    const auto warn = [&](const std::vector<model::UnheededField>& fields) {
      for (const auto& field : fields) notes_ << PlaceOf(given_, object) << "warning: " << field.ToString() << "\n";
    };
    if (desired.has_value()) {
      warn(model::UnheededFields(defaulted, {.mode = desired->mode}, config_));
      if (desired->runtime != nullptr) warn(model::UnheededFields(*desired->runtime, context_.runtimes));
    }
    return Take(object, std::move(desired), rendered);
  }

  // Adds the objects made for `object`, or reports why there are none.
  bool Take(const Object& object, auto made, std::vector<Value>& rendered) {
    if (!made.has_value()) {
      notes_ << PlaceOf(given_, object) << made.error().Explain() << "\n";
      return false;
    }
    std::ranges::move(made->objects, std::back_inserter(rendered));
    return true;
  }

  const ObjectFiles& given_;
  const bool revisions_;
  std::ostream& notes_;
  std::vector<const Object*> objects_;
  model::ReviewContext context_;
  InferenceServiceConfig config_;
};

void Print(std::vector<Value> rendered, const Output& out) {
  if (out.json) {
    const Value list = Value::Map({{"apiVersion", Value::String("v1")},
                                   {"kind", Value::String("List")},
                                   {"items", Value::List(std::move(rendered))}});
    out.stream << manifest::ToJson(list) << "\n";
    return;
  }
  for (const Value& object : rendered) out.stream << "---\n" << manifest::ToYaml(object);
}

}  // namespace

base::Result<int> RenderManifests(const RenderArguments& arguments, const Output& out, std::ostream& notes) {
  ObjectFiles known;
  const std::vector<std::string> places =
      arguments.runtimes.empty() ? std::vector{model::DefaultRuntimesFolder()} : arguments.runtimes;
  INFERD_RETURN_IF_ERROR(known.AddSound(places).WithContext("runtimes"));
  ObjectFiles given;
  for (const std::string& path : arguments.paths) {
    INFERD_ASSIGN_OR_RETURN(const std::vector<std::string> files, model::ManifestsOf(path));
    for (const std::string& file : files) INFERD_RETURN_IF_ERROR(given.Add(file));
  }
  Renderer renderer(given, known, !arguments.pod_webhook, notes);
  ManifestReport report;
  report.reviews = model::ReviewObjects(renderer.objects(), known.runtimes());
  report.files = given.files();
  if (report.problem_count() != 0) {
    PrintManifestReport(notes, report);
    return 1;
  }
  std::vector<Value> rendered;
  if (!renderer.Render(rendered)) return 1;
  Print(std::move(rendered), out);
  return 0;
}

}  // namespace inferd::ctl
