#include "engine/base/json.hpp"
#include "server/base/gzip.hpp"
#include "server/jobs/kind.hpp"
#include "server/kinds/training_config/contract/advice.hpp"
#include "server/kinds/training_config/contract/limits.hpp"
#include "server/kinds/training_config/run/probe.hpp"

namespace plimsoll::jobs::training_config {
namespace {

// Arguments that the contract accepted but that are refused here are damaged, or come from another
// version.
Result<Request> stored_request(std::string_view args) {
    auto request = parse_request(json::parse(args));
    if (!request) return fail(Errc::corrupt, request.error().front().message);
    return std::move(*request);
}

// The task after those of the cards.
Result<TaskOutput> measure_device(const Request& request, std::size_t index, RunContext& context) {
    TRY(const auto device, probe_json(request, context));
    context.progress.advance(1);
    TaskOutput output;
    output.results = gzip(device_row(index, device));
    if (const auto& error = device["error"]; error.is_string())
        context.say(LogLevel::warning, "The device was not measured: " + error.get<std::string>());
    ++(device["error"].is_null() ? output.items_ok : output.items_failed);
    output.partial = device.dump();
    return output;
}

Result<TaskOutput> advise_on_card(const Request& request, std::string_view input,
                                  RunContext& context) {
    const std::size_t index = json::parse(input).at("card");
    context.progress.set_total(1);
    if (index == request.report.gpus.size()) return measure_device(request, index, context);
    TRY(const auto card, card_json(request, index));
    context.progress.advance(1);
    TaskOutput output;
    output.results = gzip(result_row(index, card));
    output.items_ok = 1;
    output.partial = card.dump();
    return output;
}

Result<Merged> merge(const Request& request, std::span<const std::string> partials) {
    json cards = json::array();
    json device = nullptr;
    for (const auto& partial : partials) {
        json one = json::parse(partial);
        if (one.contains("gpu"))
            cards.push_back(std::move(one));
        else
            device = std::move(one);
    }
    return Merged{summary_json(request, std::move(cards), std::move(device)).dump(), {}};
}

}  // namespace

constinit extern const Run kRun{.name = kName,
                                .version = kVersion,
                                .parse = typed<stored_request>,
                                .run = typed<advise_on_card>,
                                .merge = typed<merge>};

}  // namespace plimsoll::jobs::training_config
