#include "server/planning/argument_completion.hpp"

#include "server/base/offload.hpp"

#include <numeric>
#include <set>
#include <string_view>

namespace plimsoll::planning {

using boost::asio::awaitable;
using nlohmann::json;

namespace {

constexpr std::chrono::seconds kRecent{1};

bool leaves_something(const Arguments& one) {
    return one.kind.complete != nullptr &&
           (one.kind.is_complete == nullptr || !one.kind.is_complete(one.args));
}

// The job waits for a device that is not connected, as it does for a class.
template <class Classes>
tl::expected<json, Refusal> with_class_of_device(const json& args, const Classes& classes) {
    const auto& name = args.at("device").get_ref<const std::string&>();
    const auto found = classes.find(name);
    if (found == classes.end()) {
        return tl::unexpected<Refusal>(jobs::FieldErrors{
            {"/device", "unknown_device",
             "There is no device \"" + name + "\": use node/device from GET /v1/devices."}});
    }
    const auto& device_class = found->second;
    if (args.value("device_class", device_class) != device_class) {
        return tl::unexpected<Refusal>(
            jobs::FieldErrors{{"/device_class", "other_class",
                               "The device is of class " + device_class + ": omit device_class."}});
    }
    json placed = args;
    placed["device_class"] = device_class;
    return placed;
}

}  // namespace

awaitable<Result<void>> ArgumentCompletion::complete(TeamId team, std::span<const Arguments> all,
                                                     Then then,
                                                     boost::asio::thread_pool* pool) const {
    std::vector<std::size_t> open(all.size());
    std::iota(open.begin(), open.end(), 0);
    for (bool anew = false; !open.empty(); anew = true) {
        auto facts = co_await read(team, all, anew);
        if (!facts) co_return fail(std::move(facts.error()));
        std::vector<std::size_t> refused;
        const auto complete_open = [&] {
            for (const auto place : open) {
                auto completed = complete_one(*facts, all[place]);
                if (!completed && facts->is_recent) {
                    refused.push_back(place);
                } else {
                    then(place, std::move(completed));
                }
            }
        };
        if (pool != nullptr) {
            co_await offload(*pool, complete_open);
        } else {
            complete_open();
        }
        open = std::move(refused);
    }
    co_return Result<void>();
}

Completed ArgumentCompletion::complete_one(Facts& facts, const Arguments& one) {
    std::optional<json> placed;
    if (one.args.contains("device")) {
        auto found = with_class_of_device(one.args, facts.pool->classes);
        if (!found) return tl::unexpected(std::move(found.error()));
        placed = std::move(*found);
    }
    if (!leaves_something(one)) return placed;
    auto& known = facts.kinds.at(&one.kind);
    known.at = one.start.value_or(SystemClock().now());
    auto completed = one.kind.complete(placed ? std::move(*placed) : one.args, known);
    if (!completed) return tl::unexpected<Refusal>(std::move(completed.error()));
    return std::move(*completed);
}

awaitable<Result<ArgumentCompletion::Facts>> ArgumentCompletion::read(
    TeamId team, std::span<const Arguments> all, bool anew) const {
    std::map<const jobs::Contract*, std::set<std::string_view>> needed;  // with which collections
    bool needs_pool = false;
    for (const auto& one : all) {
        needs_pool = needs_pool || one.args.contains("device");
        if (!leaves_something(one)) continue;
        needs_pool = true;
        auto& collections = needed[&one.kind];
        for (const auto& collection : one.kind.collections) {
            if (one.kind.needs_records == nullptr ||
                one.kind.needs_records(one.args, collection.name)) {
                collections.insert(collection.name);
            }
        }
    }
    Facts facts;
    if (!needs_pool) co_return facts;
    bool has_records = false;
    for (const auto& [kind, collections] : needed) {
        auto& known = facts.kinds[kind];
        known.team = team;
        known.settings = &settings_;
        for (const auto& collection : kind->collections) {
            if (!collections.contains(collection.name)) continue;
            auto records =
                co_await records_.list(collection, team, {.limit = collection.completing});
            if (!records) co_return fail(std::move(records.error()));
            known.records.emplace(collection.name, std::move(*records));
            has_records = true;
        }
    }
    // Otherwise every submit that needs no records would cost one more query. Offers change with
    // heartbeats, so those of the last second suffice, unless they lead to a refusal.
    facts.is_recent = !anew && !has_records && last_pool_ != nullptr &&
                      std::chrono::steady_clock::now() - last_pool_->read_at < kRecent;
    if (!facts.is_recent) {
        if (auto read = co_await read_pool(); !read) co_return fail(std::move(read.error()));
    }
    facts.pool = last_pool_;
    for (auto& [kind, known] : facts.kinds) {
        known.devices = facts.pool->gpus;
        known.offers = facts.pool->offers;
        known.absent_offers = facts.pool->absent_offers;
    }
    co_return facts;
}

awaitable<Result<void>> ArgumentCompletion::read_pool() const {
    const auto devices = co_await jobs_.devices();
    if (!devices) co_return fail(devices.error());
    const auto pool = std::make_shared<Pool>();
    pool->read_at = std::chrono::steady_clock::now();
    const auto now = SystemClock().now();
    for (const auto& device : *devices) {
        pool->classes.emplace(device.node + "/" + device.device, device.device_class);
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
    co_return Result<void>();
}

}  // namespace plimsoll::planning
