#include "server/kinds/sentiment/run/loaded_models.hpp"

#include "engine/models/store.hpp"
#include "engine/opencl/memory/ledger.hpp"
#include "engine/opencl/runtime/programs.hpp"
#include "engine/transformer/guard.hpp"
#include "server/kinds/sentiment/contract/settings.hpp"

#include <algorithm>
#include <chrono>
#include <iomanip>
#include <list>
#include <memory>
#include <sstream>
#include <utility>

namespace plimsoll::jobs::sentiment {
namespace {

// State that a worker keeps between tasks: one thread runs tasks, on one device.
struct Kept {
    opencl::Device* device = nullptr;
    std::unique_ptr<opencl::Programs> programs;
    std::unique_ptr<tuning::Plans> plans;
    std::list<LoadedModel> models;  // the last used first
};
thread_local Kept kept;

void open_device(const RunContext& context) {
    if (kept.device == context.device) return;
    release_models(kept.device);
    kept.device = context.device;
    const auto& cache = context.settings.cache;
    kept.programs =
        std::make_unique<opencl::Programs>(*context.device, opencl::ProgramCache(cache));
    kept.plans = std::make_unique<tuning::Plans>(context.device->info());
    // Without tuned plans the defaults are used.
    static_cast<void>(kept.plans->read(tuning::plans_file(cache, context.device->info().address)));
}

Result<LoadedModel> load(const std::filesystem::path& folder, const models::Manifest& manifest,
                         routines::Method method, RunContext& context) {
    TRY(auto meaning, ::plimsoll::sentiment::Meaning::of(manifest.labels));
    const auto start = std::chrono::steady_clock::now();
    TRY(auto classifier, transformer::TextClassifier::load(folder, *kept.programs, *context.ledger,
                                                           *context.capability, *kept.plans, method,
                                                           Watch{context.stop, &context.progress}));
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    return LoadedModel{.hash = manifest.hash,
                       .form = form_of(method),
                       .meaning = std::move(meaning),
                       .classifier = std::move(classifier),
                       .load_seconds = took.count()};
}

void say_loaded(const std::string& name, const LoadedModel& model, bool made_room,
                const RunContext& context) {
    std::ostringstream text;
    text << "Loaded the model " << name << " in " << to_string(model.form) << " in " << std::fixed
         << std::setprecision(2) << model.load_seconds << " s: " << std::setprecision(1)
         << static_cast<double>(model.classifier->model().held_bytes()) / 1e6 << " MB on "
         << to_string(context.device->info().address) << ".";
    context.say(LogLevel::info, text.str());
    if (made_room) {
        context.say(LogLevel::warning,
                    "The device's memory was full: models kept from earlier tasks were released.");
    }
}

enum class IfFull { others_leave, refuse };

auto find_loaded(const std::string& hash, routines::Form form) {
    return std::ranges::find_if(
        kept.models, [&](const LoadedModel& one) { return one.hash == hash && one.form == form; });
}

Result<LoadedModel*> find_or_load(const UsableModel& model, RunContext& context, IfFull if_full) {
    const auto& [name, hash, form_name] = model;
    if (context.device == nullptr || context.ledger == nullptr || context.capability == nullptr)
        return fail(Errc::unavailable, "This worker has no OpenCL device.");
    const auto parsed = routines::parse_form(form_name);
    if (!parsed) return fail(Errc::internal, "A task requests an unknown form.");
    const auto form = *parsed;
    open_device(context);
    if (const auto found = find_loaded(hash, form); found != kept.models.end()) {
        kept.models.splice(kept.models.begin(), kept.models, found);
        return &kept.models.front();
    }
    const models::Store store(models_folder(context.settings));
    const auto manifest = store.find(name);
    if (!manifest || manifest->hash != hash) {
        return fail(
            Errc::not_found,
            "The model \"" + name +
                "\" was removed from the workers, or replaced, after the job was submitted.");
    }
    const auto method = transformer::proven_method(manifest->proofs, form, *context.capability);
    if (!method) {
        return fail(Errc::not_found, "This worker has no proof of \"" + name + "\" in " +
                                         std::string(to_string(form)) + ".");
    }
    auto loaded = load(store.folder_of(name), *manifest, *method, context);
    bool made_room = false;
    while (!loaded && loaded.error().code == Errc::exhausted && !kept.models.empty() &&
           if_full == IfFull::others_leave) {
        kept.models.pop_back();
        made_room = true;
        loaded = load(store.folder_of(name), *manifest, *method, context);
    }
    if (!loaded) return fail(loaded.error());
    say_loaded(name, *loaded, made_room, context);
    kept.models.push_front(std::move(*loaded));
    return &kept.models.front();
}

// Kernels are compiled when they first run, those of attention once for each length.
Result<void> compute_once(transformer::TextClassifier& classifier, const Watch& watch) {
    for (const int words : {4, 12, 28, 60, 120}) {
        std::string text;
        for (int i = 0; i < words; ++i) text += "a ";
        std::string_view view = text;
        bool given = false;
        const auto next = [&]() -> Result<const std::string_view*> {
            return std::exchange(given, true) ? nullptr : &view;
        };
        TRY_DO(classifier.classify(next, 1, watch, [](std::size_t, std::size_t) {}));
    }
    return {};
}

}  // namespace

DeviceTools tools_of(const RunContext& context) {
    open_device(context);
    return {*kept.programs, *kept.plans};
}

Result<LoadedModel*> loaded_model(const UsableModel& model, RunContext& context) {
    return find_or_load(model, context, IfFull::others_leave);
}

Result<bool> make_ready(const UsableModel& model, RunContext& context) {
    TRY(const auto loaded, find_or_load(model, context, IfFull::refuse));
    if (loaded->is_ready) return false;
    const Watch watch{context.stop, &context.progress};
    TRY_DO(compute_once(*loaded->classifier, watch));
    loaded->is_ready = true;
    return true;
}

std::uint64_t release_models(opencl::Device* /*device*/) {
    std::uint64_t bytes = 0;
    for (const auto& model : kept.models) bytes += model.classifier->model().held_bytes();
    kept.models.clear();  // they use the programs
    kept = {};
    return bytes;
}

}  // namespace plimsoll::jobs::sentiment
