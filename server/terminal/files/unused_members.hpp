#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::terminal {

// Watches JSON lines go by and notes the members that nobody asked for, so that a misspelt one is
// not dropped without a word. Lines that are no JSON object are none of its business.
class UnusedMembers {
  public:
    struct Member {
        std::string name;
        std::uint64_t line = 0;  // the first that has it, from 1
    };

    explicit UnusedMembers(std::set<std::string> used) : known_(std::move(used)) {}

    void feed(std::string_view bytes);
    void finish();
    // In the order of their first lines; more than twenty names are not kept.
    const std::vector<Member>& found() const { return found_; }

  private:
    void end_line();

    std::set<std::string> known_;
    std::vector<Member> found_;
    std::string line_;
    std::uint64_t number_ = 0;
};

}  // namespace plimsoll::terminal
