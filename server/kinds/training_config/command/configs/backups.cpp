#include "server/kinds/training_config/command/configs/backups.hpp"

#include "engine/base/replace_file.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <sys/stat.h>
#include <unistd.h>

namespace plimsoll::jobs::training_config {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kLargestFile = 10'000'000;  // bytes

std::string target_of(const std::string& file) {
    std::error_code failed;
    const auto target = fs::weakly_canonical(file, failed);
    return failed ? file : target.string();
}

std::string numbered(const std::string& file, const char* word, int number) {
    return file + "." + word + "-" + std::to_string(number);
}

// The highest number in use; 0 if there is none.
int last_number(const std::string& file, const char* word) {
    int number = 0;
    while (fs::exists(fs::symlink_status(numbered(file, word, number + 1)))) ++number;
    return number;
}

// With the same rights.
Result<void> write_like(const std::string& like, const std::string& path, const std::string& text) {
    struct stat info{};
    if (::stat(like.c_str(), &info) != 0)
        return fail(Errc::not_found, "The file cannot be read.", like);
    return replace_file(path, text, info.st_mode & 0777, true);
}

Result<std::string> keep(const std::string& path, const std::string& text, const char* word) {
    auto name = numbered(path, word, last_number(path, word) + 1);
    TRY_DO(write_like(path, name, text));
    return name;
}

}  // namespace

std::vector<std::string> config_files(const std::string& path) {
    std::error_code failed;
    if (!fs::is_directory(path, failed)) return {path};
    std::vector<std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(path, failed)) {
        const auto extension = entry.path().extension();
        if (extension == ".yaml" || extension == ".yml" || extension == ".json")
            files.push_back(entry.path().string());
    }
    std::ranges::sort(files);
    return files;
}

Result<std::string> read_config_file(const std::string& path) {
    std::error_code failed;
    if (fs::is_directory(path, failed))
        return fail(Errc::invalid_input, "This is a folder; name its files.", path);
    if (fs::file_size(path, failed) > kLargestFile && !failed) {
        return fail(Errc::too_large,
                    "The file is larger than 10 MB, too large for a configuration.", path);
    }
    std::ifstream file(path, std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();  // which fails for an empty file, too
    if (!file.is_open() || file.bad())
        return fail(Errc::not_found, "The file cannot be read.", path);
    return text.str();
}

Result<void> check_writable(const std::string& file) {
    const auto path = target_of(file);
    struct stat info{};
    if (::lstat(file.c_str(), &info) == 0) {
        if (S_ISLNK(info.st_mode)) {
            return fail(Errc::invalid_input,
                        "This is a symbolic link; name the file that it points to: " + path + ".",
                        file);
        }
        // Writing creates a new file, which would belong to this user.
        if (info.st_uid != ::geteuid())
            return fail(Errc::unavailable, "The file belongs to another user.", file);
        // Root may write files that their owner protected.
        if ((info.st_mode & S_IWUSR) == 0)
            return fail(Errc::unavailable, "The file is read-only.", file);
    }
    const auto folder = fs::path(path).parent_path();
    if (::access(folder.c_str(), W_OK) != 0)
        return fail(Errc::unavailable, "The file's folder is not writable.", file);
    return {};
}

Result<std::string> change_file(const std::string& file, const std::string& text) {
    const auto path = target_of(file);
    TRY(const auto before, read_config_file(path));
    auto copy = keep(path, before, "before");
    if (!copy) return copy;
    if (auto written = write_like(path, path, text); !written) {
        ::unlink(copy->c_str());
        return fail(written.error());
    }
    return copy;
}

Result<std::string> restore_file(const std::string& file) {
    TRY_DO(check_writable(file));
    const auto path = target_of(file);
    const int number = last_number(path, "before");
    if (number == 0) {
        return fail(Errc::not_found,
                    "There is nothing to restore: no " + numbered(file, "before", 1) + ".");
    }
    const auto copy = numbered(path, "before", number);
    TRY(const auto before, read_config_file(copy));
    TRY(const auto now, read_config_file(path));
    const auto kept = keep(path, now, "undone");
    if (!kept) return kept;
    TRY_DO(write_like(path, path, before));
    ::unlink(copy.c_str());
    return "restored to the version before change " + std::to_string(number) +
           "; the version that it replaced is kept in " + *kept;
}

}  // namespace plimsoll::jobs::training_config
