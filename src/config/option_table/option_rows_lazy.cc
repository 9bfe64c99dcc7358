#include "config/option_table/option_field.h"
#include "config/option_table/option_rows.h"

namespace inferd::config {
namespace {

using S = ServerOptions;
using Lazy = LazyOptions;

constexpr std::string_view kLazyLoading = "Models loaded when they are needed";

}  // namespace

std::vector<Option> LazyLoadingRows() {
  return {
      Plain<&S::lazy, &Lazy::enabled>(kLazyLoading, "lazy-loading", "",
                                      "models are loaded when a request needs them; a budget turns it on too"),
      Plain<&S::lazy, &Lazy::memory_budget>(kLazyLoading, "model-memory-budget", "BYTES",
                                            "loaded models hold no more, by the size of their files or memory_bytes: "
                                            "the least recently used are unloaded "
                                            "first; 0: no limit"),
      Plain<&S::lazy, &Lazy::versions_max>(kLazyLoading, "loaded-models-max", "N",
                                           "model versions loaded at a time; 0: no limit"),
      Plain<&S::lazy, &Lazy::pinned_models>(kLazyLoading, "pinned-model", "NAME",
                                            "loaded at the start, and never unloaded for others"),
      Plain<&S::lazy, &Lazy::waiters_max>(kLazyLoading, "load-waiters-max", "N",
                                          "requests that wait for one model to be loaded"),
      Plain<&S::lazy, &Lazy::wait_max>(kLazyLoading, "load-wait-max", "TIME", "how long they wait"),
  };
}

}  // namespace inferd::config
