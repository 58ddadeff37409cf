#pragma once

#include "tests/simulation/queue/spec/queue.hpp"

#include <ostream>
#include <span>
#include <string>

namespace plimsoll::simulation {

// Writes a history as lines of JSON: the call, its response, and the state after it.
// replay.py makes the same calls to the SQL functions and compares.
class Record {
  public:
    explicit Record(std::ostream& out) : out_(out) {}

    void begin(std::uint64_t seed, const queue::rules::State& state,
               std::span<const int> merge_lanes);
    // values: of the arguments, in the order that replay.py expects; JSON
    void call(const char* name, queue::rules::Moment now, const std::string& arguments,
              const std::string& answer, const queue::rules::State& state);
    void end();

  private:
    void write_state(const queue::rules::State& state);

    std::ostream& out_;
};

}  // namespace plimsoll::simulation
