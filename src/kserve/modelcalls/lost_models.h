#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

namespace inferd::modelcalls {

// Notices the models that a server had loaded and that somebody else unloaded. Not thread-safe.
class LostModels final {
 public:
  // Takes the models that the server says are ready now. Returns those that it said before, and did not say in this
  // call and the one before it: one answer may fall between two versions of a model. Returns a lost model in each call,
  // until it is ready again or forgotten.
  std::vector<std::string> Note(const std::set<std::string>& ready);
  // The model is gone for good, or its loading fails.
  void Forget(const std::string& name) { missed_.erase(name); }

 private:
  std::map<std::string, int> missed_;  // how many of the last answers lacked each model that was ready once
};

}  // namespace inferd::modelcalls
