#include "server/kinds/training_config/command/named_model.hpp"

#include "engine/base/json.hpp"
#include "engine/training/models/presets.hpp"
#include "server/client/hub.hpp"
#include "server/kinds/training_config/command/given_arguments.hpp"
#include "server/kinds/training_config/command/weights_header.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace plimsoll::jobs::training_config {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxConfig = std::size_t{4} << 20;

std::string variable(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
}

// As huggingface_hub finds it: HF_HUB_CACHE, HF_HOME/hub, XDG_CACHE_HOME/huggingface/hub.
fs::path cache_folder() {
    if (const auto own = variable("HF_HUB_CACHE"); !own.empty()) return own;
    if (const auto home = variable("HF_HOME"); !home.empty()) return fs::path(home) / "hub";
    const auto cache = variable("XDG_CACHE_HOME");
    const auto around = cache.empty() ? fs::path(variable("HOME")) / ".cache" : fs::path(cache);
    return around / "huggingface" / "hub";
}

// Of the revision "main", else of any that is there; empty: none is.
fs::path cached_config(const std::string& repository) {
    auto folder = "models--" + repository;
    folder.replace(folder.find('/'), 1, "--");
    const auto model = cache_folder() / folder;
    std::string commit;
    std::ifstream(model / "refs" / "main") >> commit;
    if (const auto file = model / "snapshots" / commit / "config.json";
        !commit.empty() && fs::exists(file))
        return file;
    std::error_code failed;
    for (const auto& revision : fs::directory_iterator(model / "snapshots", failed))
        if (fs::exists(revision.path() / "config.json")) return revision.path() / "config.json";
    return {};
}

Result<json> of_config(const std::string& name, Result<json> config) {
    if (!config) return config;
    return json{{"config", std::move(*config)}, {"name", name}};
}

Result<json> from_hub(const std::string& repository) {
    TRY(const auto hub,
        client::hub_origin(variable("PLIMSOLL_HUB"), variable("PLIMSOLL_HUB_HOSTS")));
    const auto text =
        client::download_text(hub, "/" + repository + "/resolve/main/config.json", kMaxConfig);
    if (!text) return fail(client::about(text.error(), hub, repository));
    auto config = parse_python_json(*text);
    if (!config.is_object())
        return fail(Errc::corrupt, "The config.json of " + repository + " is not a JSON object.");
    return config;
}

// The config.json beside a checkpoint says more than its tensors, which do not tell their heads.
Result<json> of_weights(const fs::path& path) {
    const auto folder = fs::absolute(path).parent_path();
    const bool gguf = path.extension() == ".gguf";
    if (!gguf && fs::exists(folder / "config.json"))
        return of_config(folder.filename(), read_json(folder / "config.json"));
    TRY(auto config, config_of_weights(path));
    std::string name = gguf ? path.stem() : folder.filename();
    if (!gguf && config["model_type"] != "qwen3")
        name += " (heads of " + config["head_dim"].dump() + " assumed)";
    return of_config(name, std::move(config));
}

}  // namespace

Result<json> named_model(const std::string& name, bool asks_hub) {
    if (::plimsoll::training::preset(name)) return json{{"preset", name}};
    const fs::path path = name;
    if (fs::is_directory(path)) {
        auto file = path / "config.json";
        if (!fs::exists(file) && fs::exists(path / "adapter_config.json"))
            file = path / "adapter_config.json";  // refused, with the name of its base model
        if (!fs::exists(file)) return fail(Errc::not_found, "The folder has no config.json.", name);
        return of_config(fs::weakly_canonical(path).filename(), read_json(file));
    }
    if (fs::is_regular_file(path)) {
        if (path.extension() == ".json")
            return of_config(fs::absolute(path).parent_path().filename(), read_json(name));
        if (is_weights_file(path)) return of_weights(path);
        return fail(Errc::invalid_input,
                    "A config.json, a .safetensors or a .gguf describes a model: name it, or its "
                    "folder.",
                    name);
    }
    if (!client::is_repository(name))
        return fail(Errc::not_found,
                    "It is neither a preset, a folder, a file of a model, nor OWNER/NAME on a hub.",
                    name);
    if (const auto file = cached_config(name); !file.empty())
        return of_config(name, read_json(file));
    if (!asks_hub)
        return fail(Errc::not_found, "It is neither a preset nor in the local cache.", name);
    return of_config(name, from_hub(name));
}

}  // namespace plimsoll::jobs::training_config
