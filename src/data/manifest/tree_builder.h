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

// Makes a tree of what a parser meets, in the order in which it meets it, and holds the limits:
//
//   Open(kMap)  Key("spec")  Open(kMap)  Key("minReplicas")  Add(1)  Close()  Close()  Take()
//
// Between Open and Close of a map, a Key stands before each value. After the first problem all further calls are
// ignored. Not thread-safe.
class TreeBuilder {
 public:
  explicit TreeBuilder(const Limits& limits) : limits_(limits) {}

  // A map's key. `merge`: the value's members are to become those of the open map, which go before them (YAML's "<<").
  void Key(std::string key, Position position, bool merge = false);
  // A value with all that is in it.
  void Add(Value value);
  void Open(Kind kind, Position position);
  // Ends what was opened last; a pointer to it, good until the next call. Null after a problem.
  const Value* Close();

  // Counts a value that is kept besides, so that the limits hold for it, too. False: they have no room for it.
  bool Charge(const Value& value);

  // Whether a map is open that waits for a key.
  bool awaits_key() const;
  // The field that comes next.
  std::string path() const;

  void Fail(Position position, std::string message);
  const std::optional<Problem>& problem() const { return problem_; }

  // The whole tree; the builder goes on with the next one, and with what is left of the limits.
  Value Take();

 private:
  struct Frame {
    Value value;
    std::string key;  // whose value comes next
    Position key_position;
    bool has_key = false;
    bool merge = false;
    std::vector<Value> merged;  // maps whose members are to become this one's, if it has no such
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
