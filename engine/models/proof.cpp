#include "engine/models/proof.hpp"

#include "engine/models/findings.hpp"

#include <nlohmann/json.hpp>

namespace plimsoll::models {
namespace {

using nlohmann::json;

constexpr std::string_view kFile = "forms.json";
// Of the format, and of the kernels and rules behind it.
constexpr int kVersion = 3;

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
            {"seconds_per_token", proof.seconds_per_token},
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
            .seconds_per_token = stored.at("seconds_per_token"),
            .device = stored.at("device"),
            .proven_at = stored.at("proven_at")};
}

std::vector<Proof> read_proofs(const std::filesystem::path& folder, std::string_view hash) {
    try {
        std::vector<Proof> proofs;
        for (const auto& proof : read_findings(folder / kFile, hash, kVersion)) {
            proofs.push_back(proof_from_json(proof));
        }
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
    return write_findings(folder / kFile, hash, kVersion, stored);
}

}  // namespace plimsoll::models
