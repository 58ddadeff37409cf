#include "engine/text/record_reader.hpp"

#include "engine/text/csv_reader.hpp"
#include "engine/text/json_lines_reader.hpp"

#include <utility>

namespace plimsoll::text {

std::unique_ptr<RecordReader> make_record_reader(RecordFormat format, RecordColumns columns,
                                                 ReaderLimits limits) {
    if (format == RecordFormat::csv) {
        return std::make_unique<CsvReader>(std::move(columns), limits);
    }
    return std::make_unique<JsonLinesReader>(std::move(columns), limits);
}

}  // namespace plimsoll::text
