// The models that texts can be scored with: vader, and those that workers have.
#include "server/jobs/rest/operations.hpp"
#include "server/jobs/sentiment/contract/models.hpp"
#include "server/jobs/sentiment/contract/texts.hpp"

#include <algorithm>

namespace plimsoll::jobs::sentiment {

using boost::asio::awaitable;
using http::Call;
using http::Outcome;
using http::Response;
using nlohmann::json;

namespace {

json vader_json(json devices) {
    return {{"name", kVader},      {"hash", nullptr},
            {"family", kVader},    {"labels", {"positive", "neutral", "negative"}},
            {"parameters", 0},     {"longest_text", nullptr},
            {"licence", "MIT"},    {"source", "pypi.org/project/vaderSentiment"},
            {"added_at", nullptr}, {"devices", std::move(devices)}};
}

json text_or_null(const std::string& text) {
    return text.empty() ? json(nullptr) : json(text);
}

json model_json(const Manifest& model, json devices) {
    return {{"name", model.name},
            {"hash", model.hash},
            {"family", model.family},
            {"labels", model.labels},
            {"parameters", model.parameters},
            {"longest_text", model.longest_text},
            {"licence", text_or_null(model.licence)},
            {"source", text_or_null(model.source)},
            {"added_at", text_or_null(model.added_at)},
            {"devices", std::move(devices)}};
}

struct Offer {
    std::string device;  // node/device
    std::string text;    // of Knowledge::offers
};

json devices_of(const Manifest& model, const std::vector<Offer>& offers) {
    auto devices = json::array();
    for (const auto& offer : offers) {
        const auto models = models_of(std::span(&offer.text, 1));
        const bool has = std::ranges::any_of(models, [&](const Manifest& one) {
            return one.name == model.name && one.hash == model.hash;
        });
        if (has) devices.push_back(offer.device);
    }
    return devices;
}

json models_json(const std::vector<queue::DeviceStatus>& devices) {
    std::vector<Offer> offers;
    std::vector<std::string> texts;
    auto hosts = json::array();
    for (const auto& device : devices) {
        if (device.state != "ready" && device.state != "busy") continue;
        const auto name = device.node + "/" + device.device;
        if (device.device_class == "host") hosts.push_back(name);
        if (auto text = queue::offers_of(device); !text.empty()) {
            texts.push_back(text);
            offers.push_back({name, std::move(text)});
        }
    }
    auto items = json::array({vader_json(std::move(hosts))});
    const auto models = models_of(texts);
    for (const auto& model : models) items.push_back(model_json(model, devices_of(model, offers)));
    const bool preferred = std::ranges::find(models, kPreferred, &Manifest::name) != models.end();
    return {{"default", preferred ? kPreferred : kVader}, {"items", std::move(items)}};
}

awaitable<Outcome<Response>> list_models(queue::JobStore& jobs, const Call& /*call*/) {
    const auto devices = co_await jobs.devices();
    if (!devices) co_return tl::unexpected<http::Problem>(devices.error());
    co_return http::json_response(200, models_json(*devices));
}

}  // namespace

void add_operations(http::Handlers& handlers, Stores stores) {
    handlers["listModels"] = [&jobs = stores.jobs](const Call& call) {
        return list_models(jobs, call);
    };
}

}  // namespace plimsoll::jobs::sentiment
