#include "net/grpc/web_text.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "base/text/base64.h"

namespace inferd::net::grpc {

namespace {

constexpr size_t kGroupChars = 4;
constexpr size_t kGroupBytes = 3;

class TextSink final : public RequestSink {
 public:
  explicit TextSink(std::unique_ptr<CallSink> call) : call_(std::move(call)) {}

  void Begin(BodyPool& bodies) override { call_->Begin(bodies); }

  void OnBody(std::span<const std::byte> bytes) override {
    std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (size_ > 0) {
      const size_t missing = std::min(kGroupChars - size_, text.size());
      text.copy(group_.data() + size_, missing);
      size_ += missing;
      text.remove_prefix(missing);
      if (size_ < kGroupChars) return;
      Pass({group_.data(), kGroupChars});
    }
    const size_t whole = text.size() / kGroupChars * kGroupChars;
    Pass(text.substr(0, whole));
    text.remove_prefix(whole);
    size_ = text.copy(group_.data(), text.size());
  }

  void OnBodyEnd() override {
    if (size_ > 0) Refuse();
    call_->OnBodyEnd();
  }
  void Open(HttpRequest request, Reply reply) override { call_->Open(std::move(request), std::move(reply)); }
  void Proceed() override { call_->Proceed(); }
  bool AwaitsMore() const override { return call_->AwaitsMore(); }

 private:
  // Passes whole groups. A padded group ends a part, after which the next may begin.
  void Pass(std::string_view text) {
    std::array<char, 1024 * kGroupBytes> bytes;
    while (!text.empty() && !refused_) {
      std::string_view part = text.substr(0, 1024 * kGroupChars);
      const size_t padding = part.find('=');
      if (padding != std::string_view::npos) part = part.substr(0, (padding / kGroupChars + 1) * kGroupChars);
      const std::optional<size_t> size = base::DecodeBase64(part, bytes.data());
      if (!size.has_value()) return Refuse();
      call_->OnBody(std::as_bytes(std::span(bytes.data(), *size)));
      text.remove_prefix(part.size());
    }
  }

  void Refuse() {
    refused_ = true;
    call_->Refuse(base::Internal("the request of application/grpc-web-text is no base64"));
  }

  const std::unique_ptr<CallSink> call_;
  std::array<char, kGroupChars> group_{};  // an incomplete group
  size_t size_ = 0;                        // of it
  bool refused_ = false;
};

}  // namespace

base::BufferSlice EncodeText(std::span<const base::BufferSlice> pieces) {
  size_t size = 0;
  for (const base::BufferSlice& piece : pieces) size += piece.size();
  base::Buffer text = base::Buffer::Allocate(base::Base64Size(size));
  char* out = reinterpret_cast<char*>(text.data());
  std::array<char, kGroupBytes> group{};  // bytes left over from earlier pieces
  size_t left = 0;
  for (const base::BufferSlice& piece : pieces) {
    std::string_view bytes = piece.view();
    if (left > 0) {
      const size_t missing = std::min(kGroupBytes - left, bytes.size());
      bytes.copy(group.data() + left, missing);
      left += missing;
      bytes.remove_prefix(missing);
      if (left < kGroupBytes) continue;
      out = base::EncodeBase64({group.data(), kGroupBytes}, out);
    }
    const size_t whole = bytes.size() / kGroupBytes * kGroupBytes;
    out = base::EncodeBase64(bytes.substr(0, whole), out);
    bytes.remove_prefix(whole);
    left = bytes.copy(group.data(), bytes.size());
  }
  base::EncodeBase64({group.data(), left}, out);
  return base::BufferSlice(std::move(text));
}

std::unique_ptr<RequestSink> DecodeText(std::unique_ptr<CallSink> call) {
  return std::make_unique<TextSink>(std::move(call));
}

}  // namespace inferd::net::grpc
