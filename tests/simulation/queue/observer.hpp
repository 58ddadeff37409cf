#pragma once

#include "tests/simulation/queue/spec/queue.hpp"

#include <span>
#include <stdexcept>
#include <vector>

namespace plimsoll::simulation {

struct Violation : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Watches the queue from outside: sees every response, keeps its own record of who may do what, and
// throws a Violation when a response or the state breaks a promise.
class Observer {
  public:
    explicit Observer(const queue::rules::Queue& queue) : queue_(queue) {}

    // fair: nothing but weights decides whose turn it is; then the difference of service is bounded
    void begin(int teams, bool fair);

    void submitted(std::span<const queue::rules::Submit> jobs,
                   std::span<const queue::rules::Submitted> answers, queue::rules::Moment now);
    // ran: what the process before it was running when it died
    void registered(int worker, int epoch, std::span<const queue::rules::Ran> ran,
                    queue::rules::Moment now);
    // Tasks of a worker run again: their accounts pay twice or get charges back, and who was served
    // is to catch up. And what a worker died on waits for a worker of its own, and holds the clock.
    void interrupted() { fair_ = false; }
    void beaten(int worker, bool alive, queue::rules::Moment now);
    void paused(int account, bool on) { paused_[account] = on; }
    void before_claim(int worker);
    void claimed(int worker, int epoch, double seconds, int tasks,
                 const queue::rules::Claimed& claim);
    void completed(int worker, int epoch, std::int64_t fence,
                   std::span<const queue::rules::Completion> tasks,
                   std::span<const queue::rules::Verdict> verdicts, queue::rules::Moment now);
    void stopped(int job) { tasks_[job].stopped = true; }
    void redriven(int job);

    // What must hold between any two transactions.
    void check();

  private:
    struct JobBooks {
        std::int64_t owner[8] = {};  // fence of the last claim, by task
        int done[8] = {};            // how often recorded
        int deaths[8] = {};          // of workers, as far as anybody said so
        bool stopped = false;
    };
    struct WorkerBooks {
        int epoch = 0;
        queue::rules::Moment seen_at = 0;
    };
    struct Window {  // of two accounts that both have work: service per weight of the one less the
                     // other's
        double difference = 0, lowest = 0, highest = 0;
        bool open = false;
    };
    struct Known {
        int team, key;
        queue::rules::Moment until;
    };

    void expect(bool holds, const char* promise) const {
        if (!holds) throw Violation(promise);
    }
    void check_known(const queue::rules::Ran& ran) const;
    void check_places();
    void check_accounts() const;
    void check_jobs();
    void check_windows();
    bool competes(int account) const;

    const queue::rules::Queue& queue_;
    int teams_ = 0;
    bool fair_ = false;
    std::int64_t last_fence_ = 0;
    double longest_ = 0;  // task
    double quantum_ = 0;  // of a claim
    std::vector<JobBooks> tasks_;
    std::vector<WorkerBooks> workers_;
    std::vector<char> paused_;
    std::vector<Known> keys_;
    std::vector<char> competed_, held_;
    std::vector<double> vtimes_;  // by team; infinite: it got charges back, and may catch up
    std::vector<Window> windows_;
    std::vector<std::uint8_t> places_;
};

}  // namespace plimsoll::simulation
