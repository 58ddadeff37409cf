#pragma once

#include "engine/base/members.hpp"
#include "engine/text/record_layout.hpp"
#include "server/jobs/kind.hpp"
#include "server/jobs/records/dataset.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace plimsoll::jobs {

// What a kind of texts defines; the rest of its contract follows from it. Texts come as "texts", as
// "items" (text and custom_id) or from a "dataset" with "columns".
struct TextKind {
    // Columns of a result row: "index", "line" and "custom_id" first, "error_code" and "error"
    // last.
    std::span<const Column> columns;
    // A longer text is an error of its item. In bytes of UTF-8, below kChunkBytes.
    std::size_t longest_text = 0;
    // Estimates, see TaskSpec.
    double seconds_per_item = 0;
    double seconds_per_byte = 0;
};

// What the tasks of any kind of texts need of a plan's args. Inline texts are stored as they are;
// jobs on a dataset share its raw records, in which `source` finds the texts.
struct TextArgs {
    std::string dataset;
    std::optional<text::RecordLayout> source;
    // Of inline items; those of a dataset are in `source`.
    std::vector<std::string> keep;   // the names in their `kept`
    std::vector<std::string> given;  // "custom_id" and the attributes that some of them have

    const std::vector<std::string>& kept() const { return source ? source->columns.keep : keep; }

    static void members(auto& visit, auto& self) {
        visit("dataset", self.dataset);
        visit("source", self.source);
        visit("keep", self.keep);
        visit("given", self.given);
    }
};

}  // namespace plimsoll::jobs

template <>
struct nlohmann::adl_serializer<plimsoll::text::RecordFormat> {
    static void to_json(json& to, plimsoll::text::RecordFormat format) {
        to = plimsoll::jobs::to_string(format);
    }
    static void from_json(const json& from, plimsoll::text::RecordFormat& format) {
        format = plimsoll::jobs::parse_format(from.get_ref<const std::string&>());
    }
};
