#pragma once

#include "tests/simulation/queue/chance.hpp"
#include "tests/simulation/queue/observer.hpp"
#include "tests/simulation/queue/record.hpp"
#include "tests/simulation/queue/spec/queue.hpp"

#include <vector>

namespace plimsoll::simulation {

// Drives the queue through random histories: teams that submit, cancel and redrive, workers that
// claim, complete, stall, die and return, lost responses, duties that run twice. A seed always
// gives the same history.
class Simulator {
  public:
    explicit Simulator(queue::rules::Guards guards = {}, Record* record = nullptr)
        : queue_(guards), observer_(queue_), record_(record) {}

    // One history; throws Violation. many: more than 32 teams now and then
    void run(std::uint64_t seed, bool many);

    std::int64_t steps() const { return steps_; }
    std::int64_t faults() const { return faults_; }
    int history_steps() const { return history_steps_; }
    int history_faults() const { return history_faults_; }

  private:
    using Moment = queue::rules::Moment;

    struct Known {  // a lease as its worker knows it
        std::int64_t fence;
        int worker;
        int epoch;
        queue::rules::Few<queue::rules::Held, 8> tasks;
    };
    struct Process {
        int epoch = 0;
        int device_class = 0;
        int memory = 0;
        float speed = 1;
        bool stalled = false;
        std::vector<Known> leases;
    };

    void set_up(bool many);
    void step();
    void settle_down();

    void submit();
    void submit_again();
    void claim(int worker, bool answer_is_lost);
    void claim_late();
    queue::rules::Claimed call_claim(int worker, int epoch);
    void complete(int worker);
    void complete_late();
    void complete_again();
    void call_complete(const Known& lease, std::span<const queue::rules::Completion> tasks);
    void release(int worker);
    void beat(int worker);
    void start_process(int worker, bool died);
    void retire(int worker);
    void expire();
    void promote();
    void end_overdue();
    void cancel();
    void redrive();
    void set_account();
    void pass(Moment time);
    void drop_days();

    queue::rules::Completion outcome_of(const queue::rules::Held& task, float speed);
    int some_worker();
    void fault() { ++faults_, ++history_faults_; }
    // After every call: counts it, checks, and records it.
    template <class Arguments, class Answer>
    void called(const char* name, Arguments arguments, Answer answer) {
        ++steps_;
        ++history_steps_;
        if (record_ != nullptr) record_->call(name, now_, arguments(), answer(), queue_.state);
        observer_.check();
    }

    queue::rules::Queue queue_;
    Observer observer_;
    Record* record_;
    Chance chance_{0};
    Moment now_ = 0;
    int teams_ = 0;
    bool fair_ = false;
    double claim_seconds_ = 1;
    int claim_tasks_ = 4;
    std::vector<int> longest_;  // task of each team, in 64ths of a second
    std::vector<Process> processes_;
    std::vector<Known> ghosts_;  // leases of processes that were replaced or gave up on them
    std::vector<int> merge_lanes_;
    struct {
        Known lease;
        std::vector<queue::rules::Completion> tasks;
    } last_completion_;
    std::vector<queue::rules::Submit> last_submit_;
    int next_job_moment_ = 0;  // milliseconds that make deadlines distinct
    std::int64_t steps_ = 0, faults_ = 0;
    int history_steps_ = 0, history_faults_ = 0;
};

}  // namespace plimsoll::simulation
