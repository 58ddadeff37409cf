#include "server/jobs/waves/command/price_file.hpp"

#include "server/client/upload.hpp"
#include "server/terminal/assignment.hpp"

#include <filesystem>

namespace plimsoll::jobs::waves {
namespace {

// JSON writes line ends and quotes in two characters each: room is left for that.
constexpr std::int64_t kPriceFileBytes = client::kInlineFileBytes / 4 * 3;

}  // namespace

Result<terminal::JobInput> read_price_file(const std::string& file,
                                           const std::vector<std::string>& columns) {
    if (file.ends_with(".json")) return terminal::read_input_file(file, columns);
    if (file != "-") {
        const auto bytes = client::file_bytes(file);
        if (!bytes) return fail(bytes.error());
        if (*bytes > kPriceFileBytes)
            return terminal::JobInput{.args = {}, .left_out = {}, .too_long = true};
    }
    auto prices = terminal::read_text(file);
    if (!prices) return fail(prices.error());
    nlohmann::json args{{"prices", std::move(*prices)},
                        {"format", client::is_csv(file) ? "csv" : "jsonl"}};
    if (file != "-") args["symbol"] = std::filesystem::path(file).stem().string();
    if (!columns.empty()) {
        auto chosen = terminal::column_args(columns);
        if (!chosen) return fail(chosen.error());
        args["columns"] = std::move(*chosen);
    }
    return terminal::JobInput{.args = std::move(args), .left_out = {}};
}

}  // namespace plimsoll::jobs::waves
