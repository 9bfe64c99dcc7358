#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstring>
#include <span>
#include <string>

namespace inferd::support {

// A client's shared memory object with a unique name.
class SharedObject final {
 public:
  explicit SharedObject(size_t bytes, const std::string& prefix = "inferd-test-")
      : key_("/" + prefix + std::to_string(getpid()) + "-" + std::to_string(Next())),
        file_(shm_open(key_.c_str(), O_RDWR | O_CREAT | O_EXCL, 0600)),
        bytes_(bytes) {
    EXPECT_GE(file_, 0) << key_;
    Resize(bytes);
    memory_ = static_cast<std::byte*>(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0));
    EXPECT_NE(memory_, MAP_FAILED);
  }
  ~SharedObject() {
    munmap(memory_, bytes_);
    close(file_);
    shm_unlink(key_.c_str());
  }
  SharedObject(const SharedObject&) = delete;
  SharedObject& operator=(const SharedObject&) = delete;

  const std::string& key() const { return key_; }
  // The object's original bytes. After Resize() to a smaller size, do not touch the missing ones.
  std::span<std::byte> bytes() const { return {memory_, bytes_}; }
  void Resize(size_t bytes) const { EXPECT_EQ(ftruncate(file_, static_cast<off_t>(bytes)), 0); }

 private:
  static int Next() {
    static std::atomic<int> next{0};
    return next.fetch_add(1);
  }

  const std::string key_;
  const int file_;
  const size_t bytes_;
  std::byte* memory_ = nullptr;
};

}  // namespace inferd::support
