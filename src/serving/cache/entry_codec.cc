#include "serving/cache/entry_codec.h"

#include <algorithm>
#include <optional>
#include <type_traits>
#include <variant>

#include "data/tensor/raw.h"

namespace inferd::cache {

namespace {

// The last digit is the format's version. Entries of other versions are not valid.
constexpr std::string_view kMagic = "inferd-response-1";
constexpr size_t kCountMax = 1 << 16;  // of outputs, and of parameters

class Writer {
 public:
  void Raw(std::string_view bytes) { out_.append(bytes); }
  template <typename Number>
  void Number64(Number number) {
    static_assert(sizeof number == 8);
    out_.append(reinterpret_cast<const char*>(&number), sizeof number);
  }
  void Text(std::string_view text) {
    Number64(uint64_t{text.size()});
    Raw(text);
  }
  void Write(const core::Parameters& parameters) {
    Number64(uint64_t{parameters.size()});
    for (const auto& [name, value] : parameters) {
      Text(name);
      Number64(uint64_t{value.index()});
      std::visit([this](const auto& held) { WriteValue(held); }, value);
    }
  }
  void Reserve(size_t bytes) { out_.reserve(bytes); }
  std::string Take() { return std::move(out_); }

 private:
  template <typename Held>
  void WriteValue(const Held& held) {
    if constexpr (std::is_same_v<Held, std::string>) {
      Text(held);
    } else if constexpr (std::is_same_v<Held, bool>) {
      Number64(uint64_t{held ? 1u : 0u});
    } else {
      Number64(held);
    }
  }

  std::string out_;
};

class Reader {
 public:
  explicit Reader(std::string_view in) : in_(in) {}

  bool failed() const { return failed_; }
  bool AtEnd() const { return !failed_ && in_.empty(); }
  void Fail() { failed_ = true; }
  std::string_view Raw(uint64_t size) {
    if (failed_ || size > in_.size()) {
      failed_ = true;
      return {};
    }
    const std::string_view raw = in_.substr(0, size);
    in_.remove_prefix(size);
    return raw;
  }
  template <typename Number>
  Number Number64() {
    Number number{};
    const std::string_view raw = Raw(sizeof number);
    std::copy_n(raw.begin(), raw.size(), reinterpret_cast<char*>(&number));
    return number;
  }
  std::string_view Text() { return Raw(Number64<uint64_t>()); }
  // Reads the count of elements that take at least 8 bytes each.
  size_t Count(size_t max = kCountMax) {
    const auto count = Number64<uint64_t>();
    if (count > max || count > in_.size() / 8) failed_ = true;
    return failed_ ? 0 : count;
  }
  core::Parameters Parameters() {
    core::Parameters parameters;
    for (size_t left = Count(); left > 0 && !failed_; --left) {
      std::string name(Text());
      parameters.emplace_back(std::move(name), Value());
    }
    return parameters;
  }

 private:
  core::ParameterValue Value() {
    switch (Number64<uint64_t>()) {
      case 0: return Number64<uint64_t>() != 0;
      case 1: return Number64<int64_t>();
      case 2: return Number64<uint64_t>();
      case 3: return Number64<double>();
      case 4: return std::string(Text());
      default: failed_ = true; return false;
    }
  }

  std::string_view in_;
  bool failed_ = false;
};

std::optional<core::InferTensor> ReadOutput(Reader& in) {
  core::InferTensor output;
  output.name = in.Text();
  const auto datatype = in.Number64<int64_t>();
  output.datatype = static_cast<tensor::DataType>(datatype);
  for (size_t left = in.Count(tensor::kRankMax); left > 0; --left) output.shape.Append(in.Number64<int64_t>());
  const std::string_view data = in.Text();
  // The bytes outlive the reader, and are copied before they are freed.
  output.data = {base::Buffer(), reinterpret_cast<const std::byte*>(data.data()), data.size()};
  output.parameters = in.Parameters();
  const bool is_type = datatype > 0 && datatype <= static_cast<int64_t>(tensor::kLastDataType);
  // Readers of the tensor trust its shape, so it must match the bytes.
  if (in.failed() || !is_type || !tensor::CheckRaw(output.datatype, output.shape, output.data.bytes()).ok()) {
    return std::nullopt;
  }
  return output;
}

bool HasKey(Reader& in, const StoredKey& key) {
  if (in.Raw(kMagic.size()) != kMagic || in.Text() != key.head()) return false;
  if (in.Number64<uint64_t>() != key.input_count()) return false;
  for (size_t i = 0; i < key.input_count(); ++i) {
    if (in.Text() != key.input(i).view()) return false;
  }
  return !in.failed();
}

}  // namespace

std::string EncodeEntry(const StoredKey& key, const CachedResponse& response) {
  Writer out;
  out.Reserve(key.bytes() + response.bytes());
  out.Raw(kMagic);
  out.Text(key.head());
  out.Number64(uint64_t{key.input_count()});
  for (size_t i = 0; i < key.input_count(); ++i) out.Text(key.input(i).view());
  out.Write(response.parameters());
  out.Number64(uint64_t{response.outputs().size()});
  for (const core::InferTensor& output : response.outputs()) {
    out.Text(output.name);
    out.Number64(static_cast<int64_t>(output.datatype));
    out.Number64(uint64_t{output.shape.rank()});
    for (const int64_t dim : output.shape.dims()) out.Number64(dim);
    out.Text(output.data.view());
    out.Write(output.parameters);
  }
  return out.Take();
}

std::shared_ptr<const CachedResponse> DecodeEntry(std::string_view entry, const StoredKey& key) {
  Reader in(entry);
  if (!HasKey(in, key)) return nullptr;
  core::InferResponse response;
  response.parameters = in.Parameters();
  for (size_t left = in.Count(); left > 0; --left) {
    std::optional<core::InferTensor> output = ReadOutput(in);
    if (!output.has_value()) return nullptr;
    response.outputs.push_back(*std::move(output));
  }
  return in.AtEnd() ? CachedResponse::CopyOf(response) : nullptr;
}

}  // namespace inferd::cache
