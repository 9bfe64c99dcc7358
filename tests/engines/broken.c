/* Libraries that are nearly engines: -DDEFECT=N chooses what is wrong. */
#include <inferd/engine_abi.h>
#include <string.h>

enum { WRONG_ABI_VERSION = 1, SHORT_TABLE, BAD_NAME, NO_VERSION, NO_EXECUTE, REFUSES, REFUSES_SILENTLY };

static void unload(inferd_model* model) { (void)model; }

static inferd_engine engine = {
    sizeof(inferd_engine), INFERD_ENGINE_ABI_VERSION, "broken", "1", "", NULL, unload, NULL, NULL, NULL, NULL};

const inferd_engine* inferd_engine_v1(const inferd_host* host, inferd_error* error) {
  const inferd_text reason = {"its library is too old", 22};
  switch (DEFECT) {
    case WRONG_ABI_VERSION: engine.abi_version = 2; break;
    case SHORT_TABLE: engine.struct_size = 16; break;
    case BAD_NAME: engine.name = "Not A Name"; break;
    case NO_VERSION: engine.version = NULL; break;
    case REFUSES: host->set_error(error, INFERD_FAILED_PRECONDITION, reason); return NULL;
    case REFUSES_SILENTLY: return NULL;
    default: break;
  }
  return &engine;
}
