#include "serving/tracing/array_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace inferd::tracing {

namespace {

base::Status Failure(std::string_view path) {
  return base::Unavailable("cannot write " + std::string(path) + ": " + std::strerror(errno));
}

}  // namespace

base::Status ArrayFile::Open(std::string path) {
  path_ = std::move(path);
  appended_ = end_ = 0;
  text_.clear();
  file_ = base::FileDescriptor(::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0640));
  return file_ ? base::OkStatus() : Failure(path_);
}

void ArrayFile::Append(std::string_view elements) {
  text_ += appended_++ == 0 ? "[" : ",";
  text_ += elements;
}

base::Status ArrayFile::Flush() {
  if (text_.empty()) return {};
  text_ += "]";
  for (size_t written = 0; written < text_.size();) {
    const ssize_t n =
        ::pwrite(file_.get(), text_.data() + written, text_.size() - written, static_cast<off_t>(end_ + written));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      const base::Status failure = Failure(path_);
      file_.Close();
      text_.clear();
      return failure;
    }
    written += static_cast<size_t>(n);
  }
  end_ += text_.size() - 1;
  text_.clear();
  return {};
}

}  // namespace inferd::tracing
