#include "kserve/apiserver/store/database.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/system/file_descriptor.h"

namespace inferd::apiserver {

namespace {

constexpr int64_t kVersion = 1;

// Exclusive, because a second controller on the same folder would overwrite this one's objects.
constexpr const char* kSettings =
    "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;";

constexpr const char* kTables = R"(
CREATE TABLE IF NOT EXISTS objects (
  resource TEXT NOT NULL, namespace TEXT NOT NULL, name TEXT NOT NULL, revision INTEGER NOT NULL, json TEXT NOT NULL,
  PRIMARY KEY (resource, namespace, name)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS state (id INTEGER PRIMARY KEY CHECK (id = 1), revision INTEGER NOT NULL);
INSERT OR IGNORE INTO state VALUES (1, 1);
)";

void BindText(sqlite3_stmt* statement, int index, const std::string& text) {
  sqlite3_bind_text64(statement, index, text.data(), text.size(), SQLITE_STATIC, SQLITE_UTF8);
}

std::string ColumnText(sqlite3_stmt* statement, int column) {
  const auto* const text = reinterpret_cast<const char*>(sqlite3_column_text(statement, column));
  return text == nullptr ? std::string()
                         : std::string(text, static_cast<size_t>(sqlite3_column_bytes(statement, column)));
}

void BindKey(sqlite3_stmt* statement, const ObjectKey& key) {
  BindText(statement, 1, key.resource);
  BindText(statement, 2, key.namespace_name);
  BindText(statement, 3, key.name);
}

// Creates the file with mode 0600, because objects may contain secrets. SQLite uses the database's mode for the files
// beside it. An existing file is not opened here, because closing it would release SQLite's locks on it.
base::Status MakePrivate(const std::string& path) {
  constexpr mode_t kOwnerAlone = 0600;
  const base::FileDescriptor made(open(path.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, kOwnerAlone));
  if (made) return base::OkStatus();
  bool done = errno == EEXIST && chmod(path.c_str(), kOwnerAlone) == 0;
  for (const char* beside : {"-wal", "-shm", "-journal"}) {
    done = done && (chmod((path + beside).c_str(), kOwnerAlone) == 0 || errno == ENOENT);
  }
  if (done) return base::OkStatus();
  return base::Unavailable("the database of objects '" + path + "': " + std::strerror(errno));
}

}  // namespace

void Database::Closer::operator()(sqlite3* database) const { sqlite3_close(database); }
void Database::Closer::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

Database::~Database() = default;

base::Status Database::Error() const {
  const int code = sqlite3_errcode(database_.get());
  if (code == SQLITE_BUSY || code == SQLITE_LOCKED) {
    return base::FailedPrecondition("the database of objects is in use by another process");
  }
  return base::Unavailable("the database of objects: " + std::string(sqlite3_errmsg(database_.get())));
}

base::Result<std::unique_ptr<Database>> Database::Open(const std::string& path) {
  if (!path.empty()) INFERD_RETURN_IF_ERROR(MakePrivate(path));
  sqlite3* opened = nullptr;
  const int code = sqlite3_open_v2(path.empty() ? ":memory:" : path.c_str(), &opened,
                                   SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr);
  std::unique_ptr<Database> database(new Database(opened));
  if (code != SQLITE_OK) return std::unexpected(database->Error());
  INFERD_RETURN_IF_ERROR(database->Execute(kSettings));
  INFERD_RETURN_IF_ERROR(database->Begin());
  INFERD_ASSIGN_OR_RETURN(const int64_t version, database->ReadNumber("PRAGMA user_version"));
  if (version != 0 && version != kVersion) {
    return std::unexpected(base::FailedPrecondition("the database of objects '" + path + "' has the form " +
                                                    std::to_string(version) + ", which this version does not know"));
  }
  INFERD_RETURN_IF_ERROR(database->Execute(kTables));
  INFERD_RETURN_IF_ERROR(database->Execute(("PRAGMA user_version = " + std::to_string(kVersion)).c_str()));
  INFERD_RETURN_IF_ERROR(database->Execute("COMMIT"));
  INFERD_RETURN_IF_ERROR(database->Prepare());
  return database;
}

base::Status Database::Prepare() {
  for (const auto& [statement, sql] :
       {std::pair(&put_, "INSERT OR REPLACE INTO objects VALUES (?1, ?2, ?3, ?4, ?5)"),
        std::pair(&remove_, "DELETE FROM objects WHERE resource = ?1 AND namespace = ?2 AND name = ?3"),
        std::pair(&set_revision_, "UPDATE state SET revision = ?1")}) {
    sqlite3_stmt* prepared = nullptr;
    const int code = sqlite3_prepare_v3(database_.get(), sql, -1, SQLITE_PREPARE_PERSISTENT, &prepared, nullptr);
    statement->reset(prepared);
    if (code != SQLITE_OK) return Error();
  }
  return base::OkStatus();
}

base::Status Database::Execute(const char* sql) {
  return sqlite3_exec(database_.get(), sql, nullptr, nullptr, nullptr) == SQLITE_OK ? base::OkStatus() : Error();
}

base::Result<int64_t> Database::ReadNumber(const char* sql) {
  sqlite3_stmt* prepared = nullptr;
  if (sqlite3_prepare_v2(database_.get(), sql, -1, &prepared, nullptr) != SQLITE_OK) return std::unexpected(Error());
  const Statement statement(prepared);
  if (sqlite3_step(prepared) != SQLITE_ROW) return std::unexpected(Error());
  return sqlite3_column_int64(prepared, 0);
}

base::Status Database::Read(const std::function<void(StoredObject)>& take, int64_t& revision) {
  INFERD_ASSIGN_OR_RETURN(revision, ReadNumber("SELECT revision FROM state"));
  sqlite3_stmt* prepared = nullptr;
  const char* const sql = "SELECT resource, namespace, name, revision, json FROM objects";
  if (sqlite3_prepare_v2(database_.get(), sql, -1, &prepared, nullptr) != SQLITE_OK) return Error();
  const Statement statement(prepared);
  int code = SQLITE_OK;
  while ((code = sqlite3_step(prepared)) == SQLITE_ROW) {
    take({.key = {ColumnText(prepared, 0), ColumnText(prepared, 1), ColumnText(prepared, 2)},
          .revision = sqlite3_column_int64(prepared, 3),
          .json = ColumnText(prepared, 4)});
  }
  return code == SQLITE_DONE ? base::OkStatus() : Error();
}

base::Status Database::Step(const Statement& statement) {
  const bool done = sqlite3_step(statement.get()) == SQLITE_DONE;
  base::Status status = done ? base::OkStatus() : Error();
  sqlite3_reset(statement.get());
  sqlite3_clear_bindings(statement.get());
  return status;
}

base::Status Database::Begin() { return Execute("BEGIN IMMEDIATE"); }

base::Status Database::Put(const StoredObject& object) {
  BindKey(put_.get(), object.key);
  sqlite3_bind_int64(put_.get(), 4, object.revision);
  BindText(put_.get(), 5, object.json);
  return Step(put_);
}

base::Status Database::Remove(const ObjectKey& key) {
  BindKey(remove_.get(), key);
  return Step(remove_);
}

base::Status Database::Commit(int64_t revision) {
  sqlite3_bind_int64(set_revision_.get(), 1, revision);
  INFERD_RETURN_IF_ERROR(Step(set_revision_));
  return Execute("COMMIT");
}

void Database::Rollback() {
  if (sqlite3_get_autocommit(database_.get()) == 0) static_cast<void>(Execute("ROLLBACK"));
}

}  // namespace inferd::apiserver
