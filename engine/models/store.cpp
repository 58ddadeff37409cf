#include "engine/models/store.hpp"

#include "engine/model_files/mapped_file.hpp"
#include "engine/model_files/model.hpp"
#include "engine/model_files/safetensors.hpp"
#include "engine/models/digest.hpp"
#include "engine/tokenizers/tokenizer.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <random>
#include <system_error>

#include <nlohmann/json.hpp>
#include <unistd.h>

namespace plimsoll::models {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kManifest = "plimsoll.json";
constexpr std::size_t kMaxManifest = std::size_t{1} << 20;

constexpr const char* kIndex = "model.safetensors.index.json";
// Forms of the weights, the first that is there is used.
constexpr const char* kWeights[] = {"model.safetensors", kIndex, "pytorch_model.bin"};

// Regardless of the umask: workers of other users read models, and the folder above may be that of
// a server's data.
std::error_code make_folder(const fs::path& folder) {
    std::error_code error;
    if (fs::is_directory(folder, error)) return {};
    if (auto above = make_folder(folder.parent_path())) return above;
    if (fs::create_directory(folder, error)) fs::permissions(folder, fs::perms{0755}, error);
    return error;
}

// Removes a folder that was not finished.
class Scratch {
  public:
    explicit Scratch(const fs::path& beside)
        : path_(beside / (".new-" + std::to_string(std::random_device{}()))) {}
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
    ~Scratch() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    const fs::path& path() const { return path_; }

  private:
    fs::path path_;
};

Result<void> check_numbers(const model_files::Model& model, const Watch& watch) {
    std::vector<float> numbers;
    for (const auto& [name, tensor] : model.file.tensors) {
        if (tensor.type == model_files::NumberType::other) continue;  // positions, say
        if (watch.stopped()) return fail(Errc::cancelled, "The operation was cancelled.");
        numbers.resize(tensor.count());
        TRY_DO(to_floats(name, tensor, numbers));
    }
    return {};
}

// Reads the copied model as a job would.
Result<void> describe(const fs::path& folder, Manifest& into, const Watch& watch) {
    TRY(const auto model, model_files::open_model(folder));
    TRY(const auto tokenizer, tokenizers::Tokenizer::read(folder));
    const auto& config = model.config;
    if (tokenizer.vocabulary() > config.vocabulary) {
        return fail(Errc::invalid_input,
                    "The tokenizer has " + std::to_string(tokenizer.vocabulary()) +
                        " tokens, but config.json says " + std::to_string(config.vocabulary) + ".");
    }
    if (tokenizer.vocabulary() < config.vocabulary) {
        into.warning = "The tokenizer has " + std::to_string(tokenizer.vocabulary()) +
                       " tokens, and config.json says " + std::to_string(config.vocabulary) +
                       ": if tokens were added to the vocabulary, their file is missing.";
    }
    TRY_DO(check_numbers(model, watch));
    into.family = to_string(config.family);
    into.labels = config.labels;
    into.parameters = model.parameters();
    into.longest_text = config.longest();
    into.layers = config.layers;
    into.hidden = config.hidden;
    into.intermediate = config.intermediate;
    return {};
}

// An error about a copy, reported for the original file: the copy is gone when the user reads it.
Error in_original(Error error, const fs::path& copy, const fs::path& original) {
    const auto prefix = copy.string();
    if (error.where.starts_with(prefix)) error.where.replace(0, prefix.size(), original.string());
    return error;
}

std::string hash_of(const std::vector<ModelFile>& files) {
    std::string all;
    for (const auto& file : files) all += file.name + " " + file.sha256 + "\n";
    return sha256_of(all);
}

Result<void> write_text(const fs::path& file, const std::string& text) {
    std::ofstream out(file, std::ios::binary);
    out << text << "\n";
    out.close();
    if (out) return {};
    return fail(Errc::unavailable, file.filename().string() + " cannot be written.", file.string());
}

Result<Manifest> read_manifest(const fs::path& folder) {
    TRY(const auto text, model_files::read_text(folder / kManifest, kMaxManifest));
    auto manifest = manifest_from_json(nlohmann::json::parse(text, nullptr, false));
    if (manifest && manifest->name != folder.filename())
        return fail(Errc::corrupt, "The folder was renamed.", folder.string());
    if (manifest) {
        manifest->proofs = read_proofs(folder, manifest->hash);
        manifest->accuracies = read_accuracies(folder, manifest->hash);
    }
    return manifest;
}

}  // namespace

fs::path default_folder() {
    if (geteuid() == 0) return "/var/lib/plimsoll/models";
    if (const char* state = std::getenv("XDG_STATE_HOME"); state != nullptr && *state == '/')
        return fs::path(state) / "plimsoll/models";
    const char* home = std::getenv("HOME");
    return fs::path(home == nullptr ? "/" : home) / ".local/state/plimsoll/models";
}

