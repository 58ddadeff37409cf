#include "engine/models/proof.hpp"

#include "engine/model_files/mapped_file.hpp"

#include <algorithm>
#include <fstream>
#include <system_error>

#include <nlohmann/json.hpp>
#include <unistd.h>

namespace plimsoll::models {
namespace {

using nlohmann::json;

constexpr std::string_view kFile = "forms.json";
constexpr std::size_t kMostBytes = std::size_t{1} << 20;
// Of the format, and of the kernels and rules behind it: what others found is not believed.
constexpr int kVersion = 1;

}  // namespace

json to_json(const Proof& proof) {
    return {{"form", proof.form},
            {"method", proof.method},
            {"passed", proof.passed},
            {"why", proof.why.empty() ? json(nullptr) : json(proof.why)},
            {"texts", proof.texts},
            {"same_label", proof.same_label},
            {"flips", proof.flips},
            {"difference_p99", proof.difference_p99},
            {"difference_most", proof.difference_most},
            {"outlier_columns", proof.outlier_columns},
            {"outlier_ratio", proof.outlier_ratio},
            {"speedup", proof.speedup},
            {"device", proof.device},
            {"proven_at", proof.proven_at}};
}

Proof proof_from_json(const json& stored) {
    const auto& why = stored.at("why");
    return {.form = stored.at("form"),
            .method = stored.at("method"),
            .passed = stored.at("passed"),
            .why = why.is_null() ? std::string() : why.get<std::string>(),
            .texts = stored.at("texts"),
            .same_label = stored.at("same_label"),
            .flips = stored.at("flips"),
            .difference_p99 = stored.at("difference_p99"),
            .difference_most = stored.at("difference_most"),
            .outlier_columns = stored.at("outlier_columns"),
            .outlier_ratio = stored.at("outlier_ratio"),
            .speedup = stored.at("speedup"),
            .device = stored.at("device"),
            .proven_at = stored.at("proven_at")};
}

std::vector<Proof> read_proofs(const std::filesystem::path& folder, std::string_view hash) {
    const auto text = model_files::read_text(folder / kFile, kMostBytes);
    if (!text) return {};
    try {
        const auto stored = json::parse(*text);
        if (stored.at("version") != kVersion || stored.at("hash") != hash) return {};
        std::vector<Proof> proofs;
        for (const auto& proof : stored.at("proofs")) proofs.push_back(proof_from_json(proof));
        return proofs;
    } catch (const json::exception&) {
        return {};
    }
}

Result<void> keep_proofs(const std::filesystem::path& folder, std::string_view hash,
                         const std::vector<Proof>& proofs) {
    auto all = read_proofs(folder, hash);
    for (const auto& proof : proofs) {
        std::erase_if(all, [&](const Proof& old) {
            return old.form == proof.form && old.method == proof.method;
        });
        all.push_back(proof);
    }
    auto stored = json::array();
    for (const auto& proof : all) stored.push_back(to_json(proof));
    const auto file = folder / kFile;
    auto temporary = file;
    temporary += "." + std::to_string(getpid());
    std::ofstream out(temporary);
    out << json{{"version", kVersion}, {"hash", hash}, {"proofs", stored}}.dump(1) << '\n';
    out.close();
    std::error_code error;
    if (out) std::filesystem::rename(temporary, file, error);
    if (out && !error) return {};
    std::error_code ignored;
    std::filesystem::remove(temporary, ignored);
    return fail(Errc::unavailable, "The folder of the model cannot be written.", folder.string());
}

}  // namespace plimsoll::models
