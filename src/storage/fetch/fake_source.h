#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "storage/source/source.h"

namespace inferd::storage {

// A source of texts, for tests. `before_read` may fail a read; `bytes_max` truncates each one.
class FakeSource final : public Source {
 public:
  using Texts = std::map<std::string, std::string>;  // by path

  explicit FakeSource(Texts texts, bool ranges = true, bool sizes = true)
      : texts_(std::move(texts)), ranges_(ranges), sizes_(sizes) {}

  std::string Place() const override { return "fake"; }
  base::Result<std::vector<RemoteFile>> List(const std::stop_token&) override {
    std::vector<RemoteFile> files;
    for (const auto& [path, text] : texts_) {
      RemoteFile& file =
          files.emplace_back(RemoteFile{.path = path, .key = path, .tag = text, .ranges = ranges_ && sizes_});
      if (sizes_) file.size = text.size();
    }
    return files;
  }

  base::Status Read(const RemoteFile& file, const ByteRange& range, const ByteSink& sink,
                    const std::stop_token& stop) override {
    {
      const base::MutexLock lock(mutex_);
      ++reads;
      if (before_read) INFERD_RETURN_IF_ERROR(before_read());
    }
    if (stop.stop_requested()) return base::Cancelled("stopped");
    const std::string& text = texts_.at(file.key);
    const size_t size = std::min<size_t>(range.end.value_or(text.size()), text.size()) - range.begin;
    const size_t given = std::min(size, bytes_max);
    INFERD_RETURN_IF_ERROR(sink(std::string_view(text).substr(range.begin, given)));
    return given == size ? base::OkStatus() : base::Unavailable("cut");
  }

  size_t bytes_max = SIZE_MAX;
  std::function<base::Status()> before_read;  // one call at a time
  int reads = 0;

 private:
  const Texts texts_;
  const bool ranges_;
  const bool sizes_;
  base::Mutex mutex_;
};

}  // namespace inferd::storage
