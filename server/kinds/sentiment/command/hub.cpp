#include "server/kinds/sentiment/command/hub.hpp"

#include "engine/base/json.hpp"
#include "engine/base/outside_json.hpp"
#include "engine/models/digest.hpp"
#include "engine/models/store.hpp"
#include "server/client/hub.hpp"
#include "server/kinds/sentiment/contract/settings.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace plimsoll::jobs::sentiment {

PullFolder::PullFolder(std::filesystem::path path, int held)
    : path_(std::move(path)), held_(held) {}

PullFolder::PullFolder(PullFolder&& other) noexcept
    : path_(std::move(other.path_)), held_(std::exchange(other.held_, -1)) {}

PullFolder::~PullFolder() {
    if (held_ >= 0) close(held_);
}

Result<PullFolder> PullFolder::take(std::filesystem::path path) {
    const auto failed = [&](int error) {
        return fail(Errc::unavailable,
                    "The folder cannot be used: " + std::generic_category().message(error) + ".",
                    path.string());
    };
    std::error_code error;
    std::filesystem::create_directories(path, error);
    if (error) return failed(error.value());
    const int held = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (held < 0) return failed(errno);
    if (flock(held, LOCK_EX | LOCK_NB) != 0) {
        const int reason = errno;
        close(held);
        if (reason != EWOULDBLOCK) return failed(reason);
        return fail(Errc::conflict,
                    "Another pull on this machine is downloading these files: wait for it to end.");
    }
    return PullFolder(std::move(path), held);
}

void PullFolder::remove() const {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

namespace {

constexpr std::size_t kMaxAnswer = std::size_t{4} << 20;
constexpr int kTries = 3;

struct Alias {
    std::string_view name;
    std::string_view repository;
};
constexpr std::array kAliases = {
    Alias{"finbert", "ProsusAI/finbert"},
    Alias{"distilbert", "distilbert/distilbert-base-uncased-finetuned-sst-2-english"},
    Alias{"roberta", "cardiffnlp/twitter-roberta-base-sentiment-latest"},
    Alias{"bert-multilingual", "nlptown/bert-base-multilingual-uncased-sentiment"},
};

std::string text_member(const json& object, const char* key) {
    const auto found = object.is_object() ? object.find(key) : object.end();
    return object.is_object() && found != object.end() && found->is_string()
               ? found->get<std::string>()
               : "";
}

const json& part_of(const json& object, const char* key) {
    static const json kNothing;
    const auto found = object.is_object() ? object.find(key) : object.end();
    return object.is_object() && found != object.end() ? *found : kNothing;
}

std::vector<HubModel::File> needed_files(const json& siblings) {
    std::vector<HubModel::File> all;
    for (const json& one : siblings.is_array() ? siblings : json::array()) {
        const json& size = part_of(one, "size");
        if (!size.is_number_unsigned()) continue;
        all.push_back({text_member(one, "rfilename"), size.get<std::uint64_t>(),
                       text_member(part_of(one, "lfs"), "sha256")});
    }
    std::vector<HubModel::File> needed;
    std::vector<std::string> names;
    for (const auto& file : all) names.push_back(file.name);
    for (const auto& name : models::needed_files(names))
        needed.push_back(*std::ranges::find(all, name, &HubModel::File::name));
    return needed;
}

std::uint64_t size_of(const std::filesystem::path& path) {
    std::error_code error;
    const auto bytes = std::filesystem::file_size(path, error);
    return error ? 0 : bytes;
}

// Files that are there already count; a broken connection is retried, and continues from there.
Result<void> fetch_file(const client::Origin& hub, const client::RemoteFile& file,
                        const std::filesystem::path& path, const Watch& watch) {
    const auto count = [&](std::uint64_t bytes) {
        if (watch.progress != nullptr) watch.progress->advance(static_cast<std::int64_t>(bytes));
    };
    if (size_of(path) == file.bytes) {
        count(file.bytes);
        return {};
    }
    count(size_of(path.string() + ".part"));
    for (int attempt = 1;; ++attempt) {
        auto done = client::download(hub, file, path, watch);
        if (done || done.error().code != Errc::unavailable || attempt == kTries) return done;
    }
}

}  // namespace

std::uint64_t HubModel::bytes() const {
    std::uint64_t all = 0;
    for (const auto& file : files) all += file.bytes;
    return all;
}

std::string repository_of(const std::string& name) {
    const auto* const alias = std::ranges::find(kAliases, name, &Alias::name);
    return std::string(alias == kAliases.end() ? std::string_view(name) : alias->repository);
}

Result<client::Origin> hub_of_environment() {
    KindSettings settings;
    TRY_DO(read_environment(kSettings, settings));
    return client::hub_origin(std::string(settings.text(kHub)),
                              std::string(settings.text(kHubHosts)));
}

Result<HubModel> find_on_hub(const client::Origin& hub, const std::string& repository,
                             const std::string& revision) {
    if (!client::is_repository(repository) || !client::is_plain(revision)) {
        return fail(Errc::invalid_input,
                    "Name a model as OWNER/NAME, finbert, distilbert, roberta or "
                    "bert-multilingual, and a revision as a branch, tag or commit.",
                    "name");
    }
    const auto answer = client::download_text(
        hub, "/api/models/" + repository + "/revision/" + revision + "?blobs=true", kMaxAnswer);
    if (!answer) return fail(client::about(answer.error(), hub, repository));
    const auto told = parse_outside_json(*answer);
    HubModel model{.repository = repository,
                   .commit = text_member(told, "sha"),
                   .licence = text_member(part_of(told, "cardData"), "license"),
                   .files = needed_files(part_of(told, "siblings"))};
    if (!client::is_plain(model.commit))
        return fail(Errc::corrupt, hub.server + " does not respond like a model hub.");
    if (model.files.empty()) {
        return fail(Errc::invalid_input, "\"" + repository +
                                             "\" lacks config.json, a tokenizer, or weights "
                                             "(model.safetensors, whole or in parts, or one "
                                             "pytorch_model.bin).");
    }
    return model;
}

Result<void> fetch_from_hub(const client::Origin& hub, const HubModel& model,
                            const std::filesystem::path& folder, const Watch& watch) {
    for (const auto& file : model.files) {
        const auto path = folder / file.name;
        const client::RemoteFile remote{
            "/" + model.repository + "/resolve/" + model.commit + "/" + file.name, file.bytes};
        if (auto done = fetch_file(hub, remote, path, watch); !done)
            return fail(client::about(done.error(), hub, model.repository));
        if (file.sha256.empty()) continue;
        TRY(const auto sha, models::sha256_of_file(path, {}, Watch{watch.stop}));
        if (sha != file.sha256) {
            std::error_code ignored;
            std::filesystem::remove(path, ignored);
            return fail(Errc::corrupt, file.name + " does not match the hub's hash.");
        }
    }
    return {};
}

}  // namespace plimsoll::jobs::sentiment
