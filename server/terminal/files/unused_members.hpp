#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::terminal {

// Reads JSON lines in passing and records members that are not used, so that a misspelt one is not
// dropped silently. Ignores lines that are not JSON objects.
class UnusedMembers {
  public:
    struct Member {
        std::string name;
        std::uint64_t line = 0;  // the first that has it, from 1
    };

    explicit UnusedMembers(std::set<std::string> used) : known_(std::move(used)) {}

    void feed(std::string_view bytes);
    void finish();
    // In the order of their first lines; at most twenty names are kept.
    const std::vector<Member>& found() const { return found_; }

  private:
    void end_line();

    std::set<std::string> known_;
    std::vector<Member> found_;
    std::string line_;
    std::uint64_t number_ = 0;
};

}  // namespace plimsoll::terminal
