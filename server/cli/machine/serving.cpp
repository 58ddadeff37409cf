#include "server/cli/machine/serving.hpp"

#include <charconv>
#include <filesystem>
#include <fstream>
#include <string_view>

namespace plimsoll::cli {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> command_line(const fs::path& process) {
    std::ifstream in(process / "cmdline", std::ios::binary);
    std::vector<std::string> words;
    for (std::string word; std::getline(in, word, '\0');) words.push_back(word);
    return words;
}

// The value of a flag, in either way of writing it.
std::string value_of(const std::vector<std::string>& words, std::string_view flag) {
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (words[i] == flag && i + 1 < words.size()) return words[i + 1];
        if (words[i].starts_with(std::string(flag) + "=")) return words[i].substr(flag.size() + 1);
    }
    return {};
}

}  // namespace

std::vector<ServingProcess> serving_processes() {
    std::vector<ServingProcess> found;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator("/proc", error)) {
        const auto name = entry.path().filename().string();
        int id = 0;
        const auto [end, wrong] = std::from_chars(name.data(), name.data() + name.size(), id);
        if (wrong != std::errc{} || end != name.data() + name.size()) continue;
        const auto words = command_line(entry.path());
        if (words.size() < 2 || fs::path(words[0]).filename() != "plimsoll" || words[1] != "serve")
            continue;
        ServingProcess process{id, ""};
        for (const char* flag : {"--data", "--database.data_directory"}) {
            const fs::path folder = value_of(words, flag);
            if (folder.empty()) continue;
            const auto home = fs::read_symlink(entry.path() / "cwd", error);
            process.data_directory = (home / folder).lexically_normal().string();
        }
        found.push_back(std::move(process));
    }
    return found;
}

}  // namespace plimsoll::cli
