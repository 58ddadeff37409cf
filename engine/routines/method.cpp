#include "engine/routines/method.hpp"

#include "engine/kernels/embedded.hpp"

#include <array>

namespace plimsoll::routines {
namespace {

// Rows per work-group on processors; fixed, since drivers recompile for every size.
constexpr std::size_t kBlockRows = 16;
constexpr std::size_t kGroupItems = 64;

struct MethodFacts {
    std::string_view name;
    Form form;
    Flavour flavour;
};

// By Method.
constexpr std::array kMethods{MethodFacts{"block_fp32", Form::fp32, Flavour::block},
                              MethodFacts{"block_bf16", Form::bf16, Flavour::block},
                              MethodFacts{"block_amx", Form::bf16, Flavour::block},
                              MethodFacts{"block_int8", Form::int8, Flavour::block},
                              MethodFacts{"block_int8_avx2", Form::int8, Flavour::block},
                              MethodFacts{"group_fp32", Form::fp32, Flavour::group},
                              MethodFacts{"group_mma", Form::bf16, Flavour::group}};

const MethodFacts& method_facts_of(Method method) {
    return kMethods.at(static_cast<std::size_t>(method));
}

struct Needed {
    Method method;
    std::optional<opencl::Feature> feature;
};

// What methods need of a device.
constexpr std::array kByUsualSpeed{Needed{Method::block_amx, opencl::Feature::amx_bf16},
                                   Needed{Method::block_bf16, opencl::Feature::avx512_bf16},
                                   Needed{Method::block_int8, opencl::Feature::avx512_vnni},
                                   Needed{Method::block_int8_avx2, opencl::Feature::avx2},
                                   Needed{Method::block_fp32, std::nullopt},
                                   Needed{Method::group_mma, opencl::Feature::mma_bf16},
                                   Needed{Method::group_fp32, std::nullopt}};

constexpr std::array<std::string_view, 3> kForms{"fp32", "bf16", "int8"};

}  // namespace

Flavour flavour_for(const opencl::DeviceInfo& info) {
    return info.type == opencl::DeviceType::cpu ? Flavour::block : Flavour::group;
}

std::string row_source(const std::vector<std::string_view>& names) {
    std::string source(kernels::source("vector_math"));
    source += kernels::source("rows");
    for (const auto name : names) source += kernels::source(name);
    return source;
}

std::string row_options(Flavour flavour) {
    if (flavour == Flavour::block) return "-DWIDTH=16 -DGROUP_FLAVOUR=0";
    return "-DWIDTH=1 -DGROUP_FLAVOUR=1 -DGROUP=" + std::to_string(kGroupItems);
}

Result<const opencl::Kernel*> row_kernel(opencl::Programs& programs, Flavour flavour,
                                         const std::string& name, const std::string& options) {
    return programs.get(name, row_options(flavour) + " " + options,
                        [&] { return row_source({name}); });
}

opencl::Range row_range(Flavour flavour, std::size_t rows) {
    if (flavour == Flavour::block) return {rows, kBlockRows};
    return {rows * kGroupItems, kGroupItems};
}

std::string_view to_string(Form form) { return kForms.at(static_cast<std::size_t>(form)); }

std::optional<Form> parse_form(std::string_view name) {
    for (std::size_t i = 0; i < kForms.size(); ++i)
        if (kForms.at(i) == name) return static_cast<Form>(i);
    return std::nullopt;
}

std::string_view to_string(Method method) { return method_facts_of(method).name; }

std::optional<Method> parse_method(std::string_view name) {
    for (std::size_t i = 0; i < kMethods.size(); ++i)
        if (kMethods.at(i).name == name) return static_cast<Method>(i);
    return std::nullopt;
}

Form form_of(Method method) { return method_facts_of(method).form; }

Flavour flavour_of(Method method) { return method_facts_of(method).flavour; }

std::string dot_options(Method method) {
    static constexpr std::array<std::string_view, 5> kNames{"FP32", "BF16", "AMX", "INT8",
                                                            "INT8_AVX2"};
    return " -DFP32=0 -DBF16=1 -DAMX=2 -DINT8=3 -DINT8_AVX2=4 -DMETHOD=" +
           std::string(kNames.at(static_cast<std::size_t>(method)));
}

std::vector<Method> methods_for(const opencl::Capability& capability, Form form) {
    const auto flavour = flavour_for(capability.info);
    std::vector<Method> methods;
    for (const auto& [method, needed] : kByUsualSpeed) {
        if (form_of(method) == form && flavour_of(method) == flavour &&
            (!needed || capability.has(*needed))) {
            methods.push_back(method);
        }
    }
    return methods;
}

Method method_for(const opencl::Capability& capability, Form form) {
    const auto methods = methods_for(capability, form);
    return methods.empty() ? methods_for(capability, Form::fp32).front() : methods.front();
}

}  // namespace plimsoll::routines
