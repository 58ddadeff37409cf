#include "server/kinds/profile/contract/settings.hpp"

#include "server/base/addresses.hpp"

namespace plimsoll::jobs::profile {

Result<std::string> check_endpoints(std::string_view value) {
    const auto endpoints = parse_llm_endpoints(value);
    if (endpoints) return std::string(value);
    return fail(Errc::invalid_input, "must be a list of URLs, but " + endpoints.error().message);
}

Result<std::string> check_networks(std::string_view value) {
    const auto networks = Networks::parse(value);
    if (networks) return std::string(value);
    return fail(networks.error());
}

Result<std::string> check_timeout(std::string_view value) { return whole_number(value, 1, 600); }

LlmSettings llm_settings(const KindSettings& settings) {
    return {.endpoints = parse_llm_endpoints(settings.text(kEndpoints)).value(),
            .networks = std::string(settings.text(kNetworks)),
            .model = std::string(settings.text(kModel)),
            .timeout_seconds = std::stoi(std::string(settings.text(kTimeout)))};
}

}  // namespace plimsoll::jobs::profile
