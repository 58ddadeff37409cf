#pragma once

#include "server/jobs/registry.hpp"
#include "server/planning/planner.hpp"
#include "server/postgres/cluster/embedded_settings.hpp"
#include "server/postgres/database.hpp"
#include "tests/conformance/cluster/cluster.hpp"

#include <span>
#include <string>
#include <utility>

#include <boost/asio/thread_pool.hpp>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace plimsoll::planning {

// A planner whose pool has the devices that a test adds.
class PlanningCase : public testing::Test {
  protected:
    explicit PlanningCase(std::span<const jobs::Contract> kinds = jobs::contracts())
        : planner_(server_.stores().datasets, kinds,
                   {server_.stores().records, server_.stores().jobs, {}, std::chrono::hours(1)},
                   pool_) {
        server_.start();
    }
    ~PlanningCase() override { server_.stop(); }

    void add_device(const std::string& node, const std::string& device,
                    const std::string& device_class, const std::string& state,
                    const nlohmann::json& capability = nlohmann::json::object(),
                    std::chrono::minutes ago = {}) {
        const nlohmann::json info = {{"name", device}, {"capability", capability}};
        database_.execute("select plimsoll.register_worker('" + node + "', '" + device + "', '" +
                          device_class + "', '{}', '{}', 12::smallint, 1, $$" + info.dump() +
                          "$$, '{}'); update plimsoll.worker set state = '" + state +
                          "', seen_at = now() - interval '" + std::to_string(ago.count()) +
                          " minutes' where node = '" + node + "'");
    }
    template <class T>
    T run(boost::asio::awaitable<T> call) {
        return conformance::await(io_, std::move(call));
    }
    tl::expected<Planned, Refusal> plan(std::string_view kind, const nlohmann::json& args) {
        return run(planner_.plan({1}, {*planner_.kind(kind), args}));
    }

    conformance::TestDatabase database_;
    boost::asio::io_context io_{1};
    boost::asio::thread_pool pool_{1};
    postgres::ServerDatabase server_{io_.get_executor(), database_.as(postgres::kAppRole)};
    Planner planner_;
};

}  // namespace plimsoll::planning
