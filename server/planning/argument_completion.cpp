#include "server/planning/argument_completion.hpp"

#include <algorithm>

namespace plimsoll::planning {

using boost::asio::awaitable;
using nlohmann::json;

namespace {

constexpr std::chrono::seconds kRecent{1};

}  // namespace

awaitable<Result<ArgumentCompletion::SharedPool>> ArgumentCompletion::read_pool() const {
    const auto devices = co_await jobs_.devices();
    if (!devices) co_return fail(devices.error());
    auto pool = std::make_shared<Pool>();
    pool->read_at = std::chrono::steady_clock::now();
    const auto now = SystemClock().now();
    for (const auto& device : *devices) {
        if (may_come_back(device, now)) {
            if (auto offers = queue::offers_of(device); !offers.empty()) {
                pool->absent_offers.push_back(std::move(offers));
            }
        }
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

ArgumentCompletion::Names ArgumentCompletion::collections_for(const jobs::Contract& kind,
                                                              const json& args) {
    Names names;
    for (const auto& collection : kind.collections) {
        if (kind.needs_records == nullptr || kind.needs_records(args, collection.name)) {
            names.insert(collection.name);
        }
    }
    return names;
}

awaitable<Result<void>> ArgumentCompletion::read_records(TeamId team, const jobs::Contract& kind,
                                                         Names collections,
                                                         jobs::Knowledge& into) const {
    for (const auto& collection : kind.collections) {
        if (!collections.contains(collection.name)) continue;
        auto records = co_await records_.list(collection, team, {}, collection.completing);
        if (!records) co_return fail(std::move(records.error()));
        into.records.emplace(collection.name, std::move(*records));
    }
    co_return Result<void>();
}

awaitable<Result<jobs::Knowledge>> ArgumentCompletion::knowledge(TeamId team,
                                                                 const jobs::Contract& kind,
                                                                 Names collections) const {
    jobs::Knowledge known;
    known.team = team;
    known.settings = &settings_;
    known.at = SystemClock().now();
    if (auto read = co_await read_records(team, kind, std::move(collections), known); !read) {
        co_return fail(std::move(read.error()));
    }
    const auto pool = co_await read_pool();
    if (!pool) co_return fail(pool.error());
    known.devices = (*pool)->gpus;
    known.offers = (*pool)->offers;
    known.absent_offers = (*pool)->absent_offers;
    co_return known;
}

awaitable<tl::expected<json, Refusal>> ArgumentCompletion::complete(
    TeamId team, const jobs::Contract& kind, const json& args,
    std::optional<Timestamp> start) const {
    jobs::Knowledge known;
    known.team = team;
    known.settings = &settings_;
    known.at = start.value_or(SystemClock().now());
    auto read = co_await read_records(team, kind, collections_for(kind, args), known);
    if (!read) co_return tl::unexpected<Refusal>(std::move(read.error()));
    // Otherwise every submit that needs no records would cost one more query. Offers change with
    // heartbeats, so those of the last second suffice, unless they lead to a refusal.
    auto pool = last_pool_;
    bool recent = known.records.empty() && pool != nullptr &&
                  std::chrono::steady_clock::now() - pool->read_at < kRecent;
    for (;; recent = false) {
        if (!recent) {
            auto current = co_await read_pool();
            if (!current) co_return tl::unexpected<Refusal>(current.error());
            pool = std::move(*current);
        }
        known.devices = pool->gpus;
        known.offers = pool->offers;
        known.absent_offers = pool->absent_offers;
        auto completed = kind.complete(args, known);
        if (completed) co_return std::move(*completed);
        if (!recent) co_return tl::unexpected<Refusal>(completed.error());
    }
}

awaitable<tl::expected<json, Refusal>> ArgumentCompletion::with_class_of_device(
    const json& args) const {
    const auto devices = co_await jobs_.devices();
    if (!devices) co_return tl::unexpected<Refusal>(devices.error());
    co_return with_class_of_device(args, *devices);
}

tl::expected<json, Refusal> ArgumentCompletion::with_class_of_device(
    const json& args, const std::vector<queue::DeviceStatus>& devices) {
    const auto& name = args.at("device").get_ref<const std::string&>();
    const auto found = std::ranges::find_if(
        devices, [&](const auto& device) { return device.node + "/" + device.device == name; });
    if (found == devices.end()) {
        return tl::unexpected<Refusal>(jobs::FieldErrors{
            {"/device", "unknown_device",
             "There is no device \"" + name + "\": use node/device from GET /v1/devices."}});
    }
    json settled = args;
    if (settled.value("device_class", found->device_class) != found->device_class) {
        return tl::unexpected<Refusal>(jobs::FieldErrors{
            {"/device_class", "other_class",
             "The device is of class " + found->device_class + ": omit device_class."}});
    }
    settled["device_class"] = found->device_class;
    return settled;
}

}  // namespace plimsoll::planning
