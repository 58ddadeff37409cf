#include "engine/opencl/probing/capability.hpp"

#include "engine/base/json.hpp"

#include <algorithm>

template <>
struct nlohmann::adl_serializer<plimsoll::opencl::DeviceAddress> {
    static void to_json(json& to, const plimsoll::opencl::DeviceAddress& address) {
        to = to_string(address);
    }
    static void from_json(const json& from, plimsoll::opencl::DeviceAddress& address) {
        const auto parsed = plimsoll::opencl::parse_device_address(from.get<std::string_view>());
        if (!parsed) throw json::type_error::create(302, parsed.error().message, &from);
        address = *parsed;
    }
};

namespace plimsoll::opencl {
namespace {

// Names come from drivers: invalid UTF-8 must not prevent the report.
std::string text_of(const json& json) {
    return json.dump(-1, ' ', false, json::error_handler_t::replace);
}

template <class Record>
Result<Record> parsed(std::string_view text, const char* what) try {
    return json::parse(text).get<Record>();
} catch (const json::exception& e) {
    return fail(Errc::corrupt, std::string("Not a ") + what + ": " + e.what());
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

std::vector<std::string> Capability::proven() const {
    std::vector<std::string> names;
    for (const auto* all : {&tests, &features})
        for (const auto& test : *all)
            if (test.passed()) names.push_back(test.name);
    return names;
}

std::string to_json(const Capability& capability) { return text_of(capability); }

std::string to_json(const ProbeReport& report) { return text_of(report); }

Result<Capability> capability_from_json(std::string_view text) {
    return parsed<Capability>(text, "device record");
}

Result<ProbeReport> probe_report_from_json(std::string_view text) {
    return parsed<ProbeReport>(text, "probe report");
}

}  // namespace plimsoll::opencl
