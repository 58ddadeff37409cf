#include "server/jobs/training_config/command/configs/line_diff.hpp"

#include <algorithm>
#include <vector>

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

// Lines that differ, from `begin` on: so many of either text.
struct Change {
    std::size_t begin = 0;
    std::size_t before = 0;
    std::size_t after = 0;
};

std::vector<Change> changes_between(const Lines& before, const Lines& after) {
    std::vector<Change> changes;
    if (before.size() == after.size()) {
        for (std::size_t i = 0; i < before.size(); ++i) {
            if (before[i] == after[i]) continue;
            if (!changes.empty() && changes.back().begin + changes.back().before == i) {
                ++changes.back().before;
                ++changes.back().after;
            } else {
                changes.push_back({i, 1, 1});
            }
        }
        return changes;
    }
    const auto first =
        static_cast<std::size_t>(std::ranges::mismatch(before, after).in1 - before.begin());
    std::size_t same = 0;  // at the end
    const auto most = std::min(before.size(), after.size()) - first;
    while (same < most && before[before.size() - 1 - same] == after[after.size() - 1 - same])
        ++same;
    changes.push_back({first, before.size() - same - first, after.size() - same - first});
    return changes;
}

void add(std::string& out, char mark, const Lines& lines, std::size_t begin, std::size_t count) {
    for (std::size_t i = begin; i < begin + count; ++i) {
        out.append(1, mark).append(lines[i]);
        if (!lines[i].ends_with('\n')) out += "\n\\ No newline at end of file\n";
    }
}

std::string place(std::size_t begin, std::size_t count) {
    return std::to_string(count == 0 ? begin : begin + 1) + "," + std::to_string(count);
}

}  // namespace

std::string unified_diff(std::string_view name, std::string_view before, std::string_view after) {
    const auto old_lines = lines_of(before), new_lines = lines_of(after);
    const auto changes = changes_between(old_lines, new_lines);
    if (before == after) return {};
    std::string out = "--- " + std::string(name) + "\n+++ " + std::string(name) + "\n";
    for (std::size_t i = 0; i < changes.size();) {
        // Those whose contexts meet are one hunk. Only a change that stands alone shifts lines.
        std::size_t last = i;
        while (last + 1 < changes.size() && changes[last + 1].begin <= changes[last].begin +
                                                                           changes[last].before +
                                                                           2 * kContext) {
            ++last;
        }
        const auto begin = changes[i].begin - std::min(kContext, changes[i].begin);
        const auto changed_end = changes[last].begin + changes[last].before;
        const auto end = std::min(old_lines.size(), changed_end + kContext);
        const auto new_count = end - begin + changes[last].after - changes[last].before;
        out += "@@ -" + place(begin, end - begin) + " +" + place(begin, new_count) + " @@\n";
        auto told = begin;
        for (; i <= last; ++i) {
            const auto& change = changes[i];
            add(out, ' ', old_lines, told, change.begin - told);
            add(out, '-', old_lines, change.begin, change.before);
            add(out, '+', new_lines, change.begin, change.after);
            told = change.begin + change.before;
        }
        add(out, ' ', old_lines, told, end - told);
    }
    return out;
}

}  // namespace plimsoll::jobs::training_config
