#include "tests/unit/server/http/live/live_server.hpp"

namespace plimsoll::http::test {
namespace {

using nlohmann::json;

class DeviceEndpoints : public LiveServer {
  protected:
    // A device of node-b beside the host of node-a.
    void add_device(const std::string& device, const std::string& device_class, const json& info,
                    const std::string& telemetry = "") {
        execute("select plimsoll.register_worker('node-b', '" + device + "', '" + device_class +
                "', '{}', '{}', 12::smallint, 1, $$" + info.dump() +
                "$$, '{}'); update plimsoll.worker set telemetry = nullif($$" + telemetry +
                "$$, '')::json, seen_at = seen_at + interval '1 day' where node = 'node-b'");
    }
    void set_state(const std::string& state) {
        execute("update plimsoll.worker set state = '" + state + "' where node = 'node-b'");
    }
};

TEST_F(DeviceEndpoints, ListsDevices) {
    EXPECT_EQ(call("listDevices", {"GET", "/v1/devices", identity_.vera}).json().at("items").size(),
              1u);
}

TEST_F(DeviceEndpoints, SystemAdminsRequestACleanup) {
    const auto path = std::string("/v1/devices/node-a/host/cleanup");
    EXPECT_EQ(call({"POST", path, identity_.tom}).status, 403);
    const auto asked = call("cleanUpDevice", {"POST", path, identity_.ada});
    ASSERT_EQ(asked.status, 202) << asked.body;
    EXPECT_EQ(asked.json()["device"], "host");
    EXPECT_EQ(execute("select count(*) from plimsoll.device_cleanup"), "1");
    EXPECT_EQ(call({"POST", "/v1/devices/node-x/host/cleanup", identity_.ada}).status, 404);
    add_device("opencl:pocl:0", "cpu", {{"name", "a processor"}});
    set_state("retired");
    EXPECT_EQ(call({"POST", "/v1/devices/node-b/opencl:pocl:0/cleanup", identity_.ada}).status,
              409);
}

TEST_F(DeviceEndpoints, ACleanUpIsReported) {
    add_device("opencl:pocl:0", "cpu", {{"name", "a processor"}});
    call("cleanUpDevice", {"POST", "/v1/devices/node-b/opencl:pocl:0/cleanup", identity_.ada});
    const auto cleanup = [&] {
        return call("listDevices", {"GET", "/v1/devices", identity_.vera})
            .json()["items"][1]["cleanup"];
    };
    EXPECT_TRUE(call("listDevices", {"GET", "/v1/devices", identity_.vera})
                    .json()["items"][1]["capability"]
                    .is_null());
    EXPECT_EQ(cleanup()["state"], "pending");
    EXPECT_TRUE(cleanup()["freed_bytes"].is_null());
    execute(R"(update plimsoll.device_cleanup
        set ended_at = now(), result = '{"kept_bytes": 4096, "freed_bytes": -1000}')");
    EXPECT_EQ(cleanup()["state"], "done");
    EXPECT_EQ(cleanup()["kept_bytes"], 4096);
    EXPECT_EQ(cleanup()["freed_bytes"], -1000);
}

TEST_F(DeviceEndpoints, ADeviceShowsItsReadingsAndWarnings) {
    add_device("opencl:nvidia:0", "gpu",
               json::parse(R"({"name":"NVIDIA H200","copy_mode":"second_queue",
            "capability":{"driver_version":"550.54.15","compute_units":132,"processor_class":"Hopper",
            "capabilities":["fp32_fma","mma_bf16"],
            "features":[{"name":"fp16","passed":false,"failure":"It did not build.\nerror: 1"}]}})"),
               R"({"claims":3,"device":{"utilization_percent":97,
            "memory_total_bytes":83886080000,"memory_free_bytes":20971520000,
            "temperature_celsius":71,"power_watts":null,
            "warnings":[{"code":"utilization","message":"Busy."}]}})");
    const auto device =
        call("listDevices", {"GET", "/v1/devices", identity_.vera}).json()["items"][1];
    EXPECT_EQ(device["copy_mode"], "second_queue");
    EXPECT_EQ(device["processor_class"], "Hopper");
    EXPECT_EQ(device["capability"]["compute_units"], 132);
    EXPECT_EQ(device["capability"]["self_tests_passed"], json::array({"fp32_fma", "mma_bf16"}));
    EXPECT_EQ(device["capability"]["self_tests_failed"][0]["failure"], "It did not build.");
    EXPECT_TRUE(device["capability"]["platform"].is_null()) << "not told";
    EXPECT_EQ(device["telemetry"]["temperature_celsius"], 71);
    EXPECT_TRUE(device["telemetry"]["power_watts"].is_null());
    EXPECT_TRUE(device["telemetry"]["fault"].is_null()) << "an older worker does not tell it";
    EXPECT_EQ(device["warnings"][0]["message"], "Busy.");

    const auto get = [&] {
        return call("getDeviceHealth", {"GET", "/v1/health", identity_.vera}).json();
    };
    auto health = get();
    EXPECT_EQ(health["status"], "degraded");
    EXPECT_EQ(health["gpu"]["gpu_name"], "NVIDIA H200");
    EXPECT_EQ(health["gpu"]["vram_used_mb"], 60'000);
    EXPECT_EQ(health["gpu"]["vram_utilization_pct"], 75.0);
    EXPECT_EQ(health["gpu"]["driver_version"], "550.54.15");
    EXPECT_EQ(health["devices"].size(), 2u);

    set_state("failed");
    health = get();
    EXPECT_FALSE(health["gpu"]["gpu_available"]);
    EXPECT_TRUE(health["gpu"]["temperature_c"].is_null()) << "what it last said is no news";
    EXPECT_EQ(health["status"], "degraded");

    set_state("retired");
    health = get();
    EXPECT_EQ(health["status"], "ok");
    EXPECT_EQ(health["gpu"], json({{"healthy", true}, {"gpu_available", false}}));
    EXPECT_TRUE(health["warnings"].empty());

    execute(R"(insert into plimsoll.vacuum_horizon (holder, position, detail, since)
        values ('replication_log', 0, 'standby', now() - interval '600 s'), ('session', 0, 'young', now() - interval '50 s'))");
    health = get();
    EXPECT_EQ(health["status"], "degraded");
    ASSERT_EQ(health["warnings"].size(), 1u);
    EXPECT_EQ(health["warnings"][0]["code"], "wal_retained");
    EXPECT_EQ(health["warnings"][0]["detail"],
              "The replication slot standby has not been read for 10 min. Until it is read or "
              "dropped, PostgreSQL retains its write-ahead log and the disk fills up.");
}

