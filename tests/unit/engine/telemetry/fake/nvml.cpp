// One GPU at 0000:3b:00.0 with 80 GB. Each look finds 1 GB less free: another run is growing. The
// fourth look fails. It has had two uncorrected errors, and reports one fault.
#include <cstring>

#include <unistd.h>

namespace {
int open_users = 0;
int looks = 0;
int faults = 1;
char gpu;
char events;
constexpr unsigned long long kGigabyte = 1'000'000'000;
constexpr int kTimeout = 10;
constexpr int kUnknownError = 999;
}  // namespace

extern "C" {

int nvmlInit_v2() {
    looks = 0;
    faults = 1;
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
    if (open_users == 0 || device != &gpu || ++looks == 4) return kUnknownError;
    memory->total = 80 * kGigabyte;
    memory->used = 50 * kGigabyte + static_cast<unsigned long long>(looks) * kGigabyte;
    memory->free = memory->total - memory->used;
    return 0;
}
struct Utilization {
    unsigned gpu, memory;
};
int nvmlDeviceGetUtilizationRates(void*, Utilization* rates) {
    *rates = {97, 40};
    return 0;
}
int nvmlDeviceGetTemperature(void*, int sensor, unsigned* celsius) {
    *celsius = 71;
    return sensor == 0 ? 0 : kUnknownError;
}
int nvmlDeviceGetPowerUsage(void*, unsigned* milliwatts) {
    *milliwatts = 310'500;
    return 0;
}
// As of a GPU that has no limit to tell.
int nvmlDeviceGetEnforcedPowerLimit(void*, unsigned*) { return 3; }
int nvmlDeviceGetClockInfo(void*, int which, unsigned* mhz) {
    *mhz = which == 0 ? 1980 : which == 2 ? 3201 : 0;
    return 0;
}
int nvmlDeviceGetTotalEccErrors(void*, int type, int counter, unsigned long long* count) {
    *count = type == 1 && counter == 0 ? 2 : 1000;
    return 0;
}
struct Process {
    unsigned pid;
    unsigned long long used_memory;
    unsigned gpu_instance, compute_instance;
};
int nvmlDeviceGetComputeRunningProcesses_v3(void*, unsigned* count, Process* processes) {
    if (*count < 2) return 7;
    *count = 2;
    processes[0] = {1, 45 * kGigabyte, 0, 0};
    processes[1] = {static_cast<unsigned>(getpid()), 6 * kGigabyte, 0, 0};
    return 0;
}
int nvmlEventSetCreate(void** set) {
    *set = &events;
    return 0;
}
int nvmlEventSetFree(void*) { return 0; }
int nvmlDeviceRegisterEvents(void* device, unsigned long long types, void* set) {
    return device == &gpu && types == 8 && set == &events ? 0 : kUnknownError;
}
struct Event {
    void* device;
    unsigned long long type, data;
    unsigned gpu_instance, compute_instance;
};
int nvmlEventSetWait_v2(void*, Event* event, unsigned) {
    if (faults == 0) return kTimeout;
    --faults;
    *event = {&gpu, 8, 63, 0, 0};
    return 0;
}
}
