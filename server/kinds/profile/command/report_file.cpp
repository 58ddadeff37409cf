#include "server/kinds/profile/command/report_file.hpp"

#include <cerrno>
#include <cstdio>
#include <memory>
#include <string>
#include <system_error>

#include <nlohmann/json.hpp>
#include <unistd.h>

namespace plimsoll::jobs::profile {
namespace {

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

constexpr int kMostInASecond = 1000;

std::string name_at(std::time_t now) {
    std::tm local{};
    localtime_r(&now, &local);
    char name[64];
    std::strftime(name, sizeof name, "gpu_profile_%Y%m%d_%H%M%S", &local);
    return name;
}

}  // namespace

Result<void> check_folder(const std::filesystem::path& folder) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (!error && access(folder.c_str(), W_OK) != 0) error = {errno, std::generic_category()};
    if (!error) return {};
    return fail(Errc::invalid_input,
                "The report cannot be written to this folder: " + error.message() + ".",
                folder.string());
}

Result<std::filesystem::path> write_report(const std::filesystem::path& folder,
                                           const nlohmann::json& summary, std::time_t now) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    const auto name = name_at(now);
    auto path = folder / (name + ".json");
    File file(nullptr, std::fclose);
    for (int next = 2; next <= kMostInASecond; ++next) {
        file.reset(std::fopen(path.c_str(), "wx"));
        if (file || errno != EEXIST) break;
        path = folder / (name + "_" + std::to_string(next) + ".json");
    }
    const auto text = summary.dump(2) + "\n";
    if (!file || std::fwrite(text.data(), 1, text.size(), file.get()) != text.size() ||
        std::fclose(file.release()) != 0) {
        return fail(Errc::invalid_input,
                    "The report cannot be written: " + std::generic_category().message(errno) + ".",
                    path.string());
    }
    return path;
}

}  // namespace plimsoll::jobs::profile
