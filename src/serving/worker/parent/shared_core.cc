#include "serving/worker/parent/shared_core.h"

namespace inferd::worker {

namespace {

cpu_set_t Only(int core) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<size_t>(core), &set);
  return set;
}

bool Place(pid_t thread, const cpu_set_t& cores) { return ::sched_setaffinity(thread, sizeof cores, &cores) == 0; }

}  // namespace

void SharedCore::Share(pid_t partner) {
  if (!allowed_) return;
  const int core = ::sched_getcpu();
  allowed_ = core >= 0 && core < CPU_SETSIZE && ::sched_getaffinity(0, sizeof callers_, &callers_) == 0 &&
             Bring(partner, core);
  if (!allowed_) return Part();
  // The caller may be on another core by now. Then the next call is cheaper.
  sharing_ = Place(0, Only(core));
}

bool SharedCore::Bring(pid_t partner, int core) {
  if (core == core_ && partner == partner_) return true;
  if (core_ < 0 && ::sched_getaffinity(partner, sizeof partners_, &partners_) != 0) return false;
  if (!Place(partner, Only(core))) return false;
  partner_ = partner;
  core_ = core;
  return true;
}

void SharedCore::Leave() {
  if (sharing_) Place(0, callers_);
  sharing_ = false;
}

void SharedCore::Part() {
  if (core_ >= 0) Place(partner_, partners_);
  core_ = -1;
}

}  // namespace inferd::worker
