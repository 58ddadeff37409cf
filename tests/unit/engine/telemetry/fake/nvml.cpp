// One GPU at 0000:3b:00.0 with 80 GB. Each look finds 1 GB less free: another run is growing. The
// fourth look fails.
#include <cstring>

namespace {
int open_users = 0;
int looks = 0;
char gpu;
constexpr unsigned long long kGigabyte = 1'000'000'000;
}  // namespace

extern "C" {

int nvmlInit_v2() {
    looks = 0;
    ++open_users;
    return 0;
}
int nvmlShutdown() {
    --open_users;
    return 0;
}
int nvmlDeviceGetHandleByPciBusId_v2(const char* address, void** device) {
    if (open_users == 0 || std::strcmp(address, "0000:3b:00.0") != 0) return 6;
    *device = &gpu;
    return 0;
}
struct Memory {
    unsigned long long total, free, used;
};
int nvmlDeviceGetMemoryInfo(void* device, Memory* memory) {
    if (open_users == 0 || device != &gpu || ++looks == 4) return 999;
    memory->total = 80 * kGigabyte;
    memory->used = 50 * kGigabyte + static_cast<unsigned long long>(looks) * kGigabyte;
    memory->free = memory->total - memory->used;
    return 0;
}
}
