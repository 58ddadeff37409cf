#pragma once

#include "engine/base/result.hpp"

#include <string>
#include <vector>

namespace plimsoll::jobs::training_config {

// The text of a file. Errors: it cannot be read, is a folder, or larger than 10 MB.
Result<std::string> read_config_file(const std::string& path);

// The YAML and JSON files of a folder and those below it, in order; of a file, the file.
std::vector<std::string> config_files(const std::string& path);

// The content of a file before each change, as FILE.before-1, FILE.before-2, …: nothing is
// overwritten. A link stays a link: its target is changed, and the copies are next to the target.

// Saves the current text and writes a new one, whole or not at all. Returns the copy's name.
Result<std::string> change_file(const std::string& file, const std::string& text);

// Restores the newest copy and removes it; the current content is saved as FILE.undone-1,
// FILE.undone-2, … Returns a sentence about it without the file's name. Errc::not_found: there is
// no copy.
Result<std::string> restore_file(const std::string& file);

// Errors: the file or its folder cannot be written by this user.
Result<void> check_writable(const std::string& file);

}  // namespace plimsoll::jobs::training_config
