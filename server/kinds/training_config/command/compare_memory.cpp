#include "engine/base/json.hpp"
#include "engine/drawing/picture.hpp"
#include "engine/model_files/mapped_file.hpp"
#include "engine/training/advice/precision.hpp"
#include "engine/training/recorded/comparison.hpp"
#include "server/kinds/training_config/command/commands.hpp"
#include "server/kinds/training_config/command/memory_picture.hpp"
#include "server/kinds/training_config/contract/bytes.hpp"

#include <fstream>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace plimsoll::jobs::training_config {
namespace {

namespace tr = ::plimsoll::training;

constexpr std::size_t kMoments = 400;  // of a step, for a drawing

std::string name_of(std::size_t part) {
    return std::string(tr::to_string(static_cast<tr::MemoryPart>(part)));
}

Result<tr::RunMemory> predicted(const Request& request) {
    const auto& r = request.report;
    if (r.batch == 0) return fail(Errc::invalid_input, "--batch: Give that of the recorded run.");
    const auto& gpu = r.gpus.front();
    auto settings = r.settings;
    settings.batch = r.batch;
    if (r.adapts_precision) settings.precision = tr::automatic_precision(r.shape, settings, gpu);
    const auto device = tr::tape_device(gpu);
    TRY(const auto estimate, tr::estimate(r.shape, settings, device, r.search.estimate));
    return tr::predicted_memory(r.shape, settings, device, estimate);
}

json allocation_json(const std::optional<tr::Allocation>& one) {
    if (!one) return nullptr;
    return {{"bytes", one->bytes}, {"stage", tr::to_string(one->stage)}, {"where", one->where}};
}

std::string allocation_text(const json& one) {
    if (one.is_null()) return "none of such a size";
    const auto where = one.at("where").get<std::string>();
    return fmt::format("{} in the {} pass{}", gib_text(one.at("bytes")),
                       one.at("stage").get<std::string>(), where.empty() ? "" : ", " + where);
}

// The highest moments of a step, as many as a drawing shows; `length` is that of both steps' axis.
json step_json(const tr::RunMemory& memory, std::size_t length) {
    json step = {{"allocations", json::array()}};
    for (std::size_t part = 0; part < memory.parts.size(); ++part)
        step[name_of(part) + "_bytes"] = json::array();
    for (const auto& [from, held] : tr::thinned(memory.step, length, kMoments)) {
        step["allocations"].push_back(from);
        for (std::size_t part = 0; part < held.size(); ++part)
            step[name_of(part) + "_bytes"].push_back(held[part]);
    }
    return step;
}

json run_json(const tr::RunMemory& memory, std::size_t length) {
    json parts = json::object();
    for (std::size_t part = 0; part < memory.parts.size(); ++part)
        parts[name_of(part)] = memory.parts[part];
    return {{"peak_allocated_bytes", memory.peak_allocated},
            {"peak_reserved_bytes", memory.peak_reserved},
            {"stage", tr::to_string(memory.stage)},
            {"parts_bytes", parts},
            {"step", step_json(memory, length)}};
}

std::string row(std::string_view name, const json& recorded, const json& predicted) {
    const double real = recorded;
    return fmt::format(
        "  {:<28}{:>12}{:>12}{}\n", name, gib_text(recorded), gib_text(predicted),
        real > 0 ? fmt::format("{:>+9.1f} %", 100 * (predicted.get<double>() / real - 1)) : "");
}

std::string text_of(const json& told) {
    const json &a = told.at("recorded"), &b = told.at("predicted");
    auto out = fmt::format("{:<30}{:>12}{:>12}\n", "", "recorded", "predicted");
    out += row("reserved, at most", a.at("peak_reserved_bytes"), b.at("peak_reserved_bytes"));
    out += row("allocated, at most", a.at("peak_allocated_bytes"), b.at("peak_allocated_bytes"));
    constexpr std::pair<tr::MemoryPart, std::string_view> kRows[] = {
        {tr::MemoryPart::state, "weights, optimizer's state"},
        {tr::MemoryPart::gradients, "gradients"},
        {tr::MemoryPart::activations, "kept for backward"},
        {tr::MemoryPart::temporary, "temporary"}};
    for (const auto& [part, name] : kRows) {
        const auto* key = tr::to_string(part).data();
        out +=
            row("  " + std::string(name), a.at("parts_bytes").at(key), b.at("parts_bytes").at(key));
    }
    out += fmt::format("Allocated memory is highest in: {}, {}.\n",
                       a.at("stage").get<std::string>(), b.at("stage").get<std::string>());
    if (!told.at("compared").get<bool>())
        return out +
               "The recording has no stacks of a forward pass: what memory is for, and where "
               "the two part, cannot be told.\n";
    const json& parting = told.at("parting");
    if (parting.is_null())
        return out + "The passes do not part: their allocations that weigh anything are equal.\n";
    return out +
           fmt::format("After {} equal allocations they part.\n  recorded: {}\n  predicted: {}\n",
                       parting.at("equal").dump(), allocation_text(parting.at("recorded")),
                       allocation_text(parting.at("predicted")));
}

Result<void> draw(const std::string& path, const tr::RunMemory& recorded,
                  const tr::RunMemory& predicted, const std::optional<tr::Parting>& parting) {
    const auto picture = memory_picture(recorded, predicted, parting);
    std::string bytes;
    if (path.ends_with(".png")) {
        TRY(bytes, drawing::png_of(picture));
    } else if (path.ends_with(".svg")) {
        bytes = drawing::svg_of(picture);
    } else {
        return fail(Errc::invalid_input, "--picture: The file's name must end in .svg or .png.");
    }
    std::ofstream file(path, std::ios::binary);
    if (!(file << bytes << std::flush))
        return fail(Errc::invalid_input, "--picture: The file cannot be written.", path);
    return {};
}

Result<Answer> compare(const std::string& path, const std::string& picture,
                       const EstimateRequest& request) {
    TRY(const auto checked, requested(request));
    TRY(const auto ours, predicted(checked));
    const auto file = model_files::MappedFile::open(path);
    if (!file) return fail(file.error().code, file.error().message, path);
    const auto recording = tr::read_snapshot(file->bytes());
    if (!recording) return fail(recording.error().code, recording.error().message, path);
    const auto real = tr::recorded_memory(*recording);
    const auto parting = tr::parting_of(real, ours);
    if (!picture.empty()) TRY_DO(draw(picture, real, ours, parting));
    const auto length = std::max(real.step.size(), ours.step.size());
    Answer told{{{"recorded", run_json(real, length)},
                 {"predicted", run_json(ours, length)},
                 {"events", recording->events.size()},
                 {"compared", !real.pass.empty()},
                 {"parting", nullptr}},
                {}};
    if (parting)
        told.value["parting"] = {{"equal", parting->equal},
                                 {"at_recorded", parting->at_recorded},
                                 {"at_predicted", parting->at_predicted},
                                 {"recorded", allocation_json(parting->recorded)},
                                 {"predicted", allocation_json(parting->predicted)}};
    told.text = text_of(told.value);
    return told;
}

}  // namespace

void add_compare_memory(CLI::App& app, CommandContext& context) {
    const auto request = std::make_shared<EstimateRequest>();
    const auto file = std::make_shared<std::string>();
    const auto picture = std::make_shared<std::string>();
    auto* command = app.add_subcommand(
        "compare-memory", "Lay a memory snapshot of PyTorch beside the estimate of its run");
    command->add_option("snapshot", *file, "From torch.cuda.memory._dump_snapshot")->required();
    command->add_option("arguments", request->file,
                        "Arguments of a training-config job as .json; flags override them");
    command->add_option("--picture", *picture,
                        "Draw both over a step, and where they part, into this .svg or .png");
    request->given.add_flags(*command);
    request->given.add_set(*command);
    command->callback([=, &context] { answer(context, compare(*file, *picture, *request)); });
}

}  // namespace plimsoll::jobs::training_config
