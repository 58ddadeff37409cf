#pragma once

#include <string>

namespace plimsoll::terminal {

// One finding of `plimsoll doctor`.
struct Finding {
    enum class Grade { good, remark, bad };
    Grade grade = Grade::good;
    std::string about;   // "PostgreSQL"
    std::string found;   // a clause or a sentence
    std::string advice;  // what to do; empty: nothing
};

}  // namespace plimsoll::terminal
