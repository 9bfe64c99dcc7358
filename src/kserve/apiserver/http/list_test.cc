#include "kserve/apiserver/http/list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>

#include "data/manifest/value_path.h"
#include "kserve/apiserver/objects/admission.h"
#include "net/fake_exchange.h"

namespace inferd::apiserver {
namespace {

using manifest::Value;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr size_t kObjects = 300;
constexpr size_t kObjectBytes = 10'000;
constexpr size_t kAllBytes = kObjects * kObjectBytes;

class ListTest : public ::testing::Test {
 protected:
  ListTest() {
    for (size_t i = 0; i < kObjects; ++i) Put("o" + std::to_string(1000 + i), kObjectBytes);
  }

  void Put(const std::string& name, size_t bytes, int64_t expected = 0) {
    const auto json = [&](int64_t revision) {
      return R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":")" + name +
             R"(","namespace":"default","resourceVersion":")" + std::to_string(revision) + R"("},"data":{"d":")" +
             std::string(bytes, 'x') + R"("}})";
    };
    ASSERT_TRUE(
        store_->Commit({.key = {type_.resource(), "default", name}, .expected = expected, .json = json}).has_value());
  }
  std::unique_ptr<ListText> Text(int64_t limit = 0, bool table = false, std::string_view fields = "") const {
    ListRequest request;
    request.type = &type_;
    request.limit = limit;
    request.form.table = table;
    request.selector = *Selector::Parse(type_, "", fields);
    return std::make_unique<ListText>(*store_, clock_, std::move(request));
  }
  static std::string All(ListText& list) {
    std::string text;
    while (!list.over()) {
      for (const base::BufferSlice& slice : list.Next()) text += slice.view();
    }
    return text;
  }
  // A client that lists all objects. `reads` is true if it reads the response.
  struct Client {
    explicit Client(net::Loop& loop) : target(loop) {}
    net::Reply::Target target;
    net::FakeExchange exchange{target};
    std::string text() const { return net::BodyText(exchange.responses.back()); }
  };
  Client& Open(bool reads) {
    Client& client = clients_.emplace_back(loop_);
    client.exchange.takes_more = reads;
    ListReply::Begin(Text(), client.exchange.Open(), pool_, under_way_);
    return client;
  }
  void RunAll() {
    while (pool_.RunAll() + loop_.RunAll() > 0) {
    }
  }

  const ResourceType& type_ = *FindKind("v1", "ConfigMap");
  const std::unique_ptr<ObjectStore> store_ = *ObjectStore::Open("", {.history_changes_max = 400});
  base::FakeClock clock_;
  net::FakeLoop loop_;
  net::FakePool pool_;
  std::atomic<size_t> under_way_{0};
  std::deque<Client> clients_;
};

TEST_F(ListTest, ThePiecesAreTheList) {
  const auto list = Text();
  std::string text;
  while (!list->over()) {
    size_t bytes = 0;
    for (const base::BufferSlice& slice : list->Next()) {
      bytes += slice.size();
      text += slice.view();
    }
    EXPECT_LE(bytes, ListText::kPieceBytes + 1000);
  }
  const Value value = ParseStored(text);
  EXPECT_EQ(TextAt(value, {"kind"}), "ConfigMapList");
  EXPECT_EQ(TextAt(value, {"metadata", "resourceVersion"}), std::to_string(store_->revision()));
  ASSERT_THAT(value.Find("items")->items(), SizeIs(kObjects));
  EXPECT_EQ(TextAt(value.Find("items")->items().back(), {"metadata", "name"}), "o1299");
}

TEST_F(ListTest, PagesAndRowsAndSelectorsAreInPiecesToo) {
  const Value page = ParseStored(All(*Text(20)));
  EXPECT_THAT(page.Find("items")->items(), SizeIs(20));
  const auto next = Continuation::Parse(TextAt(page, {"metadata", "continue"}));
  ASSERT_TRUE(next.has_value());
  EXPECT_EQ(next->name, "o1019");
  const Value one = ParseStored(All(*Text(0, false, "metadata.name=o1100")));
  EXPECT_THAT(one.Find("items")->items(), SizeIs(1));
  const Value table = ParseStored(All(*Text(0, true)));
  EXPECT_EQ(TextAt(table, {"kind"}), "Table");
  EXPECT_THAT(table.Find("rows")->items(), SizeIs(kObjects));
  EXPECT_EQ(table.Find("columnDefinitions")->items().size(),
            table.Find("rows")->items().front().Find("cells")->items().size());
}

TEST_F(ListTest, ALargeObjectIsNotCopied) {
  Put("a", 200'000);
  const auto list = Text();
  const auto piece = list->Next();
  ASSERT_THAT(piece, SizeIs(2)) << "it is before the others, and more than a piece";
  EXPECT_EQ(piece[1].view().data(), store_->Get({type_.resource(), "default", "a"})->json.data());
}

TEST_F(ListTest, ClientsThatDoNotReadHaveOnePieceEachAndDelayNobody) {
  size_t unread = 0;
  for (int i = 0; i < 200; ++i) Open(false);
  RunAll();
  for (const Client& client : clients_) unread += client.text().size();
  EXPECT_LE(unread, 200 * (ListText::kPieceBytes + 1000));
  EXPECT_EQ(pool_.queued(), 0u) << "no thread waits for them";
  EXPECT_EQ(under_way_, 200u);
  const Client& reader = Open(true);
  RunAll();
  EXPECT_FALSE(reader.exchange.in_pieces);
  EXPECT_GT(reader.text().size(), kAllBytes);
  // One of the slow clients reads after all.
  Client& slow = clients_.front();
  for (int i = 0; slow.exchange.in_pieces && i < 1000; ++i) {
    if (slow.exchange.on_writable) std::exchange(slow.exchange.on_writable, nullptr)();
    RunAll();
  }
  EXPECT_EQ(slow.text(), reader.text());
  EXPECT_EQ(under_way_, 199u);
  for (Client& client : clients_) client.exchange.on_writable = nullptr;
  EXPECT_EQ(under_way_, 0u) << "they have gone";
}

// Otherwise the old state would be kept in memory only for these lists.
TEST_F(ListTest, OneThatTheChangesHaveOvertakenIsBrokenOff) {
  Client& client = Open(false);
  RunAll();
  for (int round = 0; round < 2; ++round) {
    for (size_t i = 0; i < kObjects; ++i) {
      const std::string name = "o" + std::to_string(1000 + i);
      Put(name, 10, store_->Get({type_.resource(), "default", name})->revision);
    }
  }
  std::exchange(client.exchange.on_writable, nullptr)();
  RunAll();
  EXPECT_FALSE(client.exchange.in_pieces);
  EXPECT_THAT(client.text(), ::testing::Not(HasSubstr("metadata\":{\"resourceVersion")));
  EXPECT_EQ(under_way_, 0u);
}

}  // namespace
}  // namespace inferd::apiserver
