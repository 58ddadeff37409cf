// The models that texts can be scored with: vader, and those that workers have.
#include "server/jobs/sentiment/rest/rest.hpp"

#include "server/jobs/sentiment/contract/server_policy.hpp"
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
    return {{"name", kVader},
            {"hash", nullptr},
            {"family", kVader},
            {"labels", {"positive", "neutral", "negative"}},
            {"parameters", 0},
            {"longest_text", nullptr},
            {"licence", "MIT"},
            {"source", "pypi.org/project/vaderSentiment"},
            {"added_at", nullptr},
            {"proofs", json::array()},
            {"accuracies", json::array()},
            {"devices", std::move(devices)}};
}

json text_or_null(const std::string& text) {
    return text.empty() ? json(nullptr) : json(text);
}

json model_json(const Manifest& model, json devices) {
    auto proofs = json::array();
    for (const auto& proof : model.proofs) proofs.push_back(to_json(proof));
    auto accuracies = json::array();
    for (const auto& one : model.accuracies) accuracies.push_back(to_json(one));
    return {{"name", model.name},
            {"hash", model.hash},
            {"family", model.family},
            {"labels", model.labels},
            {"parameters", model.parameters},
            {"longest_text", model.longest_text},
            {"licence", text_or_null(model.licence)},
            {"source", text_or_null(model.source)},
            {"added_at", text_or_null(model.added_at)},
            {"proofs", std::move(proofs)},
            {"accuracies", std::move(accuracies)},
            {"devices", std::move(devices)}};
}

bool is_ready(const queue::DeviceStatus& device) {
    return device.state == "ready" || device.state == "busy";
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

json models_json(const std::vector<queue::DeviceStatus>& devices, const std::string& usual) {
    std::vector<Offer> offers;
    std::vector<std::string> texts;
    auto hosts = json::array();
    for (const auto& device : devices) {
        if (!is_ready(device)) continue;
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
    const bool is_there = std::ranges::find(models, usual, &Manifest::name) != models.end();
    return {{"default", is_there ? usual : kVader}, {"items", std::move(items)}};
}

awaitable<Outcome<Response>> list_models(queue::JobStore& jobs, std::string usual) {
    const auto devices = co_await jobs.devices();
    if (!devices) co_return tl::unexpected<http::Problem>(devices.error());
    co_return http::json_response(200, models_json(*devices, usual));
}

}  // namespace

std::vector<Manifest> models_of(const std::vector<queue::DeviceStatus>& devices) {
    std::vector<std::string> texts;
    for (const auto& device : devices) {
        if (is_ready(device)) texts.push_back(queue::offers_of(device));
    }
    return models_of(texts);
}

void add_operations(http::Handlers& handlers, Services services) {
    handlers["listModels"] = [&jobs = services.jobs, usual = usual_model(services.settings)](
                                 const Call& /*call*/) { return list_models(jobs, usual); };
    add_model_use(handlers, services);
    add_scores(handlers, services);
    add_policy_report(handlers, services);
    add_policies(handlers, std::move(services));
}

}  // namespace plimsoll::jobs::sentiment
