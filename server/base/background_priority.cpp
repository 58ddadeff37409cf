#include "server/base/background_priority.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <ctime>

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <unistd.h>

namespace plimsoll {

namespace {

constexpr int kNiceness = 5;     // a third of the weight of others
constexpr long kRun = 200'000;   // ns
constexpr long kPause = 50'000;  // ns

// Of this thread, for the handler. nullptr: none, or it is being deleted.
thread_local const timer_t* pauses_of_thread = nullptr;

long now() {  // ns
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1'000'000'000 + time.tv_nsec;
}

void begin_to_run(timer_t pauses, long duration) {
    const itimerspec run{
        .it_interval = {},
        .it_value = {.tv_sec = duration / 1'000'000'000, .tv_nsec = duration % 1'000'000'000}};
    timer_settime(pauses, 0, &run, nullptr);
}

// Interrupts the work. Whoever waited long for the processor then runs for longer: beside threads
// that never wait, each pause lasts as long as their turns, and 100 of them would last seconds.
void pause_a_moment(int) {
    const auto* pauses = pauses_of_thread;
    if (pauses == nullptr) return;
    const int before = errno;
    const long begin = now();
    constexpr timespec kMoment{.tv_sec = 0, .tv_nsec = kPause};
    pselect(0, nullptr, nullptr, nullptr, &kMoment, nullptr);
    begin_to_run(*pauses, std::max(kRun, (now() - begin) / 8));
    errno = before;
}

bool install_handler() {
    struct sigaction handled{};
    handled.sa_handler = pause_a_moment;
    handled.sa_flags = SA_RESTART;
    return sigaction(SIGALRM, &handled, nullptr) == 0;
}

}  // namespace

BackgroundPriority::BackgroundPriority() {
    static const bool installed = install_handler();
    const auto thread = gettid();
    setpriority(PRIO_PROCESS, static_cast<id_t>(thread), kNiceness);
    prctl(PR_SET_TIMERSLACK, 1000UL);  // ns, of the pauses
    sigevent event{};
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = SIGALRM;
    event._sigev_un._tid = thread;  // older C libraries have no name for it
    pausing_ = installed && timer_create(CLOCK_MONOTONIC, &event, &pauses_) == 0;
    if (!pausing_) return;
    pauses_of_thread = &pauses_;
    begin_to_run(pauses_, kRun);
}

BackgroundPriority::~BackgroundPriority() {
    if (!pausing_) return;
    pauses_of_thread = nullptr;
    timer_delete(pauses_);
}

}  // namespace plimsoll
