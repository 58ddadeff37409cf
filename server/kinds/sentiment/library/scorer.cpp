#include "engine/models/store.hpp"
#include "engine/opencl/devices/device_info.hpp"
#include "engine/opencl/devices/inventory.hpp"
#include "engine/opencl/memory/ledger.hpp"
#include "engine/opencl/probing/capability.hpp"
#include "engine/opencl/runtime/cache_directory.hpp"
#include "engine/opencl/runtime/device.hpp"
#include "engine/sentiment/vader/vader.hpp"
#include "server/jobs/records/text_rows.hpp"
#include "server/kinds/sentiment/contract/settings.hpp"
#include "server/kinds/sentiment/contract/texts.hpp"
#include "server/kinds/sentiment/run/loaded_models.hpp"
#include "server/kinds/sentiment/run/score_by_model.hpp"
#include "server/kinds/sentiment/run/score_by_vader.hpp"
#include "server/kinds/sentiment/run/task_output_builder.hpp"
#include "server/library/library.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <limits>
#include <memory>
#include <utility>

#include <dlfcn.h>

namespace plimsoll::jobs::sentiment {
namespace {

namespace vader = ::plimsoll::sentiment::vader;

// Text i is the bytes from offset i to offset i + 1, as in Arrow's strings and large strings.
struct TextColumn {
    const char* bytes;
    const void* offsets;
    std::int64_t count;
    std::int64_t are_large;  // the offsets have 64 bits, not 32

    std::string_view at(std::int64_t i) const {
        return {bytes + offset(i), static_cast<std::size_t>(offset(i + 1) - offset(i))};
    }

  private:
    std::int64_t offset(std::int64_t i) const {
        return are_large != 0 ? static_cast<const std::int64_t*>(offsets)[i]
                              : static_cast<const std::int32_t*>(offsets)[i];
    }
};

constexpr std::int8_t kNotScored = 3;  // follows the labels

// A column after the other in one block of the caller's memory: the order is that of engine.py.
struct ScoreColumns {
    char* memory;
    std::int64_t count;
    bool by_model;

    // Compound, positive, neutral, negative.
    double& score(int column, std::int64_t i) const { return at<double>(8 * column, i); }
    std::int8_t& label(std::int64_t i) const { return at<std::int8_t>(by_model ? 40 : 32, i); }
    // Of models. -1: the model has no tokens.
    std::int32_t& tokens(std::int64_t i) const { return at<std::int32_t>(32, i); }
    std::int32_t& windows(std::int64_t i) const { return at<std::int32_t>(36, i); }
    std::int8_t& truncated(std::int64_t i) const { return at<std::int8_t>(41, i); }

    void set(std::int64_t i, const TextScores& scores) const {
        score(0, i) = fraction(scores.compound);
        score(1, i) = fraction(scores.positive);
        score(2, i) = fraction(scores.neutral);
        score(3, i) = fraction(scores.negative);
        label(i) = static_cast<std::int8_t>(scores.label);
        tokens(i) = scores.tokens ? static_cast<std::int32_t>(*scores.tokens) : -1;
        windows(i) = static_cast<std::int32_t>(scores.windows);
        truncated(i) = scores.truncated ? 1 : 0;
    }

    // The same numbers without a detour by integers, which would cost a twentieth of a score: they
    // are rounded already. -0 + 0 is 0.
    void set(std::int64_t i, const vader::Scores& scores) const {
        score(0, i) = scores.compound + 0.0;
        score(1, i) = scores.pos;
        score(2, i) = scores.neu;
        score(3, i) = scores.neg;
        label(i) = static_cast<std::int8_t>(label_of(scores.compound));
    }

    void set_failed(std::int64_t i) const {
        for (int column = 0; column < 4; ++column)
            score(column, i) = std::numeric_limits<double>::quiet_NaN();
        label(i) = kNotScored;
        if (!by_model) return;
        tokens(i) = -1;
        windows(i) = 0;
        truncated(i) = 0;
    }

    TextScores scores(std::int64_t i) const {
        TextScores scores{.label = static_cast<Label>(label(i)),
                          .compound = scaled(score(0, i)),
                          .positive = scaled(score(1, i)),
                          .neutral = scaled(score(2, i)),
                          .negative = scaled(score(3, i))};
        if (!by_model) return scores;
        if (tokens(i) >= 0) scores.tokens = static_cast<std::uint32_t>(tokens(i));
        scores.truncated = truncated(i) != 0;
        scores.windows = static_cast<std::uint32_t>(windows(i));
        return scores;
    }

