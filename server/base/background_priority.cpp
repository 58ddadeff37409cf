#include "server/base/background_priority.hpp"

#include <cerrno>
#include <csignal>
#include <ctime>

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <unistd.h>

namespace plimsoll {

namespace {

// A third of the weight of others: with a tenth (10), a password took up to 20 s beside eight
// threads that never wait.
constexpr int kNiceness = 5;

// Of this thread, for the handler. nullptr: none, or it is being deleted.
thread_local const timer_t* pauses_of_thread = nullptr;

void begin_to_run(timer_t pauses) {
    constexpr itimerspec kRun{.it_interval = {}, .it_value = {.tv_sec = 0, .tv_nsec = 200'000}};
    timer_settime(pauses, 0, &kRun, nullptr);
}

// Interrupts the work.
void pause_a_moment(int) {
    const auto* pauses = pauses_of_thread;
    if (pauses == nullptr) return;
    const int before = errno;
    constexpr timespec kPause{.tv_sec = 0, .tv_nsec = 50'000};
    pselect(0, nullptr, nullptr, nullptr, &kPause, nullptr);
    begin_to_run(*pauses);
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
    begin_to_run(pauses_);
}

BackgroundPriority::~BackgroundPriority() {
    if (!pausing_) return;
    pauses_of_thread = nullptr;
    timer_delete(pauses_);
}

}  // namespace plimsoll
