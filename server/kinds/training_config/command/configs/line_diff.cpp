#include "server/kinds/training_config/command/configs/line_diff.hpp"

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

// Lines of the old text that are replaced by lines of the new one; either may be empty.
struct Change {
    std::size_t old_begin = 0;
    std::size_t old_count = 0;
    std::size_t new_begin = 0;
    std::size_t new_count = 0;

    std::size_t old_end() const { return old_begin + old_count; }
};

// Beyond this many removed and added lines, the rest is shown as one change: the search takes the
// square of their number.
constexpr int kMostEdits = 1000;

// The fewest removed and added lines (E. W. Myers, 1986). For each number of edits d, reach[d][k]
// is how far into the old text d edits lead on the diagonal old - new = k - d.
class ShortestEdit {
  public:
    ShortestEdit(const Lines& before, const Lines& after) : before_(before), after_(after) {}

    std::vector<Change> changes() {
        for (int d = 0; d <= kMostEdits; ++d) {
            reach_.emplace_back(static_cast<std::size_t>(2 * d + 1));
            for (int k = -d; k <= d; k += 2) {
                const auto old_at = follow(comes_down(d, k) ? at(d - 1, k + 1) : right(d, k), k);
                at(d, k) = old_at;
                if (old_at == size(before_) && old_at - k == size(after_)) return traced(d, k);
            }
        }
        return {{0, before_.size(), 0, after_.size()}};
    }

  private:
    static int size(const Lines& lines) { return static_cast<int>(lines.size()); }
    int& at(int d, int k) {
        return reach_[static_cast<std::size_t>(d)][static_cast<std::size_t>(k + d)];
    }
    int right(int d, int k) { return d == 0 ? 0 : at(d - 1, k - 1) + 1; }

    // Whether the last of d edits to diagonal k adds a line instead of removing one.
    bool comes_down(int d, int k) {
        if (k == d) return false;
        return k == -d || at(d - 1, k - 1) < at(d - 1, k + 1);
    }

    int follow(int old_at, int k) const {
        while (old_at < size(before_) && old_at - k < size(after_) &&
               before_[static_cast<std::size_t>(old_at)] ==
                   after_[static_cast<std::size_t>(old_at - k)]) {
            ++old_at;
        }
        return old_at;
    }

    std::vector<Change> traced(int d, int k) {
        std::vector<Change> changes;
        for (; d > 0; --d) {
            const bool added = comes_down(d, k);
            k += added ? 1 : -1;
            const auto old_at = static_cast<std::size_t>(at(d - 1, k));
            const auto new_at = old_at - static_cast<std::size_t>(k);
            const Change edit{old_at, added ? 0U : 1U, new_at, added ? 1U : 0U};
            if (!changes.empty() && changes.back().old_begin == edit.old_end() &&
                changes.back().new_begin == edit.new_begin + edit.new_count) {
                changes.back().old_begin = edit.old_begin;
                changes.back().old_count += edit.old_count;
                changes.back().new_begin = edit.new_begin;
                changes.back().new_count += edit.new_count;
            } else {
                changes.push_back(edit);
            }
        }
        std::ranges::reverse(changes);
        return changes;
    }

    const Lines& before_;
    const Lines& after_;
    std::vector<std::vector<int>> reach_;
};

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
    if (before == after) return {};
    const auto old_lines = lines_of(before), new_lines = lines_of(after);
    const auto changes = ShortestEdit(old_lines, new_lines).changes();
    std::string out = "--- " + std::string(name) + "\n+++ " + std::string(name) + "\n";
    for (std::size_t i = 0; i < changes.size();) {
        // Those whose contexts meet are one hunk.
        auto last = i;
        while (last + 1 < changes.size() &&
               changes[last + 1].old_begin <= changes[last].old_end() + 2 * kContext) {
            ++last;
        }
        const auto lead = std::min(kContext, changes[i].old_begin);
        const auto old_begin = changes[i].old_begin - lead;
        const auto old_end = std::min(old_lines.size(), changes[last].old_end() + kContext);
        const auto new_begin = changes[i].new_begin - lead;
        const auto new_end =
            changes[last].new_begin + changes[last].new_count + old_end - changes[last].old_end();
        out += "@@ -" + place(old_begin, old_end - old_begin) + " +" +
               place(new_begin, new_end - new_begin) + " @@\n";
        auto told = old_begin;
        for (; i <= last; ++i) {
            const auto& change = changes[i];
            add(out, ' ', old_lines, told, change.old_begin - told);
            add(out, '-', old_lines, change.old_begin, change.old_count);
            add(out, '+', new_lines, change.new_begin, change.new_count);
            told = change.old_end();
        }
        add(out, ' ', old_lines, told, old_end - told);
    }
    return out;
}

}  // namespace plimsoll::jobs::training_config
