#pragma once

#include <string>
#include <string_view>

// A merge may write the rows of the job's last task again: where what a row says depends on other
// tasks. It answers the summary and the rows as one text, which the worker takes apart.
namespace plimsoll::jobs {

struct Merged {
    std::string summary;  // JSON without line breaks
    std::string results;  // one gzip member as of TaskOutput, of the same items; empty: as they are
};

std::string join(const Merged& merged);
// Of what any merge answered.
Merged take_apart(std::string answer);

}  // namespace plimsoll::jobs
