#include "engines/forest/readers/treelite_checkpoint.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "engines/forest/model/check_forest.h"
#include "engines/forest/readers/byte_reader.h"
#include "engines/forest/readers/treelite_tree.h"

namespace inferd::forest {

namespace {

constexpr int32_t kMajorVersion = 4;

enum class TypeInfo : uint8_t { kFloat32 = 2, kFloat64 = 3 };

struct Postprocessor {
  std::string_view name;
  Link link;
};

constexpr Postprocessor kPostprocessors[] = {
    {"identity", Link::kIdentity},
    {"identity_multiclass", Link::kIdentity},
    {"signed_square", Link::kSignedSquare},
    {"hinge", Link::kPositive},
    {"sigmoid", Link::kSigmoid},
    {"multiclass_ova", Link::kSigmoid},
    {"exponential", Link::kExp},
    {"exponential_standard_ratio", Link::kExp2},
    {"logarithm_one_plus_exp", Link::kLog1pExp},
    {"softmax", Link::kSoftmax},
};

struct Header {
  uint64_t trees = 0;
  bool average = false;
  int32_t targets = 0;
  int32_t classes = 0;
  std::vector<int32_t> leaf_shape;
  std::vector<int32_t> target_ids;  // of each tree; -1 for all
  std::vector<int32_t> class_ids;
};

base::Result<Precision> TakePrecision(ByteReader& reader) {
  INFERD_ASSIGN_OR_RETURN(const auto threshold, reader.Take<TypeInfo>());
  INFERD_ASSIGN_OR_RETURN(const auto leaf, reader.Take<TypeInfo>());
  if (threshold == leaf && threshold == TypeInfo::kFloat32) return Precision::kFloat32;
  if (threshold == leaf && threshold == TypeInfo::kFloat64) return Precision::kFloat64;
  return std::unexpected(reader.Error("thresholds and leaves are neither both float32 nor both float64"));
}

base::Status TakePostprocessor(ByteReader& reader, Forest* forest) {
  INFERD_ASSIGN_OR_RETURN(const std::string name, reader.TakeText());
  INFERD_ASSIGN_OR_RETURN(const auto sigmoid_alpha, reader.Take<float>());
  INFERD_ASSIGN_OR_RETURN(const auto ratio, reader.Take<float>());
  const auto* const known = std::ranges::find(kPostprocessors, name, &Postprocessor::name);
  if (known == std::end(kPostprocessors)) return base::InvalidArgument("postprocessor '" + name + "' is not known");
  forest->transform.link = known->link;
  if (known->link == Link::kSigmoid) forest->transform.scale = sigmoid_alpha;
  if (known->link == Link::kExp2) forest->transform.scale = ratio;
  return {};
}

// Refuses extensions of later versions, whose meaning is unknown.
base::Status RefuseOptionalFields(ByteReader& reader) {
  INFERD_ASSIGN_OR_RETURN(const auto count, reader.Take<int32_t>());
  return count == 0 ? base::OkStatus() : reader.Error("it has optional fields");
}

base::Result<Header> TakeHeader(ByteReader& reader, Forest* forest) {
  Header header;
  INFERD_ASSIGN_OR_RETURN(const auto version, reader.TakeList<int32_t>(3));
  if (version[0] != kMajorVersion) {
    return std::unexpected(base::InvalidArgument("it was written by treelite " + std::to_string(version[0]) + "." +
                                                 std::to_string(version[1]) + ", and is read if treelite 4 wrote it"));
  }
  forest->format = "treelite " + std::to_string(version[0]) + "." + std::to_string(version[1]);
  INFERD_ASSIGN_OR_RETURN(forest->compares, TakePrecision(reader));
  forest->sums = forest->compares;
  forest->has_contributions = false;
  INFERD_ASSIGN_OR_RETURN(header.trees, reader.Take<uint64_t>());
  INFERD_ASSIGN_OR_RETURN(forest->features, reader.Take<int32_t>());
  INFERD_RETURN_IF_ERROR(reader.Skip(1));  // the kind of task
  INFERD_ASSIGN_OR_RETURN(const auto average, reader.Take<uint8_t>());
  header.average = average != 0;
  INFERD_ASSIGN_OR_RETURN(header.targets, reader.Take<int32_t>());
  INFERD_ASSIGN_OR_RETURN(const auto classes, reader.TakeSizedList<int32_t>());
  INFERD_ASSIGN_OR_RETURN(header.leaf_shape, reader.TakeSizedList<int32_t>());
  INFERD_ASSIGN_OR_RETURN(header.target_ids, reader.TakeSizedList<int32_t>());
  INFERD_ASSIGN_OR_RETURN(header.class_ids, reader.TakeSizedList<int32_t>());
  INFERD_RETURN_IF_ERROR(TakePostprocessor(reader, forest));
  INFERD_ASSIGN_OR_RETURN(forest->end, reader.TakeSizedList<double>());
  INFERD_RETURN_IF_ERROR(reader.SkipSizedList<char>());  // attributes
  INFERD_RETURN_IF_ERROR(RefuseOptionalFields(reader));
  if (classes.empty() || std::cmp_not_equal(classes.size(), header.targets) ||
      std::ranges::any_of(classes, [&](int32_t count) { return count != classes[0]; })) {
    return std::unexpected(base::InvalidArgument("its targets have different numbers of classes"));
  }
  header.classes = classes[0];
  return header;
}

base::Status CheckHeader(const Header& header) {
  if (header.targets < 1 || header.targets > kGroupsMax || header.classes < 1 ||
      header.classes > kGroupsMax / header.targets) {
    return base::InvalidArgument("it has " + std::to_string(header.targets) + " targets of " +
                                 std::to_string(header.classes) + " classes");
  }
  if (header.trees > kTreesMax) return base::InvalidArgument("it has " + std::to_string(header.trees) + " trees");
  if (header.target_ids.size() != header.trees || header.class_ids.size() != header.trees) {
    return base::InvalidArgument("it has not one target and one class for each tree");
  }
  if (header.leaf_shape.size() != 2) return base::InvalidArgument("its leaves have no shape");
  return {};
}

// Sets the outputs to which a tree adds: one, or all of them if its leaves have so many values.
base::Status SetOutputs(const Header& header, size_t number, Tree* tree) {
  const int32_t target = header.target_ids[number];
  const int32_t of_target = header.class_ids[number];
  const int64_t width = int64_t{header.leaf_shape[0]} * header.leaf_shape[1];
  const bool all = (target == -1 || header.targets == 1) && (of_target == -1 || header.classes == 1);
  if (all && width == int64_t{header.targets} * header.classes) return {};
  const bool one = target >= 0 && target < header.targets && of_target >= 0 && of_target < header.classes;
  if (!one || width != 1) return base::InvalidArgument("its leaves have values for some of the outputs");
  tree->group = target * header.classes + of_target;
  return {};
}

}  // namespace

bool IsTreeliteCheckpoint(std::string_view content) {
  ByteReader reader(content);
  const auto version = reader.TakeList<int32_t>(3);
  const auto precision = TakePrecision(reader);
  const auto small = [](int32_t number) { return number >= 0 && number < 256; };
  return version.has_value() && precision.has_value() && (*version)[0] > 0 && std::ranges::all_of(*version, small);
}

base::Result<Forest> ReadTreeliteCheckpoint(std::string_view content) {
  ByteReader reader(content);
  Forest forest;
  INFERD_ASSIGN_OR_RETURN(const Header header, TakeHeader(reader, &forest));
  INFERD_RETURN_IF_ERROR(CheckHeader(header));
  forest.groups = header.targets * header.classes;
  forest.classes = header.classes;
  forest.start.assign(static_cast<size_t>(forest.groups), 0);
  std::vector<double> adding(static_cast<size_t>(forest.groups));  // trees, by output
  SetBuilder builder;
  for (size_t i = 0; i < header.trees; ++i) {
    auto tree = TakeTreeliteTree(reader, forest.compares, static_cast<uint32_t>(forest.groups), builder);
    if (!tree) return std::unexpected(tree.error().WithContext("tree " + std::to_string(i)));
    const base::Status status = SetOutputs(header, i, &*tree);
    if (!status.ok()) return std::unexpected(status.WithContext("tree " + std::to_string(i)));
    if (tree->leaf_width > 1) {
      for (double& count : adding) ++count;
    } else {
      ++adding[static_cast<size_t>(tree->group)];
    }
    forest.trees.push_back(*std::move(tree));
  }
  if (reader.left() > 0) return std::unexpected(reader.Error("something follows the last tree"));
  if (header.average) forest.divisor = std::move(adding);
  return forest;
}

}  // namespace inferd::forest
