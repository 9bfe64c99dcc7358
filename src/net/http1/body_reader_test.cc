#include "net/http1/body_reader.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>

#include "net/body/memory_budget.h"

namespace inferd::net::http1 {
namespace {

using Result = BodyReader::Result;

class Http1BodyReaderTest : public ::testing::Test {
 protected:
  void Begin(std::optional<uint64_t> length, uint64_t bytes_max = 1'000'000) {
    reader_.Begin(Body(pool_, length, bytes_max, 0), length);
  }
  // Feeds `wire` to the reader in pieces of `step`, until it needs no more.
  Result Read(std::string_view wire, size_t step = SIZE_MAX) {
    return Feed(wire, step, [this] { return reader_.Read(input_); });
  }
  Result Drop(std::string_view wire, size_t step = SIZE_MAX) {
    return Feed(wire, step, [this] { return reader_.Drop(input_); });
  }
  std::string Finish() { return std::string(reader_.Finish().view()); }

  std::shared_ptr<MemoryBudget> budget_ = std::make_shared<MemoryBudget>(10'000'000);
  BodyPool pool_{budget_};
  Input input_;
  BodyReader reader_{100};

 private:
  template <class Function>
  Result Feed(std::string_view wire, size_t step, const Function& read) {
    Result result = Result::kMore;
    while (!wire.empty() && result == Result::kMore) {
      const std::string_view piece = wire.substr(0, step);
      std::memcpy(input_.Space(true).data(), piece.data(), piece.size());
      input_.Commit(piece.size());
      wire.remove_prefix(piece.size());
      result = read();
    }
    return result;
  }
};

TEST_F(Http1BodyReaderTest, TakesAsMuchAsIsPromised) {
  for (const size_t step : {size_t{1}, size_t{3}, size_t{100}}) {
    Begin(5);
    EXPECT_EQ(Read("hello", step), Result::kDone);
    EXPECT_EQ(Finish(), "hello");
  }
  Begin(5);
  EXPECT_EQ(Read("hello, next"), Result::kDone);
  EXPECT_EQ(input_.text(), ", next");
}

TEST_F(Http1BodyReaderTest, TakesChunksHoweverTheyArrive) {
  const std::string wire = "3\r\nabc\r\n2;x\r\nde\r\n0\r\nT: x\r\n\r\nnext";
  for (size_t step = 1; step <= wire.size(); ++step) {
    input_.Clear();
    Begin(std::nullopt);
    EXPECT_EQ(Read(wire, step), Result::kDone) << step;
    EXPECT_EQ(Finish(), "abcde");
  }
  EXPECT_EQ(input_.text(), "next");
}

TEST_F(Http1BodyReaderTest, ReadsStraightIntoTheBodyWhereNoFramingIs) {
  Begin(10'000);
  EXPECT_EQ(reader_.Space().size(), 10'000u);
  Begin(std::nullopt);
  EXPECT_TRUE(reader_.Space().empty()) << "the chunk's size comes first";
  EXPECT_EQ(Read("10\r\n"), Result::kMore);
  EXPECT_TRUE(reader_.Space().empty()) << "that is too short to be worth it";
  EXPECT_EQ(Read("0123456789abcdef\r\n2000\r\n"), Result::kMore);
  const std::span<std::byte> space = reader_.Space();
  ASSERT_EQ(space.size(), 0x2000u);
  std::ranges::fill(space, std::byte{'x'});
  EXPECT_EQ(reader_.Commit(space.size()), Result::kMore);
  EXPECT_EQ(Read("\r\n0\r\n\r\n"), Result::kDone);
  EXPECT_EQ(Finish(), "0123456789abcdef" + std::string(0x2000, 'x'));
}

TEST_F(Http1BodyReaderTest, SaysWhatIsWrong) {
  Begin(std::nullopt);
  EXPECT_EQ(Read("xyz\r\n"), Result::kMalformed);
  input_.Clear();
  Begin(std::nullopt, 4);
  EXPECT_EQ(Read("5\r\nhello\r\n"), Result::kTooLarge);
  input_.Clear();
  Begin(std::nullopt);
  EXPECT_EQ(Read("0\r\nT: " + std::string(100, 'x')), Result::kTrailersTooLarge);
  input_.Clear();
  reader_.Reset();
  ASSERT_TRUE(budget_->TryCharge(9'999'999));
  Begin(100);
  EXPECT_EQ(Read(std::string(100, 'x')), Result::kNoMemory);
  reader_.Reset();
  EXPECT_EQ(budget_->used(), 9'999'999u);
}

TEST_F(Http1BodyReaderTest, DropsWhatIsRefused) {
  for (const size_t step : {size_t{1}, size_t{100}}) {
    input_.Clear();
    reader_.BeginDrop(5, 0);
    EXPECT_EQ(Drop("hellonext", step), Result::kDone);
    input_.Clear();
    reader_.BeginDrop(std::nullopt, 10);
    EXPECT_EQ(Drop("3\r\nabc\r\n0\r\n\r\n", step), Result::kDone);
    EXPECT_TRUE(input_.empty());
  }
  reader_.BeginDrop(std::nullopt, 10);
  EXPECT_EQ(Drop("b\r\nhello world\r\n"), Result::kGaveUp) << "that is more than is dropped";
  input_.Clear();
  reader_.BeginDrop(std::nullopt, 10);
  EXPECT_EQ(Drop("xyz\r\n"), Result::kGaveUp);
  EXPECT_EQ(budget_->used(), 0u);
}

}  // namespace
}  // namespace inferd::net::http1
