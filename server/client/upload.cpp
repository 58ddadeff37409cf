#include "server/client/upload.hpp"

#include "engine/base/json.hpp"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

namespace plimsoll::client {
namespace {

// Sent in one call: the most that a broken connection loses.
constexpr std::int64_t kPartBytes = 8 << 20;
constexpr int kTries = 30;  // in a row without progress; the server may be restarting
constexpr auto kPause = std::chrono::seconds(1);

std::string format_of(const std::string& file) { return is_csv(file) ? "csv" : "jsonl"; }

std::string path_of(const json& dataset) { return "/v1/datasets/" + dataset.value("id", ""); }

Result<json> announce(ApiClient& api, const std::string& file, const std::string& name,
                      std::int64_t bytes) {
    const auto shown = name.empty() ? std::filesystem::path(file).filename().string() : name;
    return api.post_json("/v1/datasets",
                         {{"name", shown}, {"format", format_of(file)}, {"bytes", bytes}});
}

Result<std::string> read_part(const std::string& file, std::int64_t offset, std::int64_t bytes) {
    std::string part(static_cast<std::size_t>(bytes), '\0');
    std::ifstream in(file, std::ios::binary);
    in.seekg(offset);
    if (!in.read(part.data(), bytes))
        return fail(Errc::invalid_input, "The file changed while it was being read.", file);
    return part;
}

Result<json> send_part(ApiClient& api, const json& dataset, const std::string& file) {
    const auto offset = dataset.value("bytes_received", std::int64_t{0});
    const auto left = dataset.value("bytes_total", std::int64_t{0}) - offset;
    TRY(auto part, read_part(file, offset, std::min(left, kPartBytes)));
    TRY(auto reply, api.send("PUT", path_of(dataset) + "/content?offset=" + std::to_string(offset),
                             std::move(part), {{"content-type", "application/octet-stream"}}));
    return json::parse(reply.body, nullptr, false);
}

}  // namespace

bool is_csv(const std::string& file) {
    auto ending = std::filesystem::path(file).extension().string();
    std::ranges::transform(ending, ending.begin(), [](unsigned char c) { return std::tolower(c); });
    return ending == ".csv" || ending == ".tsv" || ending == ".tab";
}

Result<std::int64_t> file_bytes(const std::string& file) {
    std::error_code error;
    const auto bytes = std::filesystem::file_size(file, error);
    if (error)
        return fail(Errc::invalid_input, "The file cannot be read: " + error.message() + ".", file);
    return static_cast<std::int64_t>(bytes);
}

Result<json> upload_file(ApiClient& api, const UploadRequest& request,
                         const UploadProgress& progress) {
    const auto& file = request.file;
    TRY(const auto bytes, file_bytes(file));
    auto dataset = request.dataset_id.empty() ? announce(api, file, request.name, bytes)
                                              : api.get_json("/v1/datasets/" + request.dataset_id);
    if (!dataset) return dataset;
    if (dataset->value("bytes_total", std::int64_t{0}) != bytes)
        return fail(Errc::invalid_input, "The size of the file does not match this upload.", file);
    int tries = 0;
    while (dataset->value("state", "") == "uploading") {
        progress(dataset->value("id", ""), dataset->value("bytes_received", std::int64_t{0}),
                 bytes);
        auto sent = send_part(api, *dataset, file);
        if (sent) {
            dataset = std::move(sent);
            tries = 0;
            continue;
        }
        const auto code = sent.error().code;
        const bool passing = code == Errc::unavailable || code == Errc::conflict;
        if (!passing || ++tries == kTries) return sent;
        std::this_thread::sleep_for(kPause);
        // Some of the part may have arrived.
        if (auto now = api.get_json(path_of(*dataset))) dataset = std::move(now);
    }
    progress(dataset->value("id", ""), bytes, bytes);
    if (dataset->value("state", "") == "failed")
        return fail(Errc::invalid_input, dataset->value("error", "The upload failed."), file);
    return dataset;
}

}  // namespace plimsoll::client