TEST_F(DeviceEndpoints, MembersOfUnexpectedTypesAreIgnored) {
    add_device("opencl:other:0", "gpu",
               {{"capability",
                 json::parse(R"({"driver_version":550,"platform":["a"],"compute_units":"many",
            "capabilities":["fp32_fma",7],"self_tests":{"passed":false},
            "features":["fp16",{"name":3,"passed":false,"failure":null},{"passed":"no"}]})")}},
               R"({"device":{"utilization_percent":"97","memory_total_bytes":"all",
            "memory_free_bytes":{},"warnings":[3,{"code":7}]}})");
    const auto device =
        call("listDevices", {"GET", "/v1/devices", identity_.vera}).json()["items"][1];
    EXPECT_TRUE(device["capability"]["driver_version"].is_null());
    EXPECT_TRUE(device["processor_class"].is_null());
    EXPECT_TRUE(device["capability"]["compute_units"].is_null());
    EXPECT_EQ(device["capability"]["self_tests_passed"], json::array({"fp32_fma"}));
    EXPECT_EQ(device["capability"]["self_tests_failed"],
              json::array({json({{"name", ""}, {"failure", ""}})}));
    EXPECT_TRUE(device["telemetry"]["utilization_percent"].is_null());
    const auto health = call("getDeviceHealth", {"GET", "/v1/health", identity_.vera}).json();
    EXPECT_TRUE(health["gpu"]["driver_version"].is_null());
    execute(
        R"(update plimsoll.worker set info = '{"capability":{"capabilities":"all"}}' where node = 'node-b')");
    EXPECT_EQ(call("listDevices", {"GET", "/v1/devices", identity_.vera})
                  .json()["items"][1]["capability"]["self_tests_passed"],
              json::array());
}

}  // namespace
}  // namespace plimsoll::http::test
