#include "data/manifest/tree_builder.h"

#include <cassert>
#include <utility>

namespace inferd::manifest {

void TreeBuilder::Key(std::string key, Position position, bool merge) {
  if (problem_.has_value()) return;
  assert(awaits_key());
  Frame& frame = frames_.back();
  bytes_ += key.size();
  frame.key = std::move(key);
  frame.key_position = position;
  frame.has_key = true;
  frame.merge = merge;
  if (merge) return;
  if (frame.keys.size() >= limits_.members_max) {
    return Fail(position, "the map has more than " + std::to_string(limits_.members_max) + " members");
  }
  if (!frame.keys.insert(frame.key).second) Fail(position, "is given twice");
}

bool TreeBuilder::Charge(const Value& value) {
  nodes_ += 1;
  bytes_ += value.text().size();
  if (nodes_ > limits_.nodes_max) {
    Fail(value.position(),
         "the file has more than " + std::to_string(limits_.nodes_max) + " values, with those that aliases repeat");
  } else if (bytes_ > limits_.bytes_max) {
    Fail(value.position(), "the file has more than " + std::to_string(limits_.bytes_max) +
                               " bytes of text, with those that aliases repeat");
  }
  if (problem_.has_value()) return false;
  for (const Value& item : value.items()) {
    if (!Charge(item)) return false;
  }
  for (const Member& member : value.members()) {
    bytes_ += member.key.size();
    if (!Charge(member.value)) return false;
  }
  return true;
}

void TreeBuilder::Add(Value value) {
  if (!problem_.has_value() && Charge(value)) Put(std::move(value));
}

void TreeBuilder::Put(Value value) {
  if (frames_.empty()) {
    root_ = std::move(value);
    closed_ = &root_;
    return;
  }
  Frame& frame = frames_.back();
  if (frame.value.is(Kind::kList)) {
    closed_ = &frame.value.items().emplace_back(std::move(value));
    return;
  }
  assert(frame.has_key);
  frame.has_key = false;
  if (frame.merge) return PutMerged(frame, std::move(value));
  closed_ = &frame.value.members()
                 .emplace_back(Member{
                     .key = std::exchange(frame.key, {}), .value = std::move(value), .position = frame.key_position})
                 .value;
}

void TreeBuilder::PutMerged(Frame& frame, Value value) {
  closed_ = nullptr;
  const auto refuse = [&](const Value& not_map) {
    Fail(not_map.position(), "'<<' takes a map, or a list of maps, not " + std::string(KindName(not_map.kind())));
  };
  if (value.is(Kind::kMap)) {
    closed_ = &frame.merged.emplace_back(std::move(value));
  } else if (value.is(Kind::kList)) {
    for (Value& item : value.items()) {
      if (!item.is(Kind::kMap)) return refuse(item);
      frame.merged.push_back(std::move(item));
    }
  } else {
    return refuse(value);
  }
}

void TreeBuilder::Open(Kind kind, Position position) {
  if (problem_.has_value()) return;
  Value value = kind == Kind::kMap ? Value::Map() : Value::List();
  value.set_position(position);
  if (!Charge(value)) return;
  if (frames_.size() >= limits_.depth_max) {
    return Fail(position, "is nested more than " + std::to_string(limits_.depth_max) + " levels deep");
  }
  frames_.emplace_back().value = std::move(value);
}

void TreeBuilder::Merge(Frame& frame) {
  for (Value& map : frame.merged) {
    for (Member& member : map.members()) {
      if (frame.keys.insert(member.key).second) frame.value.members().push_back(std::move(member));
    }
  }
}

const Value* TreeBuilder::Close() {
  if (problem_.has_value()) return nullptr;
  assert(!frames_.empty());
  Merge(frames_.back());
  Value value = std::move(frames_.back().value);
  frames_.pop_back();
  Put(std::move(value));
  return problem_.has_value() ? nullptr : closed_;
}

bool TreeBuilder::awaits_key() const {
  return !frames_.empty() && frames_.back().value.is(Kind::kMap) && !frames_.back().has_key;
}

std::string TreeBuilder::path() const {
  std::string path;
  for (const Frame& frame : frames_) {
    if (frame.value.is(Kind::kList)) {
      path = PathOf(path, frame.value.items().size());
    } else if (!frame.key.empty()) {
      path = PathOf(path, frame.key);
    }
  }
  return path;
}

void TreeBuilder::Fail(Position position, std::string message) {
  if (!problem_.has_value()) problem_ = Problem{position, path(), std::move(message)};
}

Value TreeBuilder::Take() {
  assert(frames_.empty());
  closed_ = nullptr;
  return std::exchange(root_, {});
}

}  // namespace inferd::manifest
