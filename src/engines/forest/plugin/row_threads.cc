#include "engines/forest/plugin/row_threads.h"

#include <algorithm>
#include <exception>
#include <latch>
#include <vector>

#include "engines/kit/load_cores.h"

namespace inferd::forest {

RowThreads::RowThreads(const inferd_load& load, int threads) : threads_(static_cast<size_t>(std::max(threads, 1))) {
  const base::OnCpuCores here(kit::LoadCores(load));
  if (threads_ > 1) pool_ = std::make_unique<base::ThreadPool>("forest", threads_ - 1);
}

void RowThreads::Run(size_t rows, size_t rows_min, const std::function<void(size_t begin, size_t end)>& work) const {
  const size_t parts = std::clamp(rows / std::max<size_t>(rows_min, 1), size_t{1}, threads_);
  if (parts == 1) return work(0, rows);
  std::latch others(static_cast<std::ptrdiff_t>(parts - 1));
  std::vector<std::exception_ptr> thrown(parts);
  const auto run = [&](size_t part) {
    try {
      work(rows * part / parts, rows * (part + 1) / parts);
    } catch (...) {
      thrown[part] = std::current_exception();
    }
  };
  const auto run_beside = [&](size_t part) {
    run(part);
    others.count_down();
  };
  for (size_t i = 1; i < parts; ++i) {
    try {
      pool_->Post([&run_beside, i] { run_beside(i); });
    } catch (...) {  // no memory for a task, while posted tasks refer to local variables
      run_beside(i);
    }
  }
  run(0);
  others.wait();
  for (const std::exception_ptr& each : thrown) {
    if (each != nullptr) std::rethrow_exception(each);
  }
}

}  // namespace inferd::forest
