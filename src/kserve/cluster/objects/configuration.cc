#include "kserve/cluster/objects/configuration.h"

#include <utility>

#include "data/manifest/value_path.h"
#include "kserve/cluster/objects/resources.h"
#include "kserve/kubernetes/api/object_meta.h"

namespace inferd::cluster {

namespace {

using manifest::Kind;
using manifest::Value;

// "default" if there was no configuration, "entries" if the saved ConfigMap has entries.
constexpr const char* kKeptAnnotation = "serving.inferd.io/kept";
constexpr const char* kDefault = "default";
constexpr const char* kEntries = "entries";

bool HasEntries(const Value* config_map) {
  const Value* const data = config_map == nullptr ? nullptr : config_map->Find("data");
  return data != nullptr && (!data->is(Kind::kMap) || !data->members().empty());
}

}  // namespace

ConfigurationKeeper::ConfigurationKeeper(kubernetes::Client& client, const base::Clock& clock,
                                         std::string namespace_name, base::Logger& logger)
    : client_(client), clock_(clock), namespace_(std::move(namespace_name)), logger_(logger) {
  const base::MutexLock lock(mutex_);
  SetFault("ConfigMissing", Title() + " is missing");
}

std::string ConfigurationKeeper::Title() const { return "the ConfigMap " + namespace_ + "/" + kName; }

void ConfigurationKeeper::Use(model::InferenceServiceConfig config, Kept kept, bool is_saved) {
  is_known_ = true;
  reason_.clear();
  what_.clear();
  unread_.clear();
  to_save_.reset();
  save_ns_ = 0;
  if (!is_saved) to_save_ = std::move(kept);
  current_ = std::make_shared<const Configuration>(Configuration{.config = std::move(config), .problems = {}});
}

void ConfigurationKeeper::SetFault(std::string reason, std::string what) {
  reason_ = std::move(reason);
  what_ = std::move(what);
  auto next = std::make_shared<Configuration>();
  if (current_ != nullptr) next->config = current_->config;
  const std::string then = is_known_ ? "what it said last goes on until it is there again, without faults"
                                     : "what it said before is not known, so that nothing is changed until it is "
                                       "there, without faults";
  if (!is_known_) next->problems.push_back({.message = what_ + "; " + then});
  next->fault = {.status = "False", .reason = reason_, .message = what_ + "; " + then};
  current_ = std::move(next);
}

void ConfigurationKeeper::Take(const Value* config_map) {
  manifest::Problems problems;
  model::InferenceServiceConfig config;
  const bool has_entries = HasEntries(config_map);
  if (has_entries) config = model::ReadInferenceServiceConfig(*config_map, problems);
  const base::MutexLock lock(mutex_);
  is_there_ = has_entries;
  was_listed_ = true;
  if (has_entries && problems.empty()) {
    return Use(std::move(config), {.data = *config_map->Find("data")}, false);
  }
  if (!has_entries) {
    // The ConfigMap was missing before, and still is.
    if (is_known_ && reason_.empty() && current_->config.document.is(Kind::kNull)) return;
    SetFault("ConfigMissing", Title() + (config_map == nullptr ? " is missing" : " has no entries"));
  } else {
    SetFault("InvalidConfig", Title() + " cannot be used: " + problems.front().ToString(""));
  }
  logger_.Error("the configuration does not count", {{"why", current_->fault->message}});
}

kubernetes::ApiResult<std::optional<ConfigurationKeeper::Kept>> ConfigurationKeeper::ReadKept(
    const std::stop_token& stop) {
  const auto found = client_.Get(ConfigMaps(), {namespace_, kKeptName}, stop);
  if (!found.has_value() && found.error().says_absent(kKeptName)) return std::nullopt;
  if (!found.has_value()) return std::unexpected(found.error());
  const std::string& what = manifest::TextAt(*found, {"metadata", "annotations", kKeptAnnotation});
  if (what == kDefault) return Kept{.is_default = true};
  if (what != kEntries || !HasEntries(&*found)) return std::nullopt;
  return Kept{.data = *found->Find("data")};
}

bool ConfigurationKeeper::Settle(bool something_was_made, const std::stop_token& stop) {
  {
    const base::MutexLock lock(mutex_);
    if (is_known_) return true;
  }
  auto kept = ReadKept(stop);
  if (stop.stop_requested()) return false;
  const base::MutexLock lock(mutex_);
  was_listed_ = true;
  if (is_known_) return true;
  if (!kept.has_value()) {
    if (unread_.empty()) {
      unread_ = what_ + "; the one of before is kept in the ConfigMap " + namespace_ + "/" + kKeptName +
                ", which cannot be read: " + kept.error().ToString() + "; the controller waits";
      logger_.Error("no configuration is known", {{"why", unread_}});
    }
    return false;
  }
  unread_.clear();
  const std::string reason = reason_;
  const std::string what = what_;
  if (kept->has_value() && !(*kept)->is_default) {
    manifest::Problems problems;
    Value document = kubernetes::MakeObject(ConfigMaps(), {namespace_, kName});
    document.Set("data", (*kept)->data);
    auto config = model::ReadInferenceServiceConfig(std::move(document), problems);
    if (problems.empty()) {
      Use(std::move(config), {}, true);
      SetFault(reason, what);
    }
  } else if (kept->has_value() || (!something_was_made && !is_there_)) {
    Use({}, {.is_default = true}, kept->has_value());
    if (is_there_) SetFault(reason, what);
  }
  if (!reason_.empty()) logger_.Error("the configuration does not count", {{"why", current_->fault->message}});
  return true;
}

void ConfigurationKeeper::Save(const std::stop_token& stop) {
  Kept kept;
  {
    const base::MutexLock lock(mutex_);
    if (!to_save_.has_value() || clock_.NowNs() < save_ns_) return;
    save_ns_ = clock_.NowNs() + kSaveAgainNs;
    kept = *to_save_;
  }
  Value object = kubernetes::MakeObject(ConfigMaps(), {namespace_, kKeptName});
  Value& annotations = object.MapAt("metadata").MapAt("annotations");
  annotations.Set(kKeptAnnotation, manifest::Text(kept.is_default ? kDefault : kEntries));
  if (!kept.is_default) object.Set("data", kept.data);
  const auto saved = client_.Apply(ConfigMaps(), object, {.field_manager = "inferd-controller", .force = true}, stop);
  const base::MutexLock lock(mutex_);
  if (saved.has_value()) {
    save_failure_.clear();
    const bool is_same = to_save_.has_value() && to_save_->is_default == kept.is_default && to_save_->data == kept.data;
    if (is_same) to_save_.reset();
    return;
  }
  if (stop.stop_requested() || saved.error().ToString() == save_failure_) return;
  save_failure_ = saved.error().ToString();
  logger_.Warning("the configuration cannot be kept for the next start", {{"why", save_failure_}});
}

std::shared_ptr<const Configuration> ConfigurationKeeper::current() const {
  const base::MutexLock lock(mutex_);
  return current_;
}

std::vector<Doubt> ConfigurationKeeper::doubts() const {
  const base::MutexLock lock(mutex_);
  if (reason_.empty() || !was_listed_) return {};
  return {
      {.about = "ConfigMap " + namespace_ + "/" + kName, .text = unread_.empty() ? current_->fault->message : unread_}};
}

}  // namespace inferd::cluster
