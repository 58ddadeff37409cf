#include "server/kinds/training_config/command/configs/line_diff.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

namespace plimsoll::jobs::training_config {
namespace {

constexpr std::size_t kContext = 3;

using Lines = std::vector<std::string_view>;

// With their ends, so that a last line without one differs.
Lines lines_of(std::string_view text) {
    Lines lines;
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size() - 1) + 1;
        lines.push_back(text.substr(0, end));
        text.remove_prefix(end);
    }
    return lines;
}

std::string marked(char mark, std::string_view text) {
    std::string out;
    for (const auto line : lines_of(text)) {
        out.append(1, mark).append(line);
        if (!line.ends_with('\n')) out += "\n\\ No newline at end of file\n";
    }
    return out;
}

// One changed line, below the lines that are added before it.
std::string change_of(std::string_view before, std::string_view after) {
    if (!after.ends_with(before)) return marked('-', before) + marked('+', after);
    after.remove_suffix(before.size());
    return marked('+', after) + marked(' ', before);
}

}  // namespace

std::string unified_diff(std::string_view name, std::string_view before,
                         const ChangedLines& changed) {
    if (changed.empty()) return {};
    const auto lines = lines_of(before);
    auto out = fmt::format("--- {0}\n+++ {0}\n", name);
    std::size_t added = 0;  // by the hunks before
    for (auto at = changed.begin(); at != changed.end();) {
        const auto begin = at->first - std::min(kContext, at->first);
        std::string hunk;
        std::size_t number = begin, end = begin, adds = 0;
        // Changes whose contexts meet are one hunk.
        for (; at != changed.end() && (hunk.empty() || at->first <= end + kContext); ++at) {
            for (; number < at->first; ++number) hunk += marked(' ', lines[number]);
            hunk += change_of(lines[number], at->second);
            adds += lines_of(at->second).size() - 1;
            end = std::min(lines.size(), ++number + kContext);
        }
        for (; number < end; ++number) hunk += marked(' ', lines[number]);
        out += fmt::format("@@ -{},{} +{},{} @@\n{}", begin + 1, end - begin, begin + added + 1,
                           end - begin + adds, hunk);
        added += adds;
    }
    return out;
}

}  // namespace plimsoll::jobs::training_config
