#include "server/kinds/training_config/command/summary_text.hpp"

#include "engine/base/format_number.hpp"
#include "engine/base/json.hpp"
#include "server/base/text_table.hpp"
#include "server/kinds/training_config/contract/advice.hpp"
#include "server/kinds/training_config/contract/bytes.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

// GiB are powers of 1024.
namespace plimsoll::jobs::training_config {
namespace {

constexpr int kBarWidth = 32;

std::string gib(const json& bytes) { return gib_text(bytes.get<double>()); }

std::string speed(const json& card) {
    return three_digits(card.at("speed").at("samples_per_second"));
}

// "5.66e-05"; for SGD without a base, none is advised.
std::string rate_text(const json& card) {
    const json& rate = card.at("learning_rate").at("recommended");
    return rate.is_null() ? "yours" : fmt::format("{:.3g}", rate.get<double>());
}

// A probability, no more exact than it can be known.
std::string percent(double probability) {
    if (probability < 0.001) return "below 0.1 %";
    return probability > 0.99 ? "over 99 %" : fmt::format("{:.2g} %", 100 * probability);
}

std::string text(const json& value) { return value.get<std::string>(); }

// After a blank; numbers without a unit have none.
std::string unit_of(const json& row) {
    const auto unit = text(row.at("unit"));
    return unit.empty() ? unit : " " + unit;
}

std::string millions(const json& count) {
    return fmt::format("{:.1f} million", count.get<double>() / 1e6);
}

// "adamw (fused)"; the others have one form only.
std::string optimizer(const json& t) {
    const auto name = text(t.at("optimizer"));
    return name == "adamw" ? name + " (" + text(t.at("optimizer_kernel")) + ")" : name;
}

// Of a sample, as its family counts.
std::string length(const json& s) {
    const auto family = text(s.at("model").at("family"));
    const bool series = family == "temporal" || family == "lstm";
    return s.at("training").at("sequence_length").dump() + (series                ? " time steps"
                                                            : family == "vit"     ? " patches"
                                                            : family == "whisper" ? " frames"
                                                                                  : " tokens");
}

// That of the GPUs, if it is the same on all and nobody chose one.
std::string precision(const json& s) {
    const json &asked = s.at("training").at("precision"), &cards = s.at("gpus");
    const json& used = cards.at(0).at("precision");
    const bool same =
        std::ranges::all_of(cards, [&](const json& card) { return card.at("precision") == used; });
    return same && asked == "auto" ? text(used) + " (auto)" : text(asked);
}

std::string head(const json& s) {
    const json &model = s.at("model"), &t = s.at("training");
    std::string out =
        fmt::format("{}: {} parameters, {} trained\n{}, {}, {}", text(model.at("name")),
                    millions(model.at("parameters")), millions(model.at("trainable_parameters")),
                    length(s), precision(s), optimizer(t));
    for (const json& method : t.at("methods")) out += ", " + text(method);
    out += "\n";
    if (const json& lengths = t.at("lengths"); !lengths.is_null()) {
        out += fmt::format("lengths: mean {:.0f}, 95 % up to {}, longest {}; {:.1f} % truncated\n",
                           lengths.at("mean").get<double>(), lengths.at("p95").get<int>(),
                           lengths.at("longest").get<int>(),
                           100 * lengths.at("truncated_fraction").get<double>());
    }
    if (const json& c = s.at("correction"); !c.is_null()) {
        out += fmt::format("corrected by {:.3f}, the median of {} measurements of the team\n",
                           c.at("factor").get<double>(), c.at("measurements").size());
    }
    return out;
}

std::string table(const json& cards, std::size_t width) {
    std::vector<std::vector<std::string>> rows = {
        {"GPU", "FITS", "BATCH", "STEPS", "LARGEST", "USED", "SHARE", "SAMPLES/S*", "PARALLEL"}};
    for (const json& card : cards) {
        const json &a = card.at("accumulation"), &memory = card.at("memory");
        rows.push_back({text(card.at("gpu").at("name")), text(card.at("fits")),
                        a.is_null() ? "-" : card.at("batch").dump(),
                        a.is_null() ? "-" : a.at("nearest").at("steps").dump(),
                        card.at("max_batch").dump(), gib(memory.at("device_used_bytes")),
                        fmt::format("{:.0f} %", memory.at("utilization_percent").get<double>()),
                        speed(card), card.at("parallel_runs").dump()});
    }
    return "\n" + table_text(rows, width);
}

// The card as a line, filled to what is used, with the mark of the margin: [####  |   ].
std::string load_line(const json& card) {
    const double total = card.at("gpu").at("total_bytes");
    const auto place = [total](double bytes) {
        return std::min(kBarWidth, static_cast<int>(bytes / total * kBarWidth));
    };
    const int used = place(card.at("memory").at("device_used_bytes"));
    double margin = card.at("limit_bytes");
    for (const json& part : card.at("breakdown"))
        if (const auto& group = part.at("group");
            group == "context" || group == "vllm" || group == "other_processes")
            margin += part.at("bytes").get<double>();
    const int mark = place(margin);
    std::string bar;
    for (int i = 0; i < kBarWidth; ++i) bar += i == mark ? '|' : i < used ? '#' : ' ';
    return "[" + bar + "]";
}

std::string breakdown(const json& card) {
    std::string out;
    for (const json& part : card.at("breakdown")) {
        auto name = text(part.at("group"));
        std::replace(name.begin(), name.end(), '_', ' ');
        out += fmt::format("    {:<24} {:>12}\n", name, gib(part.at("bytes")));
    }
    return out + fmt::format("    {:<24} {:>12}\n", "= on the GPU",
                             gib(card.at("memory").at("device_used_bytes")));
}

std::string settings(const json& card) {
    const json& a = card.at("accumulation");
    if (a.is_null()) return "";
    const json &rate = card.at("learning_rate"), &loader = card.at("loader");
    auto out = fmt::format(
        "  accumulation {}{} -> effective {} (at most: {} x {}, exact: {})\n"
        "  learning rate {}{}{}: {}\n"
        "  loader: {} workers, prefetch {}, {} of host memory\n",
        a.at("nearest").at("steps").dump(),
        card.at("shard").is_null() ? "" : " on " + card.at("shard").at("cards").dump() + " GPUs",
        a.at("nearest").at("effective").dump(), a.at("at_most").at("batch").dump(),
        a.at("at_most").at("steps").dump(),
        a.at("exact").is_null()
            ? (card.at("shard").is_null()
                   ? "none"
                   : "none, as the target is not divisible by the number of GPUs")
            : a.at("exact").at("batch").dump() + " x " + a.at("exact").at("steps").dump(),
        rate_text(card), rate.at("rule") == "none" ? "" : " (" + text(rate.at("rule")) + ")",
        rate.at("warmup_steps") > 0 ? ", warm-up " + rate.at("warmup_steps").dump() + " steps" : "",
        text(rate.at("why")), loader.at("workers").dump(), loader.at("prefetch").dump(),
        gib(loader.at("host_bytes")));
    if (const json& hours = card.at("speed").at("hours"); !hours.is_null())
        out += fmt::format("  all epochs and models: {:.1f} hours*\n", hours.get<double>());
    return out;
}

// What else was requested: changes that would free memory, stages.
std::string variants(const json& card) {
    std::string out;
    for (const json& w : card.at("what_ifs")) {
        out += fmt::format("  with {}: largest batch {} ({:.2f}x), {:.2f}x samples/s*\n",
                           text(w.at("change")), w.at("max_batch").dump(),
                           w.at("batch_factor").get<double>(), w.at("speed_factor").get<double>());
    }
    for (const json& stage : card.at("stages")) {
        out += fmt::format("  stage {}: batch {} (largest {}), {}\n", text(stage.at("name")),
                           stage.at("batch").dump(), stage.at("max_batch").dump(),
                           gib(stage.at("device_used_bytes")));
    }
    return out;
}

std::string answer(const json& card) {
    const json &a = card.at("accumulation"), &memory = card.at("memory");
    auto out = fmt::format("\n{} {}\n  {}\n", text(card.at("gpu").at("name")), load_line(card),
                           text(card.at("why")));
    if (!a.is_null()) {
        out += fmt::format(
            "  batch {}{}, accumulation {}, effective batch {}, learning rate {}\n  "
            "{}\n",
            card.at("batch").dump(),
            card.at("max_batch") > 0 ? " (largest " + card.at("max_batch").dump() + ")" : "",
            a.at("nearest").at("steps").dump(), a.at("nearest").at("effective").dump(),
            rate_text(card), text(card.at("batch_why")));
    }
    out += fmt::format("  {:.0f} % of the memory, {} samples/s*\n",
                       memory.at("utilization_percent").get<double>(), speed(card));
    return out;
}

std::string details(const json& card) {
    const json &memory = card.at("memory"), &band = memory.at("band"),
               &moment = memory.at("moment");
    std::string out = "\n" + text(card.at("gpu").at("name")) + "\n";
    out += fmt::format("  batch {} (largest {}): {}\n", card.at("batch").dump(),
                       card.at("max_batch").dump(), text(card.at("batch_why")));
    out += settings(card);
    out += fmt::format(
        "  peak {} allocated, {} reserved; {} on the GPU, {} to {}\n  probability of running "
        "out of memory: {}\n"
        "  the peak is in step {}, {}{}\n",
        gib(memory.at("peak_allocated_bytes")), gib(memory.at("peak_reserved_bytes")),
        gib(memory.at("device_used_bytes")), gib(band.at("low_bytes")), gib(band.at("high_bytes")),
        percent(memory.at("out_of_memory_probability").get<double>()), moment.at("step").dump(),
        text(moment.at("phase")),
        moment.at("layer").is_null() ? "" : ", layer " + moment.at("layer").dump());
    out += breakdown(card);
    if (const json& shard = card.at("shard"); !shard.is_null()) {
        out += fmt::format(
            "  {} of {} GPUs with {}: weights {}, gradients {}, optimizer {}, "
            "buffers {}, all else {}\n",
            shard.at("pipeline_rank").is_null()
                ? "each"
                : "the fullest, GPU " + shard.at("pipeline_rank").dump() +
                      " (from 0 on) of the pipeline,",
            shard.at("cards").dump(), text(shard.at("sharding")), gib(shard.at("weights_bytes")),
            gib(shard.at("gradients_bytes")), gib(shard.at("optimizer_bytes")),
            gib(shard.at("buffers_bytes")), gib(shard.at("other_bytes")));
    }
    for (const json& cause : card.at("diagnosis")) {
        out += fmt::format("  {}: {} ({}){}\n", text(cause.at("cause")), text(cause.at("change")),
                           text(cause.at("gain")),
                           cause.at("from_guide").get<bool>() ? " [guide]" : "");
    }
    for (const json& guide : card.at("guides")) {
        out += "  " + text(guide.at("title")) + ":";
        for (const json& row : guide.at("rows")) {
            out += fmt::format(
                " {} {:.6g}{}{};", text(row.at("name")), row.at("guide").get<double>(),
                unit_of(row),
                row.at("ours").is_null()
                    ? ""
                    : fmt::format(" (this estimate {:.6g})", row.at("ours").get<double>()));
        }
        out.back() = '\n';
        out += "    " + text(guide.at("difference")) + "\n";
    }
    return out;
}

// A device in the pool that was measured.
std::string measured(const json& device) {
    if (!device.at("error").is_null())
        return fmt::format("\n{} could not be measured: {}\n", text(device.at("name")),
                           text(device.at("error")));
    const double rate = device.at("flops_per_second");
    auto out = fmt::format(
        "\nMeasured on {}: {} free, {:.1f} GFLOP/s in fp32\n", text(device.at("name")),
        device.at("free_bytes").is_null() ? "an unknown amount" : gib(device.at("free_bytes")),
        rate / 1e9);
    for (const json& p : device.at("products")) {
        out += fmt::format("  {} x {} (x{}), {} rows: {:.3g} ms, {:.1f} GFLOP/s\n",
                           p.at("columns").dump(), p.at("depth").dump(), p.at("count").dump(),
                           p.at("rows").dump(), 1e3 * p.at("seconds").get<double>(),
                           p.at("flops_per_second").get<double>() / 1e9);
    }
    return out;
}

std::string cell(const json& row, const char* side) {
    const json& value = row.at(side);
    if (value.is_null()) return "-";
    if (row.at("unit") == "bytes") return gib(value);
    if (!value.is_number_float()) return value.dump();
    const double figure = value;
    if (std::abs(figure) >= 1000)
        return format_count(std::llround(figure)) + std::string(unit_of(row));
    return fmt::format("{:.4g}{}", figure, unit_of(row));
}

std::string comparison(const json& c) {
    std::string out = fmt::format("\nFrom {} to {}\n", text(c.at("from")), text(c.at("to")));
    for (const json& row : c.at("rows")) {
        if (row.at("from").is_null() && row.at("to").is_null()) continue;
        out += fmt::format("  {:<32} {:>16} -> {:>16}\n", text(row.at("name")), cell(row, "from"),
                           cell(row, "to"));
    }
    for (const json& change : c.at("changes")) {
        out += fmt::format("  - {0}: {1:.4g}\n  + {0}: {2:.4g}\n", text(change.at("setting")),
                           change.at("from").get<double>(), change.at("to").get<double>());
    }
    int number = 0;
    for (const json& step : c.at("steps")) {
        out += fmt::format("  {}. ", ++number);
        for (const json& part : step.at("parts")) out += text(part.at("text"));
        out += '\n';
    }
    return out;
}

}  // namespace

std::string answer_text(const json& s, std::size_t width) {
    const json& cards = s.at("gpus");
    auto out = head(s);
    for (const json& limit : s.at("limits")) out += text(limit) + "\n";
    if (cards.size() > 1) out += table(cards, width);
    for (const json& card : cards) {
        if (cards.size() == 1) out += answer(card);
        const auto more = variants(card);
        if (cards.size() > 1 && !more.empty()) out += "\n" + text(card.at("gpu").at("name")) + "\n";
        out += more;
    }
    // Of two cards; a longer list is compared by its table.
    if (s.at("comparisons").size() == 1) out += comparison(s.at("comparisons").at(0));
    return out;
}

std::string assumptions_text(const json& s) {
    std::string out;
    for (const json& one : s.at("assumptions")) {
        auto place = text(one.at("pointer")).substr(1);
        std::ranges::replace(place, '/', '.');
        out += fmt::format("  {} = {}\n", place, text(one.at("value")));
    }
    if (out.empty()) return out;
    return "\nAssumed (change with the flag, or with --set PATH=VALUE):\n" + out;
}

std::string details_text(const json& s) {
    std::string out;
    for (const json& card : s.at("gpus")) out += details(card);
    if (!s.at("device").is_null()) out += measured(s.at("device"));
    out += "\n* modelled, not measured\n";
    for (const json& basis : s.at("bases"))
        out += fmt::format("- {}: {}. {}\n", text(basis.at("number")), text(basis.at("basis")),
                           text(basis.at("why")));
    return out;
}

std::string summary_text(const json& s, std::size_t width) {
    return answer_text(s, width) + assumptions_text(s) + details_text(s);
}

}  // namespace plimsoll::jobs::training_config
