#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/executor.h"
#include "kserve/apiserver/http/response_form.h"
#include "kserve/apiserver/objects/selector.h"
#include "kserve/apiserver/store/object_store.h"
#include "net/http/http.h"

namespace inferd::apiserver {

// Where the next page of a list goes on: behind an object, of a state as of a revision.
struct Continuation {
  std::string revision;
  std::string namespace_name;
  std::string name;

  std::string ToToken() const;
  // nullopt if `token` is not what ToToken() returns.
  static std::optional<Continuation> Parse(std::string_view token);
};

// What a list is of, and how it is told.
struct ListRequest {
  const ResourceType* type = nullptr;
  std::string namespace_name;  // empty: all
  Selector selector;
  RowForm form;
  int64_t limit = 0;  // objects of a page; 0: all
  std::optional<Continuation> from = std::nullopt;
};

// Reads it of a GET of a collection.
ApiResult<ListRequest> ReadListRequest(const net::RequestHead& head, const ApiPath& path, const Query& query);

// The text of a list, of one state of the store, made in pieces as its client takes them. Large objects are the
// store's own memory, not copies. Not thread-safe; the store and the clock outlive it.
class ListText final {
 public:
  static constexpr size_t kPieceBytes = 64 * 1024;

  ListText(const ObjectStore& store, const base::Clock& clock, ListRequest request);

  // Returns the next piece, which may be empty. It is made of at most kPieceBytes of objects, or of one larger object.
  std::vector<base::BufferSlice> Next();
  // True if there is no next piece.
  bool over() const { return over_; }
  // False if the store has changed so much since that its state takes memory for this list alone: end the list.
  bool kept() const { return store_.Keeps(listed_.revision); }

 private:
  bool Behind(const ObjectPtr& object) const;
  // The text before the first object.
  std::string Head() const;
  // The text behind the last one, `more` if the page has not all of them.
  std::string Tail(bool more) const;
  void Add(const ObjectPtr& object, const manifest::Value& value);
  void AddText(std::string_view text) { text_ += text; }
  // What was added as text becomes a slice.
  void Close();

  const ObjectStore& store_;
  const base::Clock& clock_;
  const ListRequest request_;
  ObjectStore::Listed listed_;
  size_t looked_at_ = 0;  // of listed_
  int64_t told_ = 0;      // objects
  ObjectKey last_;        // the last that was told
  std::string text_;      // of the piece that is being made
  std::vector<base::BufferSlice> piece_;
  bool over_ = false;
};

// The answer to a list: pieces that a pool makes, each when the client has taken those before. So a client that does
// not read has one piece in memory, and no thread waits for it. Owns itself; loop-bound.
class ListReply final : public std::enable_shared_from_this<ListReply> {
 public:
  // Lists that are being answered, of a whole server.
  static constexpr size_t kListsMax = 1000;

  // `under_way` counts lists until they have ended. It, the pool and what `text` stands on outlive the loop.
  static void Begin(std::unique_ptr<ListText> text, net::Reply reply, base::Executor& pool,
                    std::atomic<size_t>& under_way);
  ~ListReply();
  ListReply(const ListReply&) = delete;
  ListReply& operator=(const ListReply&) = delete;

 private:
  ListReply(std::unique_ptr<ListText> text, net::Reply reply, base::Executor& pool, std::atomic<size_t>& under_way);
  void MakeNext();
  void Send(std::vector<base::BufferSlice> piece);

  const std::unique_ptr<ListText> text_;  // a pool's thread has it between MakeNext() and Send()
  net::Reply reply_;
  base::Executor& pool_;
  std::atomic<size_t>& under_way_;
  bool begun_ = false;
};

}  // namespace inferd::apiserver
