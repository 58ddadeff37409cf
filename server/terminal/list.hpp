#pragma once

#include "server/terminal/command_context.hpp"

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace plimsoll::terminal {

// A text member of a response; empty if it is null, not text, or missing, as in responses of
// another version.
inline std::string text_of(const nlohmann::json& object, const char* member) {
    const auto found = object.find(member);
    return found == object.end() || !found->is_string() ? "" : found->get<std::string>();
}

// Prints a page of `items`: as JSON for programs, or as a table below the header in `rows`; `none`
// replaces an empty one.
void show_list(const CommandContext& context, Result<nlohmann::json> answer,
               std::vector<std::vector<std::string>> rows,
               std::vector<std::string> (*row_of)(const nlohmann::json&), const std::string& none);

// Removes the item `id` of the list at `path`; prints nothing for people, its ID for programs.
void remove_item(const CommandContext& context, const std::string& path, const std::string& id);

// A table whose rows are one line each on a terminal: columns of `expendable` are omitted, the
// first one first, until the rest fits; long cells are cut, times are ages, and IDs of jobs are
// short.
std::string format_list(const Terminal& terminal, std::vector<std::vector<std::string>> rows,
                        const std::vector<std::string>& expendable);

}  // namespace plimsoll::terminal
