#pragma once

namespace inferd::storage {

// Runs the program inferd-storage-initializer: downloads each model to its folder, one after the other, and reports the
// progress on stderr. Its arguments are those of KServe's container: SOURCE FOLDER, and more such pairs. Returns the
// exit status: 0, 1 after an error (the last line has it), 2 for wrong arguments. SIGTERM and SIGINT cancel it.
// INFERD_STORAGE_CACHE names the folder of a cache, INFERD_STORAGE_CACHE_BYTES its limit.
int RunStorageInitializer(int argc, const char* const* argv);

}  // namespace inferd::storage
