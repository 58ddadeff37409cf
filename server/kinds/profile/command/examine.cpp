#include "server/kinds/profile/command/examine.hpp"

#include "server/base/addresses.hpp"
#include "server/kinds/profile/contract/settings.hpp"

#include <algorithm>
#include <chrono>
#include <optional>

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

namespace plimsoll::jobs::profile {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

constexpr std::chrono::seconds kPatience{3};

// Why a connection fails; nothing if it succeeds.
std::optional<std::string> refusal(const LlmEndpoint& endpoint, const Networks& networks) {
    asio::io_context io(1);
    tcp::resolver resolver(io);
    tcp::socket socket(io);
    std::string why = "no response within " + std::to_string(kPatience.count()) + " s";
    bool connected = false;
    resolver.async_resolve(
        endpoint.host, endpoint.port,
        [&](const boost::system::error_code& unknown, const tcp::resolver::results_type& found) {
            if (unknown) {
                why = unknown.message();
                return;
            }
            if (std::ranges::any_of(found, [&](const auto& entry) {
                    const auto address = entry.endpoint().address();
                    return !is_public(address) && !networks.contain(address);
                })) {
                why = "its address is neither public nor in llm.allowed_networks";
                return;
            }
            asio::async_connect(socket, found,
                                [&](const boost::system::error_code& refused, const auto&) {
                                    if (refused) why = refused.message();
                                    connected = !refused;
                                });
        });
    io.run_for(kPatience);
    return connected ? std::nullopt : std::optional(why);
}

}  // namespace

std::vector<terminal::Finding> examine(const KindSettings& settings) {
    using Grade = terminal::Finding::Grade;
    const auto llm = llm_settings(settings);
    if (llm.endpoints.empty()) {
        return {{Grade::good, "LLM",
                 "No endpoint is configured (llm.endpoints): profiles measure no language model.",
                 ""}};
    }
    const auto networks = Networks::parse(llm.networks).value();  // checked with the settings
    std::vector<terminal::Finding> findings;
    for (const auto& endpoint : llm.endpoints) {
        const auto place = endpoint.host + ":" + endpoint.port;  // the rest may hold a key
        const auto why = refusal(endpoint, networks);
        findings.push_back(
            why ? terminal::Finding{Grade::remark, "LLM",
                                    "The endpoint at " + place + " does not respond: " + *why + ".",
                                    "Start it, or correct llm.endpoints (LLM_ENDPOINT_URL)."}
                : terminal::Finding{Grade::good, "LLM",
                                    "The endpoint at " + place + " responds; the model is " +
                                        llm.model + " unless a job names one.",
                                    ""});
    }
    return findings;
}

}  // namespace plimsoll::jobs::profile
