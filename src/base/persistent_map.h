#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace inferd::base {

// An immutable map from names to values. A changed copy shares everything unchanged with its original. A change copies
// one path through a tree of 16-way branches (a hash array mapped trie), so its cost is logarithmic in the number of
// entries. A plain copy costs one reference.
// | Thread-safe, because it is immutable. ForEach() visits entries in no particular order.
template <typename Value, typename Hash = std::hash<std::string_view>>
class PersistentMap final {
 public:
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

  // Returns the value, or null if there is none. It is valid as long as a map that holds the entry lives.
  const Value* Find(std::string_view name) const {
    const size_t hash = HashOf(name);
    const Node* node = root_.get();
    for (int shift = 0; node != nullptr && !node->is_leaf; shift += kBits) {
      node = static_cast<const Branch*>(node)->children[SlotOf(hash, shift)].get();
    }
    for (const auto* leaf = static_cast<const Leaf*>(node); leaf != nullptr; leaf = leaf->next.get()) {
      if (leaf->hash == hash && leaf->name == name) return &leaf->value;
    }
    return nullptr;
  }

  // Returns a map with this entry added, or replacing the entry of that name.
  [[nodiscard]] PersistentMap With(std::string_view name, Value value) const {
    const size_t hash = HashOf(name);
    const bool known = Find(name) != nullptr;
    auto leaf = std::make_shared<Leaf>(hash, std::string(name), std::move(value));
    return PersistentMap(Put(root_, std::move(leaf), 0), known ? size_ : size_ + 1);
  }

  // Returns a map without the entry of that name.
  [[nodiscard]] PersistentMap Without(std::string_view name) const {
    if (Find(name) == nullptr) return *this;
    return PersistentMap(Drop(root_, HashOf(name), name, 0), size_ - 1);
  }

  // Calls `visit(name, value)` for each entry.
  template <typename Visit>
  void ForEach(Visit&& visit) const {
    Walk(root_.get(), visit);
  }

  PersistentMap() = default;

 private:
  static constexpr int kBits = 4;
  static constexpr size_t kSlots = size_t{1} << kBits;

  struct Node {
    explicit Node(bool leaf) : is_leaf(leaf) {}
    const bool is_leaf;
  };
  using NodePointer = std::shared_ptr<const Node>;
  struct Leaf : Node {
    Leaf(size_t hash_, std::string name_, Value value_)
        : Node(true), hash(hash_), name(std::move(name_)), value(std::move(value_)) {}
    const size_t hash;
    const std::string name;
    const Value value;
    std::shared_ptr<const Leaf> next;  // another name with the same hash
  };
  struct Branch : Node {
    Branch() : Node(false) {}
    std::array<NodePointer, kSlots> children;
  };

  PersistentMap(NodePointer root, size_t size) : root_(std::move(root)), size_(size) {}

  static size_t HashOf(std::string_view name) { return Hash()(name); }
  static size_t SlotOf(size_t hash, int shift) { return (hash >> shift) & (kSlots - 1); }
  static const Leaf& AsLeaf(const NodePointer& node) { return static_cast<const Leaf&>(*node); }

  static NodePointer Put(const NodePointer& node, std::shared_ptr<Leaf> leaf, int shift) {
    if (node == nullptr) return leaf;
    if (node->is_leaf) {
      const Leaf& other = AsLeaf(node);
      if (other.hash == leaf->hash) return Chain(std::static_pointer_cast<const Leaf>(node), std::move(leaf));
      auto branch = std::make_shared<Branch>();
      branch->children[SlotOf(other.hash, shift)] = node;
      NodePointer& child = branch->children[SlotOf(leaf->hash, shift)];
      child = Put(child, std::move(leaf), shift + kBits);
      return branch;
    }
    auto branch = std::make_shared<Branch>(static_cast<const Branch&>(*node));
    NodePointer& child = branch->children[SlotOf(leaf->hash, shift)];
    child = Put(child, std::move(leaf), shift + kBits);
    return branch;
  }

  // Chains names with the same hash: the new leaf first, without an old leaf of its name.
  static NodePointer Chain(const std::shared_ptr<const Leaf>& old, std::shared_ptr<Leaf> leaf) {
    leaf->next = Unchain(old, leaf->name);
    return leaf;
  }
  static std::shared_ptr<const Leaf> Unchain(const std::shared_ptr<const Leaf>& leaf, std::string_view name) {
    if (leaf == nullptr || leaf->name == name) return leaf == nullptr ? nullptr : leaf->next;
    auto copy = std::make_shared<Leaf>(leaf->hash, leaf->name, leaf->value);
    copy->next = Unchain(leaf->next, name);
    return copy;
  }

  // Requires that `name` is in the map.
  static NodePointer Drop(const NodePointer& node, size_t hash, std::string_view name, int shift) {
    if (node->is_leaf) return Unchain(std::static_pointer_cast<const Leaf>(node), name);
    auto branch = std::make_shared<Branch>(static_cast<const Branch&>(*node));
    NodePointer& child = branch->children[SlotOf(hash, shift)];
    child = Drop(child, hash, name, shift + kBits);
    const NodePointer* only = nullptr;
    for (const NodePointer& left : branch->children) {
      if (left == nullptr) continue;
      if (only != nullptr || !left->is_leaf) return branch;
      only = &left;
    }
    return only == nullptr ? nullptr : *only;
  }

  template <typename Visit>
  static void Walk(const Node* node, Visit& visit) {
    if (node == nullptr) return;
    if (!node->is_leaf) {
      for (const NodePointer& child : static_cast<const Branch*>(node)->children) Walk(child.get(), visit);
      return;
    }
    for (const auto* leaf = static_cast<const Leaf*>(node); leaf != nullptr; leaf = leaf->next.get()) {
      visit(leaf->name, leaf->value);
    }
  }

  NodePointer root_;
  size_t size_ = 0;
};

}  // namespace inferd::base
