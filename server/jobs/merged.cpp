#include "server/jobs/merged.hpp"

#include <utility>

namespace plimsoll::jobs {
namespace {

// A line break and the first byte of a gzip member: no JSON text has that byte behind a break.
constexpr std::string_view kBetween = "\n\x1f";

}  // namespace

std::string join(const Merged& merged) {
    return merged.results.empty() ? merged.summary : merged.summary + '\n' + merged.results;
}

Merged take_apart(std::string answer) {
    const auto end = answer.find(kBetween);
    if (end == std::string::npos) return {std::move(answer), {}};
    std::string results = answer.substr(end + 1);
    answer.resize(end);
    return {std::move(answer), std::move(results)};
}

}  // namespace plimsoll::jobs
