#include "server/planning/argument_completion.hpp"

#include <algorithm>

namespace plimsoll::planning {

using boost::asio::awaitable;
using nlohmann::json;

namespace {

constexpr std::chrono::seconds kRecent{1};

bool is_ready(const queue::DeviceStatus& device) {
    return device.state == "ready" || device.state == "busy";
}

}  // namespace

awaitable<Result<ArgumentCompletion::SharedPool>> ArgumentCompletion::read_pool() const {
    const auto devices = co_await jobs_.devices();
    if (!devices) co_return fail(devices.error());
    auto pool = std::make_shared<Pool>();
    pool->read_at = std::chrono::steady_clock::now();
    for (const auto& device : *devices) {
        if (!is_ready(device)) continue;
        if (device.device_class == "gpu") {
            pool->gpus.push_back({device.node, device.name, device.memory_bytes});
        }
        if (auto offers = queue::offers_of(device); !offers.empty()) {
            pool->offers.push_back(std::move(offers));
        }
    }
    last_pool_ = pool;
    co_return pool;
}

awaitable<tl::expected<json, Refusal>> ArgumentCompletion::complete(TeamId team,
                                                                    const jobs::Contract& kind,
                                                                    const json& args) const {
    jobs::Knowledge knowledge;
    for (const auto& collection : kind.collections) {
        auto records = co_await records_.list(collection, team, {}, collection.completing);
        if (!records) co_return tl::unexpected<Refusal>(records.error());
        knowledge.records.emplace(collection.name, std::move(*records));
    }
    // Every submit of a kind that keeps nothing would cost a query more. Offers change with
    // heartbeats, so those of the last second will do, unless they lead to a refusal.
    auto pool = last_pool_;
    bool recent = kind.collections.empty() && pool != nullptr &&
                  std::chrono::steady_clock::now() - pool->read_at < kRecent;
    for (;; recent = false) {
        if (!recent) {
            auto read = co_await read_pool();
            if (!read) co_return tl::unexpected<Refusal>(read.error());
            pool = std::move(*read);
        }
        knowledge.devices = pool->gpus;
        knowledge.offers = pool->offers;
        auto completed = kind.complete(args, knowledge);
        if (completed) co_return std::move(*completed);
        if (!recent) co_return tl::unexpected<Refusal>(completed.error());
    }
}

awaitable<tl::expected<json, Refusal>> ArgumentCompletion::with_class_of_device(
    const json& args) const {
    const auto& name = args.at("device").get_ref<const std::string&>();
    const auto devices = co_await jobs_.devices();
    if (!devices) co_return tl::unexpected<Refusal>(devices.error());
    const auto found = std::ranges::find_if(
        *devices, [&](const auto& device) { return device.node + "/" + device.device == name; });
    if (found == devices->end()) {
        co_return tl::unexpected<Refusal>(jobs::FieldErrors{
            {"/device", "unknown_device",
             "There is no device \"" + name + "\": name one of GET /v1/devices as node/device."}});
    }
    json settled = args;
    if (settled.value("device_class", found->device_class) != found->device_class) {
        co_return tl::unexpected<Refusal>(jobs::FieldErrors{
            {"/device_class", "other_class",
             "The device is of class " + found->device_class + ": leave the class out."}});
    }
    settled["device_class"] = found->device_class;
    co_return settled;
}

}  // namespace plimsoll::planning
