#include "protocols/tfs_grpc/codec/examples_reader.h"

#include <boost/container/small_vector.hpp>
#include <string>
#include <utility>

#include "data/tensor/bytes.h"
#include "data/wire/reader.h"
#include "protocols/tfs/example_columns.h"
#include "protocols/tfs/serialized_examples.h"
#include "protocols/tfs_grpc/codec/feature_reader.h"

namespace inferd::tfs_grpc {

namespace {

using tfs::ExampleColumns;
using wire::Reader;
using wire::Tag;
using wire::Type;
using Parts = boost::container::small_vector<Reader, 1>;

constexpr uint32_t kInput = Tag(2, Type::kBytes);        // of the request
constexpr uint32_t kList = Tag(1, Type::kBytes);         // of Input
constexpr uint32_t kContextList = Tag(2, Type::kBytes);  // of Input
constexpr uint32_t kExamples = Tag(1, Type::kBytes);     // of both lists
constexpr uint32_t kContext = Tag(2, Type::kBytes);      // of the second one
constexpr uint32_t kFeatures = Tag(1, Type::kBytes);     // of Example
constexpr uint32_t kFeature = Tag(1, Type::kBytes);      // of Features
constexpr uint32_t kKey = Tag(1, Type::kBytes);
constexpr uint32_t kValue = Tag(2, Type::kBytes);

// Calls visit(reader) for each message in field `tag` of `in`.
template <typename Visit>
base::Status ForEach(Reader in, uint32_t tag, Visit visit) {
  while (const uint32_t next = in.Next()) {
    if (next == tag) {
      INFERD_RETURN_IF_ERROR(visit(in.Message()));
    } else {
      in.Skip();
    }
  }
  return in.status();
}

// A request's examples and their context, in wire form.
struct Examples {
  Parts lists;  // of one kind
  uint32_t kind = 0;

  // The last kind that is set counts.
  base::Status Find(std::string_view message) {
    return ForEach(Reader(message), kInput, [this](Reader input) -> base::Status {
      while (const uint32_t tag = input.Next()) {
        if (tag != kList && tag != kContextList) {
          input.Skip();
          continue;
        }
        if (tag != kind) lists.clear();
        kind = tag;
        lists.push_back(input.Message());
      }
      return input.status();
    });
  }

  template <typename Visit>
  base::Status ForEachExample(Visit visit) const {
    for (const Reader& list : lists) INFERD_RETURN_IF_ERROR(ForEach(list, kExamples, visit));
    return {};
  }
  template <typename Visit>
  base::Status ForEachContext(Visit visit) const {
    if (kind != kContextList) return {};
    for (const Reader& list : lists) INFERD_RETURN_IF_ERROR(ForEach(list, kContext, visit));
    return {};
  }
};

// Calls visit(name, parts) for each feature of an Example, including repeated names.
template <typename Visit>
base::Status ForEachFeature(Reader example, Visit visit) {
  return ForEach(example, kFeatures, [&](Reader features) {
    return ForEach(features, kFeature, [&](Reader entry) -> base::Status {
      std::string_view name;
      Parts parts;
      while (const uint32_t tag = entry.Next()) {
        switch (tag) {
          case kKey: name = entry.String(); break;
          case kValue: parts.push_back(entry.Message()); break;
          default: entry.Skip();
        }
      }
      if (!entry.ok()) return entry.status();
      visit(name, std::move(parts));
      return {};
    });
  });
}

// Adds features of examples to the inputs of their names.
class ColumnsReader {
 public:
  explicit ColumnsReader(const core::ModelSignature& signature)
      : signature_(signature), columns_(signature), found_(signature.inputs.size()) {}

  base::Status Read(const Examples& examples) {
    // The parts of the context's message form one example.
    INFERD_RETURN_IF_ERROR(examples.ForEachContext([this](Reader part) { return Collect(part); }));
    INFERD_RETURN_IF_ERROR(Add(ExampleColumns::Part::kContext));
    return examples.ForEachExample([this](Reader example) -> base::Status {
      columns_.CountExample();
      INFERD_RETURN_IF_ERROR(Collect(example));
      return Add(ExampleColumns::Part::kExample);
    });
  }

  ExampleColumns& columns() { return columns_; }

 private:
  // The last of several features of one name counts.
  base::Status Collect(Reader example) {
    return ForEachFeature(example, [this](std::string_view name, Parts parts) {
      const int input = signature_.FindInput(name);
      if (input >= 0) found_[static_cast<size_t>(input)] = std::move(parts);
    });
  }

  base::Status Add(ExampleColumns::Part part) {
    for (size_t i = 0; i < found_.size(); ++i) {
      if (found_[i].empty()) continue;
      INFERD_RETURN_IF_ERROR(ReadFeature(std::exchange(found_[i], {}), feature_));
      INFERD_RETURN_IF_ERROR(columns_.Add(part, signature_.inputs[i].name, feature_));
    }
    return {};
  }

  const core::ModelSignature& signature_;
  ExampleColumns columns_;
  boost::container::small_vector<Parts, 4> found_;  // of one example, by input
  tfs::Feature feature_;
};

// An Example's bytes merge with the preceding ones.
base::Result<core::InferTensor> WholeExamples(const Examples& examples, const core::TensorSpec& input,
                                              uint64_t context_bytes_max) {
  std::string text;
  INFERD_RETURN_IF_ERROR(examples.ForEachContext([&text](Reader part) -> base::Status {
    text.append(part.rest());
    return ForEachFeature(part, [](std::string_view, const Parts&) {});
  }));
  const size_t context_size = text.size();
  tensor::BytesPacker packer(0);
  int64_t count = 0;
  INFERD_RETURN_IF_ERROR(examples.ForEachExample([&](Reader example) -> base::Status {
    ++count;
    if (context_size > context_bytes_max / static_cast<uint64_t>(count)) {
      return base::ResourceExhausted("the context, for " + std::to_string(count) + " examples, is more than " +
                                     std::to_string(context_bytes_max) + " bytes");
    }
    text.resize(context_size);
    text.append(example.rest());
    base::Status valid = ForEachFeature(example, [](std::string_view, const Parts&) {});
    return valid.ok() ? packer.Append(text) : valid;
  }));
  core::InferTensor tensor;
  tensor.name = input.name;
  tensor.datatype = tensor::DataType::kBytes;
  tensor.shape = {count};
  tensor.data = base::BufferSlice(packer.Take());
  return tensor;
}

}  // namespace

base::Result<std::unique_ptr<core::InferRequest>> ReadExamples(std::string_view message,
                                                               const core::ModelSignature& signature,
                                                               uint64_t context_bytes_max) {
  Examples examples;
  INFERD_RETURN_IF_ERROR(examples.Find(message));
  size_t count = 0;
  INFERD_RETURN_IF_ERROR(examples.ForEachExample([&count](Reader) -> base::Status {
    ++count;
    return {};
  }));
  if (count == 0) return std::unexpected(base::InvalidArgument("Input is empty."));
  auto request = std::make_unique<core::InferRequest>();
  if (tfs::TakesSerialized(signature)) {
    INFERD_ASSIGN_OR_RETURN(core::InferTensor tensor, WholeExamples(examples, signature.inputs[0], context_bytes_max));
    request->inputs.push_back(std::move(tensor));
    return request;
  }
  ColumnsReader reader(signature);
  INFERD_RETURN_IF_ERROR(reader.Read(examples));
  INFERD_RETURN_IF_ERROR(reader.columns().Take(context_bytes_max, *request));
  return request;
}

}  // namespace inferd::tfs_grpc
