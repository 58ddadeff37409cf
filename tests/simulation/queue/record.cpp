#include "tests/simulation/queue/record.hpp"

#include <iomanip>
#include <limits>

namespace plimsoll::simulation {

using namespace queue::rules;

namespace {

// [one, another, …] of a range's elements.
template <class Range, class Write>
void list(std::ostream& out, const Range& range, Write write) {
    out << '[';
    bool first = true;
    for (const auto& element : range) {
        if (!first) out << ',';
        first = false;
        write(element);
    }
    out << ']';
}

constexpr const char* kStates[] = {"scheduled", "queued", "running",  "cancelling",
                                   "succeeded", "failed", "cancelled"};
constexpr const char* kWorkers[] = {"active", "retired", "lost"};

}  // namespace

void Record::begin(std::uint64_t seed, const State& state, std::span<const int> merge_lanes) {
    out_ << std::setprecision(std::numeric_limits<double>::max_digits10) << R"({"seed":)" << seed
         << R"(,"accounts":)";
    list(out_, state.accounts, [&](const Account& a) {
        out_ << '[' << a.device_class << ',' << a.weight << ',' << a.cap << ']';
    });
    out_ << R"(,"lanes":)";
    list(out_, state.lanes, [&](const Lane& l) {
        out_ << '[' << l.account << ',' << l.priority << ',' << l.memory << ']';
    });
    out_ << R"(,"merge_lanes":)";
    list(out_, merge_lanes, [&](int lane) { out_ << lane; });
    out_ << R"(,"workers":)" << state.workers.size() << "}\n";
}

void Record::call(const char* name, Moment now, const std::string& arguments,
                  const std::string& answer, const State& state) {
    out_ << R"({"call":")" << name << R"(","now":)" << now << R"(,"arguments":)" << arguments
         << R"(,"answer":)" << answer << R"(,"state":)";
    write_state(state);
    out_ << "}\n";
}

void Record::end() { out_ << "{\"end\":true}\n" << std::flush; }

void Record::write_state(const State& state) {
    out_ << R"({"clocks":[)" << state.clock[kDevices] << ',' << state.clock[kHost]
         << R"(],"accounts":)";
    list(out_, state.accounts, [&](const Account& a) {
        out_ << '[' << a.vtime << ',' << a.slots << ',' << a.ready << ']';
    });
    out_ << R"(,"lanes":{)";
    bool first = true;
    for (std::size_t id = 0; id < state.lanes.size(); ++id) {
        const auto& lane = state.lanes[id];
        if (lane.ready.empty()) continue;
        out_ << (first ? "" : ",") << '"' << id << R"(":[)" << lane.head << ',';
        first = false;
        list(out_, lane.ready, [&](const Ready& r) {
            out_ << '[' << r.number << ',' << r.job << ',' << r.task << ',' << r.seconds << ','
                 << r.attempt << ',' << r.crashes << ',' << r.since << ']';
        });
        out_ << ']';
    }
    out_ << R"(},"leases":)";
    list(out_, state.leases, [&](const Lease& l) {
        out_ << '[' << l.fence << ',' << l.worker << ',' << l.epoch << ',';
        list(out_, l.tasks, [&](const Held& t) {
            out_ << '[' << t.job << ',' << t.task << ',' << t.lane << ',' << t.seconds << ','
                 << t.attempt << ',' << t.crashes << ']';
        });
        out_ << ']';
    });
    out_ << R"(,"scheduled":)";
    list(out_, state.scheduled, [&](const Scheduled& s) {
        out_ << '[' << s.at << ',' << s.job << ',' << s.task << ',' << s.attempt << ',' << s.crashes
             << ']';
    });
    out_ << R"(,"workers":)";
    list(out_, state.workers, [&](const Worker& w) {
        out_ << '[' << w.epoch << R"(,")" << kWorkers[static_cast<int>(w.state)] << R"(",)"
             << w.seen_at << ']';
    });
    out_ << R"(,"jobs":{)";
    first = true;
    for (std::size_t id = 0; id < state.jobs.size(); ++id) {
        const auto& j = state.jobs[id];
        if (j.dropped) continue;
        out_ << (first ? "" : ",") << '"' << id << R"(":[")" << kStates[static_cast<int>(j.state)]
             << R"(",)" << j.tasks_left << ',' << j.tasks_quarantined << ',' << j.items_ok << ','
             << j.items_failed << ',' << j.retries << ',' << j.events << ',' << j.charged << ','
             << j.report << ',';
        first = false;
        list(out_, j.tasks, [&](const Task& t) {
            out_ << '[' << static_cast<int>(t.result.state) << ',' << t.result.fence << ']';
        });
        out_ << ']';
    }
    out_ << "}}";
}

}  // namespace plimsoll::simulation
