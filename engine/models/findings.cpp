#include "engine/models/findings.hpp"

#include "engine/base/json.hpp"
#include "engine/base/replace_file.hpp"
#include "engine/model_files/mapped_file.hpp"

namespace plimsoll::models {
namespace {

constexpr std::size_t kMaxBytes = std::size_t{1} << 20;

// A list of findings, and the version of its format and of the kernels and rules behind it.
struct FindingsFile {
    const char* name;
    int version;
};
constexpr FindingsFile kProofs{"forms.json", 3};
constexpr FindingsFile kAccuracies{"accuracy.json", 1};

template <class Finding>
std::vector<Finding> read(const std::filesystem::path& folder, const FindingsFile& file,
                          std::string_view hash) try {
    const auto text = model_files::read_text(folder / file.name, kMaxBytes);
    if (!text) return {};
    const auto stored = json::parse(*text);
    if (stored.at("version") != file.version || stored.at("hash") != hash) return {};
    return stored.at("findings").get<std::vector<Finding>>();
} catch (const json::exception&) {
    return {};
}

Result<void> write(const std::filesystem::path& folder, const FindingsFile& file,
                   std::string_view hash, const json& findings) {
    const json stored{{"version", file.version}, {"hash", hash}, {"findings", findings}};
    return replace_file(folder / file.name, stored.dump(1) + "\n");
}

}  // namespace

std::vector<Proof> read_proofs(const std::filesystem::path& folder, std::string_view hash) {
    return read<Proof>(folder, kProofs, hash);
}

std::vector<Accuracy> read_accuracies(const std::filesystem::path& folder, std::string_view hash) {
    return read<Accuracy>(folder, kAccuracies, hash);
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
    return write(folder, kProofs, hash, all);
}

Result<void> keep_accuracies(const std::filesystem::path& folder, std::string_view hash,
                             const std::vector<Accuracy>& accuracies) {
    return write(folder, kAccuracies, hash, accuracies);
}

}  // namespace plimsoll::models
