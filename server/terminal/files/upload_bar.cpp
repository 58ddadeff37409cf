#include "server/terminal/files/upload_bar.hpp"

#include <nlohmann/json.hpp>

namespace plimsoll::terminal {

Result<nlohmann::json> upload_with_bar(const Terminal& terminal, client::ApiClient& api,
                                       const client::UploadRequest& request) {
    ProgressBar bar(terminal, "upload");
    std::string unfinished;  // the dataset that lacks bytes
    auto dataset = client::upload_file(
        api, request, [&](const std::string& id, std::int64_t received, std::int64_t total) {
            unfinished = received < total ? id : "";
            bar.show(received, total);
        });
    bar.finish();
    if (!dataset && !unfinished.empty()) {
        terminal.note("Continue with: plimsoll datasets upload " + request.file + " --resume " +
                      unfinished);
    }
    return dataset;
}

}  // namespace plimsoll::terminal
