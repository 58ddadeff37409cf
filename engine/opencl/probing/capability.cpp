#include "engine/opencl/probing/capability.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include <nlohmann/json.hpp>

namespace plimsoll::opencl {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::array kStates{DeviceState::ready, DeviceState::failed, DeviceState::crashed,
                             DeviceState::hung};
constexpr std::array kTypes{DeviceType::cpu, DeviceType::gpu, DeviceType::accelerator,
                            DeviceType::other};

template <class Values>
auto named(const Values& values, const std::string& name) {
    for (const auto value : values) {
        if (to_string(value) == name) return value;
    }
    throw std::invalid_argument("unknown name " + name);
}

Json json_of(const SelfTest& test) {
    return {{"name", test.name},
            {"passed", test.passed()},
            {"max_error", test.max_error},
            {"tolerance", test.tolerance},
            {"failure", test.failure}};
}

Json json_of(const Capability& capability) {
    const auto& info = capability.info;
    Json tests = Json::array();
    Json proven = Json::array();
    Json features = Json::array();
    for (const auto& test : capability.tests) {
        tests.push_back(json_of(test));
        if (test.passed()) proven.push_back(test.name);
    }
    for (const auto& test : capability.features) {
        features.push_back(json_of(test));
        if (test.passed()) proven.push_back(test.name);
    }
    return {{"device", to_string(info.address)},
            {"state", to_string(capability.state)},
            {"reason", capability.reason},
            {"platform", info.platform},
            {"platform_version", info.platform_version},
            {"name", info.name},
            {"vendor", info.vendor},
            {"driver_version", info.driver_version},
            {"device_version", info.device_version},
            {"type", to_string(info.type)},
            {"processor_class", info.processor_class},
            {"compute_units", info.compute_units},
            {"max_work_group_size", info.max_work_group_size},
            {"local_memory_bytes", info.local_memory_bytes},
            {"max_allocation_bytes", info.max_allocation_bytes},
            {"memory_bytes", info.memory.bytes ? Json(*info.memory.bytes) : Json()},
            {"memory_source", info.memory.source},
            {"driver_memory_bytes", info.driver_memory_bytes},
            {"capabilities", proven},
            {"self_tests", tests},
            {"features", features}};
}

// Names come from drivers: invalid UTF-8 must not prevent the report.
std::string text_of(const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

SelfTest test_of(const Json& json) {
    return {json.at("name").get<std::string>(), json.at("max_error").get<double>(),
            json.at("tolerance").get<double>(), json.at("failure").get<std::string>()};
}

// nlohmann's getters throw on a missing key or a wrong type; caught once below.
Capability capability_of(const Json& json) {
    const auto text = [&](const char* key) { return json.at(key).get<std::string>(); };
    const auto number = [&](const char* key) { return json.at(key).get<std::uint64_t>(); };
    const auto address = parse_device_address(text("device"));
    if (!address) throw std::invalid_argument(address.error().message);
    Capability capability;
    capability.state = named(kStates, text("state"));
    capability.reason = text("reason");
    capability.info = {.address = *address,
                       .platform = text("platform"),
                       .platform_version = text("platform_version"),
                       .name = text("name"),
                       .vendor = text("vendor"),
                       .driver_version = text("driver_version"),
                       .device_version = text("device_version"),
                       .type = named(kTypes, text("type")),
                       .compute_units = json.at("compute_units").get<std::uint32_t>(),
                       .max_work_group_size = number("max_work_group_size"),
                       .local_memory_bytes = number("local_memory_bytes"),
                       .max_allocation_bytes = number("max_allocation_bytes"),
                       .memory = {{}, text("memory_source")},
                       .driver_memory_bytes = number("driver_memory_bytes"),
                       .processor_class = text("processor_class")};
    if (!json.at("memory_bytes").is_null()) capability.info.memory.bytes = number("memory_bytes");
    for (const auto& test : json.at("self_tests")) capability.tests.push_back(test_of(test));
    for (const auto& test : json.at("features")) capability.features.push_back(test_of(test));
    return capability;
}

}  // namespace

bool Capability::has(Feature feature) const {
    return std::ranges::any_of(features, [&](const SelfTest& test) {
        return test.name == to_string(feature) && test.passed();
    });
}

void Capability::name_processor_class() {
    if (has(Feature::avx512_vnni)) info.processor_class = "AVX512-VNNI";
    if (has(Feature::avx512_bf16)) info.processor_class = "AVX512-BF16";
    if (has(Feature::amx_bf16)) info.processor_class = "AMX";
}

std::string_view to_string(DeviceState state) {
    switch (state) {
        case DeviceState::ready:
            return "ready";
        case DeviceState::failed:
            return "failed";
        case DeviceState::crashed:
            return "crashed";
        case DeviceState::hung:
            return "hung";
    }
    return "failed";
}

std::string to_json(const Capability& capability) {
    return text_of(json_of(capability));
}

std::string to_json(const ProbeReport& report) {
    Json devices = Json::array();
    for (const auto& capability : report.devices) devices.push_back(json_of(capability));
    return text_of({{"devices", devices}, {"problems", report.problems}});
}

Result<Capability> capability_from_json(std::string_view text) {
    try {
        return capability_of(Json::parse(text));
    } catch (const std::exception& e) {
        return fail(Errc::corrupt, std::string("Not a device record: ") + e.what());
    }
}

Result<ProbeReport> probe_report_from_json(std::string_view text) {
    try {
        const auto json = Json::parse(text);
        ProbeReport report;
        for (const auto& device : json.at("devices")) {
            report.devices.push_back(capability_of(device));
        }
        report.problems = json.at("problems").get<std::vector<std::string>>();
        return report;
    } catch (const std::exception& e) {
        return fail(Errc::corrupt, std::string("Not a probe report: ") + e.what());
    }
}

}  // namespace plimsoll::opencl