  private:
    // `before`: the bytes a text of the columns before.
    template <class Number>
    Number& at(std::int64_t before, std::int64_t i) const {
        return reinterpret_cast<Number*>(memory + before * count)[i];
    }
};

struct UsedDevice {
    opencl::Capability capability;
    opencl::Device device;
    opencl::Ledger ledger;
};

// The first ready device of the report, as workers open it.
Result<UsedDevice> first_device(const opencl::ProbeReport& probed) {
    for (const auto& capability : probed.devices) {
        if (capability.state != opencl::DeviceState::ready) continue;
        TRY(auto device, opencl::Device::open(capability.info.address));
        const auto& info = device.info();
        const opencl::Ledger ledger(info.memory.bytes.value_or(info.driver_memory_bytes));
        return UsedDevice{capability, std::move(device), ledger};
    }
    std::string why;
    for (const auto& device : probed.devices) why += " " + device.reason + ".";
    for (const auto& problem : probed.problems) why += " " + problem;
    return fail(Errc::unavailable,
                "Published models need an OpenCL device, and none is ready." + why +
                    " Install the GPU's driver; for the processor, pip install "
                    "'plimsoll[cpu]' or Debian's pocl-opencl-icd; the model \"vader\" needs none.");
}

// A wheel installs this library to PREFIX/lib/plimsoll.
void use_packaged_driver() {
    Dl_info here{};
    if (dladdr(reinterpret_cast<const void*>(&first_device), &here) == 0) return;
    const std::filesystem::path library = here.dli_fname;
    opencl::use_packaged_driver(library.parent_path().parent_path().parent_path());
}

class Scorer {
  public:
    // Loads the model. `probed`: the output of `plimsoll-engine probe --json`.
    static Result<Scorer*> open(std::string name, std::string form, bool windows,
                                std::string_view probed) {
        auto scorer = std::make_unique<Scorer>();
        scorer->options_.windows = windows;
        if (name == kVader) return scorer.release();
        TRY_DO(read_environment(kSettings, scorer->settings_));
        TRY(const auto manifest, models::Store(models_folder(scorer->settings_)).find(name));
        scorer->options_ = batch_options({}, scorer->settings_);
        scorer->options_.windows = windows;
        use_packaged_driver();
        scorer->settings_.cache = opencl::default_kernel_cache();
        if (auto made = opencl::use_kernel_cache(scorer->settings_.cache); !made) {
            TRY(scorer->settings_.cache, opencl::use_temporary_kernel_cache());
        }
        TRY(const auto report, opencl::probe_report_from_json(probed));
        // One for all scorers: loaded_model() keeps the models of a device.
        static Result<UsedDevice> device = first_device(report);
        if (!device) return fail(device.error());
        scorer->device_ = &*device;
        scorer->model_ = {std::move(name), manifest.hash, std::move(form)};
        Progress progress;
        auto context = scorer->context(progress);
        TRY_DO(loaded_model(scorer->model_, context));
        return scorer.release();
    }

    ScoreColumns columns(char* memory, const TextColumn& texts) const {
        return {memory, texts.count, device_ != nullptr};
    }

    Result<void> score(const TextColumn& texts, const ScoreColumns& into) const {
        if (into.by_model) return score_by_device(texts, into);
        score_by_host(texts, into);
        return {};
    }

    // The job's rows of these texts with these scores.
    std::string rows(const TextColumn& texts, const ScoreColumns& scores) const {
        std::string out;
        RowMore more;
        more.windows = options_.windows;
        more.model = scores.by_model ? model_.name : kVader;
        for (std::int64_t i = 0; i < texts.count; ++i) {
            text::RecordView item;
            item.index = static_cast<std::uint64_t>(i);
            item.text = texts.at(i);
            if (scores.label(i) != kNotScored) {
                append_row(out, item, scores.scores(i), more);
                continue;
            }
            const auto record = record_of(item.text);
            item.is_error = true;
            item.error_code = record.error->code;
            item.error_message = record.error->message;
            append_failed_text(out, kTexts, item);
        }
        return out;
    }

  private:
    RunContext context(Progress& progress) const {
        return {.device = &device_->device,
                .progress = progress,
                .stop = {},
                .capability = &device_->capability,
                .ledger = &device_->ledger,
                .settings = settings_};
    }

    static text::Record record_of(std::string_view text) {
        text::Record record;
        record.text = text;
        refuse_long_text(record, kLongestText);
        return record;
    }

