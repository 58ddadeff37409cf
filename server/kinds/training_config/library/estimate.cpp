#include "engine/base/json.hpp"
#include "server/kinds/training_config/command/commands.hpp"
#include "server/kinds/training_config/command/configs/show_config.hpp"
#include "server/kinds/training_config/contract/advice.hpp"
#include "server/kinds/training_config/contract/limits.hpp"
#include "server/library/library.hpp"

namespace plimsoll::jobs::training_config {
namespace {

// `asked`: {"args": {…}, "flags": {"--batch": ["8"]}, "configurations": ["train.yaml"]}.
Result<json> summary_of(const json& asked) {
    GivenArguments given;
    TRY_DO(given.give_all(asked.at("flags")));
    const json& args = asked.at("args");
    const auto files = asked.at("configurations").get<std::vector<std::string>>();
    if (files.empty()) return estimated({.args = args, .given = std::move(given)});
    TRY(const auto run,
        configured_request({.paths = files, .given = std::move(given), .args = args}));
    TRY(auto cards, cards_json(run.request));
    return summary_json(run.request, std::move(cards));
}

}  // namespace
}  // namespace plimsoll::jobs::training_config

using namespace plimsoll;

// What POST /v1/estimates would answer.
PLIMSOLL_EXPORT int plimsoll_estimate(const char* asked, std::size_t size, library::Bytes* out) {
    return library::answer(*out, [&]() -> Result<std::string> {
        using namespace jobs::training_config;
        TRY(const auto summary, summary_of(json::parse(asked, asked + size)));
        return json{{"kind", std::string(kName)}, {"summary", summary}}.dump();
    });
}
