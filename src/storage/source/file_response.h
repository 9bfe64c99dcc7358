#pragma once

#include "base/status.h"
#include "storage/source/source.h"
#include "storage/transfer/fetch_client.h"

namespace inferd::storage {

// Reads a file's range over HTTP with `request`, whose range it sets, and compares the response with the listed file:
// the status, the tag (ETag, else Last-Modified; not compared if the response has none), and Content-Range with its
// unit, begin, end and the file's size. Refuses an unrequested part. `name` is the file's name in errors. Errors are
// Source::Read()'s.
base::Status FetchFile(const FetchClient& client, FetchRequest request, const RemoteFile& file, const ByteRange& range,
                       const std::string& name, const ByteSink& sink, const std::stop_token& stop);

// Returns ETag, else Last-Modified, as sent.
std::string TagOf(const ResponseHead& head);

// Returns the size of the whole file, from "bytes 0-0/1234" in Content-Range or, for a complete response, from
// Content-Length. nullopt if it is unknown.
std::optional<uint64_t> SizeOfFile(const ResponseHead& head);

// Returns ABORTED: the file is no longer the one that was listed. `name` is its name in errors.
base::Status ChangedMeanwhile(const std::string& name);

// Returns the text of KServe's storage initializer, word for word.
std::string ResponseCodeText(const std::string& name, int status);

}  // namespace inferd::storage