    // Both are copies, which stores through the columns cannot change: no pointer is read twice.
    static void score_by_host(const TextColumn texts, const ScoreColumns into) {
        vader::Scorer scorer;
        for (std::int64_t i = 0; i < texts.count; ++i) {
            const auto text = texts.at(i);
            if (text.size() > kLongestText)
                into.set_failed(i);
            else
                into.set(i, scorer.score(text));
        }
    }

    Result<void> score_by_device(const TextColumn& texts, const ScoreColumns& into) const {
        text::RecordBlockWriter block(0);
        for (std::int64_t i = 0; i < texts.count; ++i) block.add(record_of(texts.at(i)));
        const auto packed = block.take();
        TRY(auto source, TextSource::open(kTexts, {}, packed));
        Progress progress;
        auto used = context(progress);
        TRY(const auto model, loaded_model(model_, used));
        return score_by_model(std::move(source), *model, options_, used,
                              [&](const text::RecordView& item, const TextScores* scores) {
                                  const auto place = static_cast<std::int64_t>(item.index);
                                  scores == nullptr ? into.set_failed(place)
                                                    : into.set(place, *scores);
                              });
    }

    KindSettings settings_;
    UsableModel model_;
    BatchOptions options_;
    UsedDevice* device_ = nullptr;  // none: VADER
};

}  // namespace
}  // namespace plimsoll::jobs::sentiment

using namespace plimsoll;
using jobs::sentiment::Scorer;

PLIMSOLL_EXPORT int plimsoll_scorer_open(const char* model, const char* form, int windows,
                                         const char* probed, Scorer** scorer, library::Bytes* out) {
    return library::answer(*out, [&]() -> Result<std::string> {
        TRY(*scorer, Scorer::open(model, form, windows != 0, probed));
        return std::string();
    });
}

PLIMSOLL_EXPORT void plimsoll_scorer_close(Scorer* scorer) { delete scorer; }

// Turns offsets in code points of valid UTF-8, as Python counts them, into offsets in bytes.
PLIMSOLL_EXPORT void plimsoll_count_bytes(const char* text, std::int64_t* offsets,
                                          std::int64_t count) {
    const auto follows = [](char byte) {
        return (static_cast<unsigned char>(byte) & 0xC0) == 0x80;
    };
    std::int64_t points = 0;
    const char* at = text;
    for (std::int64_t i = 0; i <= count; ++i) {
        for (; points < offsets[i]; ++points) {
            do ++at;
            while (follows(*at));
        }
        offsets[i] = at - text;
    }
}

PLIMSOLL_EXPORT int plimsoll_score(const Scorer* scorer, const jobs::sentiment::TextColumn* texts,
                                   char* columns, library::Bytes* out) {
    return library::answer(*out, [&]() -> Result<std::string> {
        TRY_DO(scorer->score(*texts, scorer->columns(columns, *texts)));
        return std::string();
    });
}

PLIMSOLL_EXPORT int plimsoll_score_rows(const Scorer* scorer,
                                        const jobs::sentiment::TextColumn* texts, char* columns,
                                        library::Bytes* out) {
    return library::answer(*out, [&]() -> Result<std::string> {
        return scorer->rows(*texts, scorer->columns(columns, *texts));
    });
}

// Labels as Arrow's strings: into `memory` go 8 bytes for each name, the offsets of all and of the
// end, and a bit for each that is not null.
PLIMSOLL_EXPORT void plimsoll_name_labels(const std::int8_t* labels, std::int64_t count,
                                          char* memory) {
    using namespace jobs::sentiment;
    auto* const offsets = reinterpret_cast<std::int32_t*>(memory + 8 * count);
    auto* const valid = reinterpret_cast<unsigned char*>(offsets + count + 1);
    char names[kNotScored + 1][8] = {};
    int sizes[kNotScored + 1] = {};
    for (int label = 0; label < kNotScored; ++label)
        sizes[label] = static_cast<int>(to_string(static_cast<Label>(label)).copy(names[label], 8));
    int end = 0;
    unsigned bits = 0;
    for (std::int64_t i = 0; i < count; ++i) {
        offsets[i] = end;
        std::memcpy(memory + end, names[labels[i]], 8);
        end += sizes[labels[i]];
        bits = bits >> 1 | (labels[i] != kNotScored ? 0x80U : 0U);
        if (i % 8 == 7) valid[i / 8] = static_cast<unsigned char>(bits);
    }
    if (count % 8 != 0) valid[count / 8] = static_cast<unsigned char>(bits >> (8 - count % 8));
    offsets[count] = end;
}
