#include "storage/download/initializer/run_initializer.h"

int main(int argc, char** argv) { return inferd::storage::RunStorageInitializer(argc, argv); }
