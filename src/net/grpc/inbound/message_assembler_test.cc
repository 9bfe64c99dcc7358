#include "net/grpc/inbound/message_assembler.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <string_view>

#include "net/grpc/fake_call.h"

namespace inferd::net::grpc {
namespace {

class MessageAssemblerTest : public ::testing::Test {
 protected:
  // Returns every message of `bytes`, fed in pieces of `step`, or the error.
  base::Result<std::vector<std::string>> Cut(std::string_view bytes, size_t step = SIZE_MAX) {
    MessageAssembler assembler(rules_);
    assembler.Begin(bodies_);
    std::vector<std::string> messages;
    while (!bytes.empty()) {
      std::span<const std::byte> piece = std::as_bytes(std::span(bytes.substr(0, step)));
      bytes.remove_prefix(piece.size());
      while (!piece.empty()) {
        auto message = assembler.Take(piece);
        if (!message.has_value()) return std::unexpected(std::move(message).error());
        if (!message->has_value()) continue;
        messages.emplace_back((*message)->bytes.view());
        aligned_ = std::move((*message)->bytes);
      }
    }
    inside_ = assembler.inside();
    return messages;
  }

  MessageRules rules_{.bytes_max = 1 << 20, .compression = false, .align_at = nullptr};
  std::shared_ptr<MemoryBudget> budget_ = std::make_shared<MemoryBudget>(1 << 20);
  BodyPool bodies_{budget_};
  bool inside_ = false;
  base::BufferSlice aligned_;
};

TEST_F(MessageAssemblerTest, CutsMessagesOutOfAnyPieces) {
  const std::string large(100'000, 'l');
  const std::string bytes = Framed("one") + Framed("") + Framed(large) + Framed("two");
  for (const size_t step : {size_t{1}, size_t{2}, size_t{5}, size_t{7}, size_t{4096}, SIZE_MAX}) {
    const auto messages = Cut(bytes, step);
    ASSERT_TRUE(messages.has_value());
    EXPECT_EQ(*messages, (std::vector<std::string>{"one", "", large, "two"}));
    EXPECT_FALSE(inside_);
  }
  aligned_ = {};
  EXPECT_EQ(budget_->used(), 0u);
}

TEST_F(MessageAssemblerTest, KnowsWhetherItStandsInsideAMessage) {
  ASSERT_TRUE(Cut(Framed("one").substr(0, 7)).has_value());
  EXPECT_TRUE(inside_);
  ASSERT_TRUE(Cut(std::string(1, '\0')).has_value());
  EXPECT_TRUE(inside_);
}

TEST_F(MessageAssemblerTest, RefusesWhatIsTooLongBeforeItTakesMemory) {
  const auto messages = Cut(Framed(std::string((1 << 20) + 1, 'x')).substr(0, 5));
  EXPECT_EQ(messages.error(), base::ResourceExhausted("Received message larger than max (1048577 vs. 1048576)"));
  EXPECT_EQ(budget_->used(), 0u);
}

TEST_F(MessageAssemblerTest, RefusesMoreThanTheBudget) {
  budget_ = std::make_shared<MemoryBudget>(1000);
  BodyPool bodies(budget_);
  MessageAssembler assembler(rules_);
  assembler.Begin(bodies);
  const std::string text = Framed(std::string(2000, 'x'));
  std::span<const std::byte> bytes = std::as_bytes(std::span(text));
  EXPECT_EQ(assembler.Take(bytes).error().code(), base::StatusCode::kResourceExhausted);
}

TEST_F(MessageAssemblerTest, RefusesBadPrefixes) {
  EXPECT_EQ(Cut(Framed("x", 2)).error(), base::Internal("received message with invalid flags 2"));
  EXPECT_EQ(Cut(Framed("x", '\x80')).error(), base::Internal("received message with invalid flags 128"));
  EXPECT_EQ(Cut(Framed("x", 1)).error(),
            base::Internal("received compressed message without a grpc-encoding other than identity"));
  rules_.compression = true;
  EXPECT_TRUE(Cut(Framed("x", 1)).has_value());
}

TEST_F(MessageAssemblerTest, PutsTheBulkOfLargeMessagesAtAnAlignedAddress) {
  std::string large(50'000, 'l');
  large[0] = 33;
  for (const size_t bytes : {size_t{4'096}, size_t{5'000}, size_t{50'000}}) {
    for (const size_t step : {size_t{1}, size_t{100}, size_t{4'100}, SIZE_MAX}) {
      size_t asked = 0;
      const std::function<size_t(std::span<const std::byte>)> align_at = [&](std::span<const std::byte> beginning) {
        ++asked;
        EXPECT_GE(beginning.size(), 4'096u);
        return std::to_integer<size_t>(beginning[0]);
      };
      rules_.align_at = &align_at;
      ASSERT_EQ(Cut(Framed(large.substr(0, bytes)), step).value(), std::vector{large.substr(0, bytes)});
      EXPECT_EQ(reinterpret_cast<uintptr_t>(aligned_.data() + 33) % base::kBufferAlignment, 0u);
      EXPECT_EQ(asked, 1u);
      EXPECT_TRUE(Cut(Framed(large.substr(0, 4'095)), step).has_value());
      EXPECT_EQ(asked, 1u);
      rules_.compression = true;
      EXPECT_TRUE(Cut(Framed(large, 1), step).has_value());
      EXPECT_EQ(asked, 1u);
    }
  }
}

TEST_F(MessageAssemblerTest, BytesReadToItsSpaceAreTheMessages) {
  const std::string framed = Framed(std::string(300'000, 'm'));
  MessageAssembler assembler(rules_);
  assembler.Begin(bodies_);
  EXPECT_TRUE(assembler.Space().empty());
  std::span<const std::byte> head = std::as_bytes(std::span(framed)).first(1005);
  ASSERT_FALSE(assembler.Take(head).value().has_value());
  const std::span<std::byte> space = assembler.Space();
  ASSERT_EQ(space.size(), 299'000u) << "what comes behind a message is not its";
  std::memcpy(space.data(), framed.data() + 1005, space.size());
  std::span<const std::byte> rest = space;
  const auto message = assembler.Take(rest).value();
  ASSERT_TRUE(message.has_value());
  EXPECT_EQ(message->bytes.data() + 1000, space.data());
  EXPECT_EQ(message->bytes.view(), framed.substr(5));
  EXPECT_TRUE(assembler.Space().empty());
}

}  // namespace
}  // namespace inferd::net::grpc
