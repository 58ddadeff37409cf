#include "engine/models/findings.hpp"

#include "engine/model_files/mapped_file.hpp"

#include <fstream>
#include <string>
#include <system_error>

#include <nlohmann/json.hpp>
#include <unistd.h>

namespace plimsoll::models {

using nlohmann::json;

namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 20;

}  // namespace

json read_findings(const std::filesystem::path& file, std::string_view hash, int version) {
    const auto text = model_files::read_text(file, kMostBytes);
    if (!text) return json::array();
    const auto stored = json::parse(*text, nullptr, false);
    const bool is_ours = stored.is_object() && stored.value("version", json()) == version &&
                         stored.value("hash", json()) == hash;
    return is_ours ? stored.value("findings", json::array()) : json::array();
}

Result<void> write_findings(const std::filesystem::path& file, std::string_view hash, int version,
                            const json& list) {
    auto temporary = file;
    temporary += "." + std::to_string(getpid());
    std::ofstream out(temporary);
    out << json{{"version", version}, {"hash", hash}, {"findings", list}}.dump(1) << '\n';
    out.close();
    std::error_code error;
    if (out) std::filesystem::rename(temporary, file, error);
    if (out && !error) return {};
    std::error_code ignored;
    std::filesystem::remove(temporary, ignored);
    return fail(Errc::unavailable, "The folder of the model cannot be written.",
                file.parent_path().string());
}

}  // namespace plimsoll::models
