#include "net/body/body.h"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstring>
#include <new>
#include <utility>
#include <vector>

#include "base/mutex.h"

namespace inferd::net {

namespace {

constexpr size_t kSmallBytes = 32 * 1024;
constexpr size_t kBlockBytesMin = 64 * 1024;
constexpr size_t kBlockBytesMax = 8 * 1024 * 1024;    // larger ones are not kept
constexpr size_t kCachedBytesMax = 32 * 1024 * 1024;  // per loop
constexpr size_t kPageBytes = 4096;

// The start of a mapped block while it is a body: the data that its last user needs to give it back.
struct BlockHeader {
  size_t block_bytes;
  uint64_t charged;
};
static_assert(sizeof(BlockHeader) <= base::kBufferAlignment);

size_t LeadOf(size_t align_at) {
  return (base::kBufferAlignment - align_at % base::kBufferAlignment) % base::kBufferAlignment;
}

// Returns the bytes that a block needs besides the body itself.
size_t OverheadOf(size_t align_at) { return base::kBufferAlignment + LeadOf(align_at) + base::kBufferSlack; }

// Returns the size of the block for `bytes`: a power of two if it is worth keeping, else whole pages.
size_t BlockBytesFor(size_t bytes) {
  if (bytes > kBlockBytesMax) return (bytes + kPageBytes - 1) & ~(kPageBytes - 1);
  return std::max(kBlockBytesMin, std::bit_ceil(bytes));
}

// Copies quickly. Bodies arrive in pieces of a few kilobytes, at any offset. glibc 2.36 copies those by REP MOVSB. On
// AMD's Zen 3 and 4 that takes up to twenty times as long if the destination is a few bytes ahead of the source within
// a page (sourceware bug 30994). Pieces below its threshold are copied by vectors, at full speed everywhere.
void Copy(std::span<const std::byte> from, std::byte* to) {
  constexpr size_t kVectorBytes = 2048;
  while (!from.empty()) {
    const size_t count = std::min(from.size(), kVectorBytes);
    std::memcpy(to, from.data(), count);
    from = from.subspan(count);
    to += count;
  }
}

size_t ClassOf(size_t block_bytes) {
  return static_cast<size_t>(std::countr_zero(block_bytes) - std::countr_zero(kBlockBytesMin));
}

}  // namespace

// Shared by the pool and its bodies, by reference count, since bodies are dropped on any thread and at any time.
class BodyPool::Blocks final {
 public:
  explicit Blocks(std::shared_ptr<MemoryBudget> budget) : budget_(std::move(budget)) {}
  ~Blocks() {
    for (Class& size : classes_) {
      for (std::byte* block : size.free) munmap(block, size.block_bytes);
    }
  }

