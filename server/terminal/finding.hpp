#pragma once

#include <string>

namespace plimsoll::terminal {

// What `plimsoll doctor` found out about one thing.
struct Finding {
    enum class Grade { good, remark, bad };
    Grade grade = Grade::good;
    std::string about;   // "PostgreSQL"
    std::string found;   // a clause or a sentence
    std::string advice;  // what to do; empty when there is nothing to do
};

}  // namespace plimsoll::terminal
