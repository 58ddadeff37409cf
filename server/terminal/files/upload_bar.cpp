#include "server/terminal/files/upload_bar.hpp"

#include "server/terminal/files/records_file.hpp"

#include <nlohmann/json.hpp>

namespace plimsoll::terminal {

Result<nlohmann::json> upload_with_bar(const Terminal& terminal, client::ApiClient& api,
                                       const client::UploadRequest& request) {
    if (auto fits = check_records_file(request.file); !fits) return fail(fits.error());
    ProgressBar bar(terminal, "upload");
    std::string unfinished;  // the dataset that lacks bytes
    auto dataset = client::upload_file(
        api, request, [&](const std::string& id, std::int64_t received, std::int64_t total) {
            unfinished = received < total ? id : "";
            bar.show(received, total);
        });
    bar.finish();
    const bool refused = !dataset && dataset.error().code == Errc::invalid_input;
    if (!dataset && !refused && !unfinished.empty()) {
        terminal.note("Continue with: plimsoll datasets upload " + request.file + " --resume " +
                      unfinished);
    }
    return dataset;
}

}  // namespace plimsoll::terminal
