#include "engine/profiling/device/buffers.hpp"
#include "engine/routines/attention.hpp"
#include "engine/routines/narrow.hpp"
#include "engine/routines/rows.hpp"

#include <array>
#include <random>
#include <utility>

namespace plimsoll::profiling {

using namespace routines;

Result<std::vector<Rate>> measure_rows(const Subject& subject, const Peak& peak) {
    constexpr Shape shape{8192, 768};
    constexpr std::size_t kNumbers = std::size_t{shape.rows} * shape.columns;
    const auto& device = subject.programs.device();
    const auto flavour = flavour_for(device.info());
    const auto in = random_buffer(device, kNumbers);
    const auto gain = random_buffer(device, shape.columns);
    const auto out = device.allocate(kNumbers * sizeof(float));
    for (const auto* made : {&in, &gain, &out})
        if (!*made) return fail(made->error());
    auto& programs = subject.programs;
    const std::array<std::pair<const char*, Run>, 3> operations{
        std::pair{"layer norm", Run([&] {
                      return layer_norm(programs, flavour, *in, nullptr, {*gain, *gain, 1e-5F},
                                        *out, shape);
                  })},
        {"softmax", [&] { return softmax(programs, flavour, *in, *out, shape); }},
        {"GELU", [&] { return unary(programs, flavour, Function::gelu, *in, *out, shape); }}};
    std::vector<Rate> rates;
    for (const auto& [name, run] : operations) {
        TRY(const auto timing, time_launches(subject, run));
        Rate rate{
            std::string(name) + ", 8192 x 768", {}, timing, 2.0 * kNumbers * sizeof(float), {}};
        rate.share_of_peak = rate.per_second() / peak.copy.max_per_second();
        rates.push_back(std::move(rate));
    }
    return rates;
}

namespace {

Result<Rate> attention_of(const Subject& subject, Method method, const std::string& name,
                          const std::vector<std::uint32_t>& lengths) {
    constexpr Heads heads{12, 64};
    const auto& device = subject.programs.device();
    TRY(const auto layout, lay_out(lengths));
    const auto tokens = static_cast<std::uint32_t>(layout.sequence.size());
    const std::size_t width = heads.count * heads.size;
    const auto qkv = random_buffer(device, tokens * 3 * width);
    const auto out = device.allocate(tokens * width * sizeof(float));
    const auto offsets = uploaded(device, layout.offsets);
    const auto& steps = walk_of(method, layout);
    const auto walk = uploaded(device, steps);
    for (const auto* made : {&qkv, &out, &offsets, &walk})
        if (!*made) return fail(made->error());
    const bool is_narrow = form_of(method) != Form::fp32;
    TRY(auto numbers, device.allocate(tokens * 3 * width * bytes_of_number(form_of(method))));
    const NarrowRows rows{std::move(numbers), {}};
    if (is_narrow) {
        const Shape shape{tokens, static_cast<std::uint32_t>(3 * width)};
        TRY_DO(narrow(subject.programs, method, *qkv, rows, shape));
    }
    const Sequences sequences{*offsets, *walk, static_cast<std::uint32_t>(steps.size()),
                              layout.longest};
    const auto timing = time_launches(subject, [&] {
        return attend(subject.programs, method, is_narrow ? rows.numbers : *qkv, sequences, heads,
                      *out);
    });
    if (!timing) return fail(timing.error());
    double work = 0;
    for (const double length : lengths) work += 4.0 * length * length * static_cast<double>(width);
    return Rate{name, std::string(to_string(method)), *timing, work, {}};
}

}  // namespace

Result<std::vector<Rate>> measure_attention(const Subject& subject, const Peak& peak) {
    std::minstd_rand bits(5);
    std::vector<std::uint32_t> headlines(64);
    for (auto& length : headlines) length = 8 + static_cast<std::uint32_t>(bits() % 57);
    const std::array<std::pair<const char*, std::vector<std::uint32_t>>, 3> batches{
        std::pair{"64 headlines of 8 to 64 tokens", headlines},
        {"16 texts of 128 tokens", std::vector<std::uint32_t>(16, 128)},
        {"2 texts of 512 tokens", std::vector<std::uint32_t>(2, 512)}};
    std::vector methods{attention_method_for(subject.capability, Form::fp32)};
    const auto lower = attention_method_for(subject.capability, Form::bf16);
    if (lower != methods.front()) methods.push_back(lower);
    std::vector<Rate> rates;
    for (const auto method : methods) {
        for (const auto& [name, lengths] : batches) {
            TRY(auto rate, attention_of(subject, method, name, lengths));
            rate.share_of_peak = rate.per_second() / peak.fma.max_per_second();
            rates.push_back(std::move(rate));
        }
    }
    return rates;
}

}  // namespace plimsoll::profiling
