#include "serving/worker/child/run_worker.h"

int main() { return inferd::worker::RunWorker(); }