  void Ref() { refs_.fetch_add(1, std::memory_order_relaxed); }
  void Unref() {
    if (refs_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }
  MemoryBudget& budget() { return *budget_; }

  // Returns nullptr if the system has no address space left.
  std::byte* Take(size_t block_bytes);
  void Give(std::byte* block, size_t block_bytes);
  void Trim();
  size_t cached_bytes();

 private:
  static constexpr size_t kClasses = std::countr_zero(kBlockBytesMax) - std::countr_zero(kBlockBytesMin) + 1;
  struct Class {
    size_t block_bytes = 0;
    std::vector<std::byte*> free;
    size_t unused = 0;  // the fewest that were free since the last Trim
  };

  std::shared_ptr<MemoryBudget> budget_;
  std::atomic<uint32_t> refs_{1};
  base::Mutex mutex_;
  std::array<Class, kClasses> classes_ GUARDED_BY(mutex_);
  size_t cached_bytes_ GUARDED_BY(mutex_) = 0;
};

std::byte* BodyPool::Blocks::Take(size_t block_bytes) {
  if (block_bytes <= kBlockBytesMax) {
    base::MutexLock lock(mutex_);
    Class& size = classes_[ClassOf(block_bytes)];
    if (!size.free.empty()) {
      std::byte* block = size.free.back();
      size.free.pop_back();
      size.unused = std::min(size.unused, size.free.size());
      cached_bytes_ -= block_bytes;
      return block;
    }
  }
  void* block = mmap(nullptr, block_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return block == MAP_FAILED ? nullptr : static_cast<std::byte*>(block);
}

void BodyPool::Blocks::Give(std::byte* block, size_t block_bytes) {
  if (block_bytes <= kBlockBytesMax) {
    base::MutexLock lock(mutex_);
    if (cached_bytes_ + block_bytes <= kCachedBytesMax) {
      Class& size = classes_[ClassOf(block_bytes)];
      size.block_bytes = block_bytes;
      size.free.push_back(block);
      cached_bytes_ += block_bytes;
      return;
    }
  }
  munmap(block, block_bytes);
}

void BodyPool::Blocks::Trim() {
  base::MutexLock lock(mutex_);
  for (Class& size : classes_) {
    for (size_t i = 0; i < size.unused; ++i) {
      munmap(size.free.back(), size.block_bytes);
      size.free.pop_back();
      cached_bytes_ -= size.block_bytes;
    }
    size.unused = size.free.size();
  }
}

size_t BodyPool::Blocks::cached_bytes() {
  base::MutexLock lock(mutex_);
  return cached_bytes_;
}

BodyPool::BodyPool(std::shared_ptr<MemoryBudget> budget) : blocks_(new Blocks(std::move(budget))) {}
BodyPool::~BodyPool() { blocks_->Unref(); }
bool BodyPool::Charge(const base::BufferSlice& bytes) {
  base::Buffer owner = bytes.owner();
  if (!owner) return true;
  if (!blocks_->budget().TryCharge(owner.size())) return false;
  blocks_->Ref();
  owner.OnFree([blocks = blocks_, charged = owner.size()] {
    blocks->budget().Release(charged);
    blocks->Unref();
  });
  return true;
}

void BodyPool::Trim() { blocks_->Trim(); }
size_t BodyPool::cached_bytes() const { return blocks_->cached_bytes(); }

Body::Body(BodyPool& pool, std::optional<uint64_t> length, uint64_t bytes_max, size_t align_at, base::Buffer memory)
    : blocks_(pool.blocks_),
      bytes_max_(length.has_value() ? std::min(*length, bytes_max) : bytes_max),
      align_at_(align_at) {
  blocks_->Ref();
  if (!length.has_value() || bytes_max_ == 0) return;
  if (memory && memory.size() == *length && *length == bytes_max_) {
    given_ = std::move(memory);
    data_ = given_.data();
    capacity_ = bytes_max_;
  } else if (bytes_max_ <= kSmallBytes) {
    small_ = base::Buffer::Allocate(bytes_max_, align_at);
    data_ = small_.data();
    capacity_ = bytes_max_;
  } else {
    Grow(bytes_max_);
  }
}

Body::Body(Body&& other) noexcept { *this = std::move(other); }

Body& Body::operator=(Body&& other) noexcept {
  if (this == &other) return *this;
  Release();
  blocks_ = std::exchange(other.blocks_, nullptr);
  given_ = std::move(other.given_);
  small_ = std::move(other.small_);
  block_ = std::exchange(other.block_, nullptr);
  block_bytes_ = other.block_bytes_;
  data_ = std::exchange(other.data_, nullptr);
  capacity_ = std::exchange(other.capacity_, 0);
  size_ = std::exchange(other.size_, 0);
  charged_ = std::exchange(other.charged_, 0);
  bytes_max_ = std::exchange(other.bytes_max_, 0);
  align_at_ = other.align_at_;
  return *this;
}

Body::~Body() { Release(); }

void Body::Release() {
  if (blocks_ == nullptr) return;
  given_ = {};
  if (block_ != nullptr) blocks_->Give(block_, block_bytes_);
  blocks_->budget().Release(charged_);
  blocks_->Unref();
  blocks_ = nullptr;
}

// Grows with mremap, which moves pages, so that a body of unknown length is still written once.
bool Body::Grow(uint64_t capacity) {
  const size_t overhead = OverheadOf(align_at_);
  if (capacity > SIZE_MAX / 2 - overhead) return false;
  const size_t wanted = BlockBytesFor(capacity + overhead);
  if (block_ == nullptr) {
    block_ = blocks_->Take(wanted);
    if (block_ == nullptr) return false;
  } else {
    void* moved = mremap(block_, block_bytes_, wanted, MREMAP_MAYMOVE);
    if (moved == MAP_FAILED) return false;
    block_ = static_cast<std::byte*>(moved);
  }
  block_bytes_ = wanted;
  data_ = block_ + base::kBufferAlignment + LeadOf(align_at_);
  capacity_ = std::min<uint64_t>(wanted - overhead, bytes_max_);
  return true;
}

std::span<std::byte> Body::Space(size_t wanted) {
  if (size_ == capacity_ && capacity_ < bytes_max_) {
    const uint64_t doubled = std::max<uint64_t>(2 * capacity_, size_ + std::max<size_t>(wanted, 1));
    Grow(std::min(doubled, bytes_max_));
  }
  return {data_ + size_, static_cast<size_t>(capacity_ - size_)};
}

bool Body::Charge(uint64_t bytes) {
  if (!blocks_->budget().TryCharge(bytes)) return false;
  charged_ += bytes;
  return true;
}

Body::Fill Body::Commit(size_t bytes) {
  if (!Charge(bytes)) return Fill::kNoMemory;
  size_ += bytes;
  return Fill::kOk;
}

Body::Fill Body::Append(std::span<const std::byte> bytes) {
  if (bytes.size() > bytes_max_ - size_) return Fill::kTooLarge;
  if (bytes.data() == data_ + size_ && bytes.size() <= capacity_ - size_) return Commit(bytes.size());
  while (!bytes.empty()) {
    const std::span<std::byte> space = Space(bytes.size());
    if (space.empty()) return Fill::kNoMemory;
    const size_t count = std::min(space.size(), bytes.size());
    Copy(bytes.first(count), space.data());
    if (const Fill fill = Commit(count); fill != Fill::kOk) return fill;
    bytes = bytes.subspan(count);
  }
  return Fill::kOk;
}

base::BufferSlice Body::Finish() {
  if (size_ == 0) {
    *this = Body();
    return {};
  }
  base::Buffer buffer;
  BodyPool::Blocks* blocks = std::exchange(blocks_, nullptr);  // now the buffer's, with the charge
  if (block_ != nullptr) {
    std::byte* block = std::exchange(block_, nullptr);
    new (block) BlockHeader{block_bytes_, charged_};
    buffer = base::Buffer::Wrap(data_, size_, [blocks, block] {
      const BlockHeader header = *std::launder(reinterpret_cast<BlockHeader*>(block));
      blocks->Give(block, header.block_bytes);
      blocks->budget().Release(header.charged);
      blocks->Unref();
    });
  } else if (given_) {
    buffer = base::Buffer::Wrap(data_, size_, [blocks, given = std::move(given_), charged = charged_]() mutable {
      given = {};
      blocks->budget().Release(charged);
      blocks->Unref();
    });
  } else {
    buffer = std::move(small_);
    buffer.Truncate(size_);
    buffer.OnFree([blocks, charged = charged_] {
      blocks->budget().Release(charged);
      blocks->Unref();
    });
  }
  charged_ = 0;
  *this = Body();
  return base::BufferSlice(std::move(buffer));
}

}  // namespace inferd::net