std::vector<std::string> needed_files(std::vector<std::string> there) {
    std::ranges::sort(there);
    const auto has = [&](const char* name) {
        return std::ranges::find(there, name) != there.end();
    };
    std::vector<std::string> names;
    for (const char* name : {"LICENSE", "README.md", "added_tokens.json", "config.json",
                             "merges.txt", "special_tokens_map.json", "tokenizer.json",
                             "tokenizer_config.json", "vocab.json", "vocab.txt"}) {
        if (has(name)) names.emplace_back(name);
    }
    const bool tokenizer =
        has("tokenizer.json") || has("vocab.txt") || (has("vocab.json") && has("merges.txt"));
    const auto weights = std::ranges::find_if(kWeights, has);
    if (!has("config.json") || !tokenizer || weights == std::end(kWeights)) return {};
    names.emplace_back(*weights);
    if (*weights == kIndex)
        std::ranges::copy_if(there, std::back_inserter(names), model_files::is_safetensors_part);
    return names;
}

PublishedFiles published_files(const fs::path& folder) {
    PublishedFiles found;
    std::error_code error;
    std::vector<std::string> there;
    for (const auto& entry : fs::directory_iterator(folder, error))
        there.push_back(entry.path().filename());
    found.names = needed_files(there);
    for (const auto& name : found.names) found.bytes += fs::file_size(folder / name, error);
    return found;
}

std::vector<Manifest> Store::list() const {
    std::vector<Manifest> found;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder_, error)) {
        if (!is_model_name(entry.path().filename().string())) continue;
        if (auto manifest = read_manifest(entry.path())) found.push_back(std::move(*manifest));
    }
    std::ranges::sort(found, {}, &Manifest::name);
    return found;
}

Result<Manifest> Store::find(const std::string& name) const {
    if (is_model_name(name)) {
        if (auto manifest = read_manifest(folder_of(name))) return manifest;
    }
    std::string installed;
    for (const auto& one : list()) installed += (installed.empty() ? "" : ", ") + one.name;
    return fail(Errc::not_found, "No model \"" + name + "\" is installed; installed: " +
                                     (installed.empty() ? "none" : installed) + ".");
}

Result<Manifest> Store::add(const fs::path& published, Manifest about, bool replace,
                            const Watch& watch) {
    if (!is_model_name(about.name)) {
        return fail(Errc::invalid_input,
                    "A model's name must have 1 to 64 characters (a-z, 0-9, '.', '_', '-') and "
                    "begin with a letter or digit.",
                    "name");
    }
    const auto target = folder_of(about.name);
    if (fs::exists(target) && !replace)
        return fail(Errc::conflict, "A model \"" + about.name + "\" is already installed.", "name");
    const Scratch scratch(folder_);
    std::error_code error = make_folder(fs::absolute(scratch.path()));
    if (error) {
        return fail(
            Errc::unavailable,
            "The folder " + folder_.string() + " cannot be written: " + error.message() + ".",
            folder_.string());
    }
    about.files.clear();
    about.proofs.clear();
    about.accuracies.clear();
    for (const auto& name : published_files(published).names) {
        const auto copy = scratch.path() / name;
        TRY(auto sha, sha256_of_file(published / name, copy, watch));
        about.files.push_back({name, fs::file_size(copy, error), std::move(sha)});
    }
    if (auto described = describe(scratch.path(), about, watch); !described)
        return fail(in_original(described.error(), scratch.path(), published));
    about.hash = hash_of(about.files);
    about.bytes = 0;
    for (const auto& file : about.files) about.bytes += file.bytes;
    about.added_at = now_text();
    TRY_DO(write_text(scratch.path() / kManifest, to_text(about)));
    if (replace) fs::remove_all(target, error);
    fs::rename(scratch.path(), target, error);
    if (error) {
        return fail(Errc::unavailable,
                    "The model cannot be moved into place: " + error.message() + ".",
                    target.string());
    }
    return about;
}

Result<Manifest> Store::verify(const std::string& name, const Watch& watch) const {
    auto manifest = find(name);
    if (!manifest) return manifest;
    for (const auto& file : manifest->files) {
        TRY(const auto sha, sha256_of_file(folder_of(name) / file.name, {}, watch));
        if (sha != file.sha256) {
            return fail(Errc::corrupt, file.name + " has changed since it was installed.",
                        (folder_of(name) / file.name).string());
        }
    }
    Manifest found = *manifest;
    TRY_DO(describe(folder_of(name), found, watch));
    return manifest;
}

Result<void> Store::remove(const std::string& name) {
    TRY_DO(find(name));
    // Renamed first, so that nobody sees half a model.
    const Scratch scratch(folder_);
    std::error_code error;
    fs::rename(folder_of(name), scratch.path(), error);
    if (error) {
        return fail(Errc::unavailable, "The model cannot be removed: " + error.message() + ".",
                    folder_of(name).string());
    }
    return {};
}

}  // namespace plimsoll::models
