#pragma once

#include <boost/unordered/unordered_flat_set.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "data/manifest/problem.h"
#include "data/manifest/read.h"
#include "data/manifest/value.h"

namespace inferd::manifest {

// Builds a tree from a parser's events, in their order, and enforces the limits:
//
//   Open(kMap)  Key("spec")  Open(kMap)  Key("minReplicas")  Add(1)  Close()  Close()  Take()
//
// Between Open() and Close() of a map, call Key() before each value. After the first problem all further calls are
// ignored. Not thread-safe.
class TreeBuilder {
 public:
  explicit TreeBuilder(const Limits& limits) : limits_(limits) {}

  // Sets a map's key. If `merge`, the value's members are added to the open map, whose own members take precedence
  // (YAML's "<<").
  void Key(std::string key, Position position, bool merge = false);
  // Adds a value with everything in it.
  void Add(Value value);
  void Open(Kind kind, Position position);
  // Closes the container that was opened last. Returns a pointer to it that is valid until the next call. Null after a
  // problem.
  const Value* Close();

  // Counts a value that is stored additionally, so that the limits apply to it. Returns false if it exceeds them.
  bool Charge(const Value& value);

  // True if the open container is a map that needs a key next.
  bool awaits_key() const;
  // Returns the path of the next field.
  std::string path() const;

  void Fail(Position position, std::string message);
  const std::optional<Problem>& problem() const { return problem_; }

  // Returns the whole tree. The builder continues with the next tree and the rest of the limits.
  Value Take();

 private:
  struct Frame {
    Value value;
    std::string key;  // the key of the next value
    Position key_position;
    bool has_key = false;
    bool merge = false;
    std::vector<Value> merged;  // maps to merge; this map's own members take precedence
    boost::unordered_flat_set<std::string> keys;
  };

  void Put(Value value);
  void PutMerged(Frame& frame, Value value);
  void Merge(Frame& frame);

  const Limits limits_;
  size_t nodes_ = 0;
  size_t bytes_ = 0;
  std::vector<Frame> frames_;
  Value root_;
  const Value* closed_ = nullptr;
  std::optional<Problem> problem_;
};

}  // namespace inferd::manifest
