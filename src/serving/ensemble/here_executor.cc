#include "serving/ensemble/here_executor.h"

#include <deque>
#include <exception>
#include <utility>

namespace inferd::ensemble {

HereExecutor& HereExecutor::Get() {
  static HereExecutor executor;
  return executor;
}

void HereExecutor::Post(base::Task task) {
  thread_local std::deque<base::Task> waiting;
  thread_local bool runs = false;
  waiting.push_back(std::move(task));
  if (runs) return;
  runs = true;
  std::exception_ptr thrown;
  while (!waiting.empty()) {
    base::Task next = std::move(waiting.front());
    waiting.pop_front();
    try {
      next();
    } catch (...) {
      if (thrown == nullptr) thrown = std::current_exception();
    }
  }
  runs = false;
  if (thrown != nullptr) std::rethrow_exception(thrown);
}

}  // namespace inferd::ensemble
