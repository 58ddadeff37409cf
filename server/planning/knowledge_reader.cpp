#include "server/planning/knowledge_reader.hpp"

#include "server/base/offload.hpp"

#include <numeric>
#include <utility>

namespace plimsoll::planning {

using boost::asio::awaitable;
using nlohmann::json;

namespace {

constexpr std::chrono::seconds kRecent{1};

// The arguments with the class of the device that they name. The job waits for a device that is not
// connected, as it does for a class.
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

awaitable<Result<std::vector<KnowledgeReader::Outcome>>> KnowledgeReader::decide(
    TeamId team, std::span<const Arguments> all, Work work, boost::asio::thread_pool* pool) const {
    std::vector<Outcome> outcomes(all.size());
    std::vector<std::size_t> open(all.size());
    std::iota(open.begin(), open.end(), 0);
    for (bool anew = false; !open.empty(); anew = true) {
        auto facts = co_await read(team, all, anew);
        if (!facts) co_return fail(std::move(facts.error()));
        const auto decide_one = [&](std::size_t place) -> Outcome {
            const auto& [kind, args, start] = all[place];
            auto& known = facts->kinds.at(&kind);
            known.at = start.value_or(SystemClock().now());
            if (!args.contains("device")) return work(place, args, known);
            const auto placed = with_class_of_device(args, facts->pool->classes);
            return placed ? work(place, *placed, known) : tl::unexpected(placed.error());
        };
        const auto decide_open = [&] {
            for (const auto place : open) outcomes[place] = decide_one(place);
        };
        if (pool != nullptr) {
            co_await offload(*pool, decide_open);
        } else {
            decide_open();
        }
        std::erase_if(open, [&](std::size_t place) {
            return outcomes[place].has_value() || !facts->is_recent;
        });
    }
    co_return outcomes;
}

awaitable<Result<KnowledgeReader::Facts>> KnowledgeReader::read(TeamId team,
                                                                std::span<const Arguments> all,
                                                                bool anew) const {
    std::map<const jobs::Contract*, jobs::Needs> needed;
    bool needs_pool = false;
    for (const auto& one : all) {
        auto& needs = needed[&one.kind];
        if (one.kind.needs != nullptr) {
            auto more = one.kind.needs(one.args);
            needs.pool = needs.pool || more.pool;
            needs.collections.merge(more.collections);
        }
        needs_pool = needs_pool || needs.pool || one.args.contains("device");
    }
    Facts facts;
    bool has_records = false;
    for (const auto& [kind, needs] : needed) {
        auto& known = facts.kinds[kind];
        known.team = team;
        known.settings = &settings_;
        for (const auto& collection : kind->collections) {
            if (!needs.collections.contains(collection.name)) continue;
            auto records = co_await records_.list(collection, team, {.limit = collection.planning});
            if (!records) co_return fail(std::move(records.error()));
            known.records.emplace(collection.name, std::move(*records));
            has_records = true;
        }
    }
    if (!needs_pool) co_return facts;
    // Otherwise every submit that needs no records would cost one more query. Offers change with
    // heartbeats, so those of the last second suffice, unless they lead to a refusal.
    facts.is_recent = !anew && !has_records && last_pool_ != nullptr &&
                      std::chrono::steady_clock::now() - last_pool_->read_at < kRecent;
    if (!facts.is_recent) {
        if (auto read = co_await read_pool(); !read) co_return fail(std::move(read.error()));
    }
    facts.pool = last_pool_;
    for (auto& [kind, known] : facts.kinds) {
        if (!needed.at(kind).pool) continue;
        known.devices = facts.pool->gpus;
        known.offers = facts.pool->offers;
        known.absent_offers = facts.pool->absent_offers;
    }
    co_return facts;
}

awaitable<Result<void>> KnowledgeReader::read_pool() const {
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
