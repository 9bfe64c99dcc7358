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

// The position at which the next page of a list begins: after this object. `revision` is that of the first page.
struct Continuation {
  std::string revision;
  std::string namespace_name;
  std::string name;

  std::string ToToken() const;
  // Parses a token of ToToken(). nullopt if it is invalid.
  static std::optional<Continuation> Parse(std::string_view token);
};

// The parameters of a list.
struct ListRequest {
  const ResourceType* type = nullptr;
  std::string namespace_name;  // empty for all
  Selector selector;
  RowForm form;
  int64_t limit = 0;  // objects in a page; 0 for all
  std::optional<Continuation> from = std::nullopt;
};

// Reads the parameters from a GET of a collection.
ApiResult<ListRequest> ReadListRequest(const net::RequestHead& head, const ApiPath& path, const Query& query);

// The text of a list, from one state of the store, made in pieces as the client reads. Large objects are the store's
// own memory, not copies. Not thread-safe. The store and the clock must outlive it.
class ListText final {
 public:
  static constexpr size_t kPieceBytes = 64 * 1024;

  ListText(const ObjectStore& store, const base::Clock& clock, ListRequest request);

  // Returns the next piece, which may be empty. It covers at most kPieceBytes of objects, or one larger object.
  std::vector<base::BufferSlice> Next();
  // True if there are no more pieces.
  bool over() const { return over_; }
  // False if the store has changed so much that only this list still keeps its state in memory. Then abort the list.
  bool kept() const { return store_.Keeps(listed_.revision); }

 private:
  bool Behind(const ObjectPtr& object) const;
  // Returns the text before the first object.
  std::string Head() const;
  // Returns the text after the last object. `more` is true if there is another page.
  std::string Tail(bool more) const;
  void Add(const ObjectPtr& object, const manifest::Value& value);
  void AddText(std::string_view text) { text_ += text; }
  // Turns the added text into a slice.
  void Close();

  const ObjectStore& store_;
  const base::Clock& clock_;
  const ListRequest request_;
  ObjectStore::Listed listed_;
  size_t looked_at_ = 0;  // number of processed objects in listed_
  int64_t told_ = 0;      // number of sent objects
  ObjectKey last_;        // the last object sent
  std::string text_;      // of the current piece
  std::vector<base::BufferSlice> piece_;
  bool over_ = false;
};

// The response to a list. A thread of a pool makes each piece once the client has read the pieces before. A slow client
// therefore keeps only one piece in memory, and no thread waits for it. Owns itself. Loop-bound.
class ListReply final : public std::enable_shared_from_this<ListReply> {
 public:
  // The limit of lists in flight, for the whole server.
  static constexpr size_t kListsMax = 1000;

  // Starts the response. `under_way` counts the lists until they end. `under_way`, the pool and the references of
  // `text` must outlive the loop.
  static void Begin(std::unique_ptr<ListText> text, net::Reply reply, base::Executor& pool,
                    std::atomic<size_t>& under_way);
  ~ListReply();
  ListReply(const ListReply&) = delete;
  ListReply& operator=(const ListReply&) = delete;

 private:
  ListReply(std::unique_ptr<ListText> text, net::Reply reply, base::Executor& pool, std::atomic<size_t>& under_way);
  void MakeNext();
  void Send(std::vector<base::BufferSlice> piece);

  const std::unique_ptr<ListText> text_;  // used by a pool's thread between MakeNext() and Send()
  net::Reply reply_;
  base::Executor& pool_;
  std::atomic<size_t>& under_way_;
  bool begun_ = false;
};

}  // namespace inferd::apiserver
