#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/status.h"
#include "kserve/apiserver/store/stored_object.h"

struct sqlite3;
struct sqlite3_stmt;

namespace inferd::apiserver {

// The objects and the revision in an SQLite database, which no other process may have open. A commit that returned OK
// survives a crash of the program and of the machine. Not thread-safe.
//
// Errors: UNAVAILABLE with SQLite's text (a full disk, a damaged file).
class Database final {
 public:
  // Opens the database, in memory if `path` is empty. Its files are readable by this user only (0600).
  // FAILED_PRECONDITION if another process has it open, or if another version of inferd made it.
  static base::Result<std::unique_ptr<Database>> Open(const std::string& path);
  ~Database();

  // Reads all objects, in no order, and the last revision.
  base::Status Read(const std::function<void(StoredObject)>& take, int64_t& revision);

  base::Status Begin();
  base::Status Put(const StoredObject& object);
  base::Status Remove(const ObjectKey& key);
  base::Status Commit(int64_t revision);
  // Undoes everything since Begin.
  void Rollback();

 private:
  struct Closer {
    void operator()(sqlite3* database) const;
    void operator()(sqlite3_stmt* statement) const;
  };
  using Statement = std::unique_ptr<sqlite3_stmt, Closer>;

  explicit Database(sqlite3* database) : database_(database) {}
  base::Status Prepare();
  base::Status Execute(const char* sql);
  base::Result<int64_t> ReadNumber(const char* sql);
  base::Status Step(const Statement& statement);
  base::Status Error() const;

  const std::unique_ptr<sqlite3, Closer> database_;
  Statement put_, remove_, set_revision_;
};

}  // namespace inferd::apiserver
