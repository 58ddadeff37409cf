#pragma once

#include "engine/base/members.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::jobs::training_config {

// The new text of lines, by their number from 0. Lines that are added stand before the line's own.
using ChangedLines = std::map<std::size_t, std::string>;

// The change as a unified diff for `patch`, with three lines of context. Empty if there is none.
std::string unified_diff(std::string_view name, std::string_view before,
                         const ChangedLines& changed);

// A scalar at a path of a YAML or JSON text.
struct Setting {
    std::vector<std::string> path;  // member names from the document's root
    std::string value;
    bool is_text = false;  // quote it if the text is JSON
    bool adds = false;     // added if it is missing and the mapping around it exists
};

// One value that was, or would be, changed or added.
struct ConfigChange {
    int line = 0;  // from 1, in the text before
    std::string place;
    std::string before;  // empty: it was missing
    std::string after;
    std::vector<int> followers;  // lines whose aliases repeat it, so that they change too

    static void members(auto& visit, auto& self) {
        visit("line", self.line);
        visit("place", self.place);
        visit.always("before", self.before);
        visit("after", self.after);
        visit.always("followed_on_lines", self.followers);
    }
};

// A wanted value that is not written.
struct ConfigLeft {
    int line = 0;  // 0: it is not in the text
    std::string place;
    std::string value;
    std::string why;
    bool follows = false;  // "auto": the Trainer's arguments decide it

    static void members(auto& visit, auto& self) {
        visit("line", self.line);
        visit("place", self.place);
        visit("wanted", self.value);
        visit("why", self.why);
    }
};

struct ConfigEdit {
    std::string text;
    ChangedLines lines;
    std::vector<ConfigChange> changes;  // in the order of the text
    std::vector<ConfigLeft> left;
};

// Writes the settings into the text's first document. Changes only their characters: comments,
// order, quotes, anchors and blank lines stay. Equal values ("3e-5", 0.00003; True, true) stay too.
// It does not change, but reports: blocks, interpolations ("${…}"), "auto", values reached through
// an alias or within a mapping that one repeats, and missing values that `adds` does not request.
// Errors: the text is neither YAML nor JSON, has several documents, or is not a mapping.
Result<ConfigEdit> edit_config(std::string_view text, const std::vector<Setting>& settings);

}  // namespace plimsoll::jobs::training_config
