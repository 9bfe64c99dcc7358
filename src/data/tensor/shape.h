#pragma once

#include <boost/container/small_vector.hpp>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>

namespace inferd::tensor {

// The maximum number of dimensions of a tensor (a server limit; the specs have none).
inline constexpr size_t kRankMax = 32;

// A tensor's dimensions, outermost first. In a signature, -1 is a dimension of any size; in a tensor, all are >= 0.
// Rank 0 is a scalar with one element. Up to six dimensions need no allocation.
class Shape {
 public:
  Shape() = default;
  Shape(std::initializer_list<int64_t> dims) : dims_(dims.begin(), dims.end()) {}
  explicit Shape(std::span<const int64_t> dims) : dims_(dims.begin(), dims.end()) {}

  size_t rank() const { return dims_.size(); }
  int64_t operator[](size_t i) const { return dims_[i]; }
  int64_t& operator[](size_t i) { return dims_[i]; }
  void Append(int64_t dim) { dims_.push_back(dim); }
  void Prepend(int64_t dim) { dims_.insert(dims_.begin(), dim); }
  void clear() { dims_.clear(); }
  std::span<const int64_t> dims() const { return {dims_.data(), dims_.size()}; }

  // Returns the product of the dimensions, or nullopt if one is negative or the product exceeds 2^63 - 1.
  std::optional<int64_t> ElementCount() const;

  // Returns "[2,3]", as in the protocols' error texts.
  std::string ToString() const;

  bool operator==(const Shape& other) const { return dims_ == other.dims_; }

 private:
  boost::container::small_vector<int64_t, 6> dims_;
};

// Returns true if a signature's shape begins with a dimension of any size; only that one can be the batch's.
inline bool BeginsWithAnySize(const Shape& shape) { return shape.rank() > 0 && shape[0] == -1; }

// Returns true if `actual` fits `expected`, in which -1 accepts any size.
bool Matches(const Shape& expected, const Shape& actual);

}  // namespace inferd::tensor
