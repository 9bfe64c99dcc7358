#pragma once

#include <algorithm>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "serving/core/model_version.h"
#include "serving/repository/manager_fixture.h"

namespace inferd::repository {

using Pinned = std::shared_ptr<const core::PinnedModel>;

// Models that depend on each other.
class DependencyTest : public ManagerTest {
 protected:
  void Add(const std::string& model, const std::string& needs = "", const std::string& more = "") {
    std::string text;
    std::istringstream names(needs);
    for (std::string name; names >> name;) text += " depends_on { model: '" + name + "' }";
    dir_.Write(model + "/config.pbtxt", text.empty() ? more : "inferd {" + text + " } " + more);
    AddVersion(model, 1);
    SetScript(model, [](const core::LoadSpec&) { return base::OkStatus(); });
  }
  // Scripts a model. Its loads are recorded in their order.
  void SetScript(const std::string& model, std::function<base::Status(const core::LoadSpec&)> on_load,
                 core::ModelSignature signature = FakeEngine::DefaultSignature()) {
    engine_.SetScript(model, {.signature = std::move(signature),
                              .on_load =
                                  [this, on_load = std::move(on_load)](const core::LoadSpec& spec) {
                                    {
                                      const std::lock_guard lock(mutex_);
                                      loads_.push_back(spec.model_name);
                                    }
                                    return on_load(spec);
                                  },
                              .on_execute = {}});
  }
  void Fail(const std::string& model, const std::string& why) {
    SetScript(model, [why](const core::LoadSpec&) { return base::InvalidArgument(why); });
  }
  std::promise<void> Hold(const std::string& model) {
    std::promise<void> release;
    auto released = release.get_future().share();
    SetScript(model, [released](const core::LoadSpec&) { return released.wait(), base::OkStatus(); });
    return release;
  }
  std::vector<std::string> TakeLoads() {
    const std::lock_guard lock(mutex_);
    return std::exchange(loads_, {});
  }
  Pinned Pin(const std::string& model) {
    auto found = snapshots_.Current()->Find(model, "");
    return found.has_value() ? Pinned(*std::move(found)) : nullptr;
  }
  std::future<base::Status> UnloadLater(const std::string& model, bool dependents = false) {
    auto promise = std::make_shared<std::promise<base::Status>>();
    manager_->Unload({.model = model, .repository = "", .unload_dependents = dependents},
                     [promise](base::Status status) { promise->set_value(std::move(status)); });
    return promise->get_future();
  }
  void UnloadNow(const std::string& model, bool dependents = false) {
    EXPECT_TRUE(UnloadLater(model, dependents).get().ok());
    manager_->WaitIdle();
  }
  bool Ready(const std::string& model) { return manager_->ModelReady(model, "").ok(); }
  std::string WhyNot(const std::string& model) { return std::string(manager_->ModelReady(model, "").message()); }
  static bool IsReady(const std::future<base::Status>& answer) {
    return answer.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  }
  void Explicit() { options_.control = config::ControlMode::kExplicit; }

 private:
  std::mutex mutex_;
  std::vector<std::string> loads_;
};

}  // namespace inferd::repository
