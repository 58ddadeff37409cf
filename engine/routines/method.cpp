#include "engine/routines/method.hpp"

#include <array>

namespace plimsoll::routines {
namespace {

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

std::string_view to_string(Form form) {
    return kForms.at(static_cast<std::size_t>(form));
}

std::optional<Form> parse_form(std::string_view name) {
    for (std::size_t i = 0; i < kForms.size(); ++i) {
        if (kForms.at(i) == name) return static_cast<Form>(i);
    }
    return std::nullopt;
}

std::string_view to_string(Method method) {
    return method_facts_of(method).name;
}

std::optional<Method> parse_method(std::string_view name) {
    for (std::size_t i = 0; i < kMethods.size(); ++i) {
        if (kMethods.at(i).name == name) return static_cast<Method>(i);
    }
    return std::nullopt;
}

Form form_of(Method method) {
    return method_facts_of(method).form;
}

Flavour flavour_of(Method method) {
    return method_facts_of(method).flavour;
}

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
