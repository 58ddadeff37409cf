#include "engine/training/advice/diagnosis.hpp"

#include <regex>
#include <string>

#include <fmt/format.h>

namespace plimsoll::training {
namespace {

constexpr std::string_view kBegin = "out of memory. Tried to allocate ";
constexpr std::size_t kLongestMessage = 800;  // in bytes, up to the advice on fragmentation

double gib_of(const std::string& number, const std::string& unit) {
    const double value = std::stod(number);
    if (unit == "GiB") return value;
    if (unit == "MiB") return value / 1024;
    return unit == "KiB" ? value / (1 << 20) : value / (1 << 30);
}

}  // namespace

std::optional<OutOfMemory> read_out_of_memory(std::string_view log) {
    const auto begin = log.rfind(kBegin);
    if (begin == std::string_view::npos) return std::nullopt;
    const std::string text(log.substr(begin, kLongestMessage));
    // PyTorch 2.0 wrote "capacty".
    static const std::regex amount(
        R"((Tried to allocate |capaci?ty of )?(\d+(?:\.\d+)?) (bytes|KiB|MiB|GiB)( total capacity| already allocated| free| is free| reserved in total| memory in use| is allocated by PyTorch| is reserved by PyTorch but)?)");
    OutOfMemory out;
    std::optional<double> reserved;
    for (auto at = std::sregex_iterator(text.begin(), text.end(), amount);
         at != std::sregex_iterator(); ++at) {
        const auto before = (*at)[1].str(), after = (*at)[4].str();
        const double value = gib_of((*at)[2], (*at)[3]);
        if (before.starts_with("Tried")) {
            if (out.tried > 0) break;  // the next message
            out.tried = value;
        } else if (before.starts_with("capac") || after == " total capacity") {
            out.total = value;
        } else if (after.ends_with("free")) {
            out.free = value;
        } else if (after == " memory in use") {
            out.process = value;  // other processes, in the same words, come before
        } else if (after.ends_with("allocated") || after == " is allocated by PyTorch") {
            out.allocated = value;
        } else if (after == " is reserved by PyTorch but") {
            out.unallocated = value;
        } else if (after == " reserved in total") {
            reserved = value;
        }
    }
    if (reserved && out.allocated) out.unallocated = *reserved - *out.allocated;
    return out;
}

std::vector<Cause> causes_of(const OutOfMemory& m) {
    constexpr double kOthers = 0.5;  // GiB; less is the driver's
    std::vector<Cause> out;
    if (m.total && m.tried > *m.total)
        out.push_back({fmt::format("a single allocation of {:.2f} GiB on a GPU of {:.2f} GiB",
                                   m.tried, *m.total),
                       "shorten the texts, or compute the loss in pieces (--fused-loss)",
                       "no setting of the allocator makes room for it", false});
    if (m.unallocated && *m.unallocated >= m.tried)
        out.push_back(
            {fmt::format("{:.2f} GiB is reserved but in pieces, more than the {:.2f} GiB wanted",
                         *m.unallocated, m.tried),
             "set PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True",
             "the run fits without any other change if the pieces can be joined", false});
    const double others = m.total && m.free && m.process ? *m.total - *m.free - *m.process : 0;
    if (others > kOthers)
        out.push_back({fmt::format("other processes hold {:.2f} GiB of the GPU", others),
                       "look for them with nvidia-smi, and end those that you do not need",
                       fmt::format("{:.2f} GiB more for the run", others), false});
    return out;
}

}  // namespace plimsoll::training
