#include "server/base/gzip.hpp"
#include "server/jobs/kind.hpp"
#include "server/jobs/training_config/contract/advice.hpp"
#include "server/jobs/training_config/contract/limits.hpp"

namespace plimsoll::jobs::training_config {
namespace {

using nlohmann::json;

// Arguments that the contract accepted and that are refused here are damaged, or of another
// version.
Result<Request> stored_request(std::string_view args) {
    auto request = parse_request(json::parse(args));
    if (!request) return fail(Errc::corrupt, request.error().front().message);
    return std::move(*request);
}

Result<TaskOutput> advise_on_card(std::string_view args, std::string_view input,
                                  RunContext& context) {
    const auto request = stored_request(args);
    if (!request) return fail(request.error());
    const std::size_t index = json::parse(input).at("card");
    context.progress.set_total(1);
    const auto card = card_json(*request, index);
    if (!card) return fail(card.error());
    context.progress.advance(1);
    TaskOutput output;
    output.results = gzip(result_row(index, *card));
    output.items_ok = 1;
    output.partial = card->dump();
    return output;
}

Result<std::string> merge(std::string_view args, std::span<const std::string> partials) {
    const auto request = stored_request(args);
    if (!request) return fail(request.error());
    json cards = json::array();
    for (const auto& partial : partials) cards.push_back(json::parse(partial));
    return summary_json(*request, std::move(cards)).dump();
}

}  // namespace

const Run& run() {
    static const Run it{.name = kName, .version = kVersion, .run = advise_on_card, .merge = merge};
    return it;
}

}  // namespace plimsoll::jobs::training_config
