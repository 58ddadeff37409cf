#include "engine/model_files/safetensors.hpp"

#include "engine/base/json.hpp"

#include <algorithm>
#include <cstring>
#include <regex>

namespace plimsoll::model_files {
namespace {

// A header takes many times its size when it is parsed; that of 10,000 tensors has 1 MB.
constexpr std::size_t kLongestHeader = 4'000'000;
constexpr std::size_t kLengthBytes = 8;

NumberType type_of(std::string_view name) {
    if (name == "F64") return NumberType::float64;
    if (name == "F32") return NumberType::float32;
    if (name == "F16") return NumberType::float16;
    if (name == "BF16") return NumberType::bfloat16;
    return NumberType::other;
}

// A parser keeps the last of two equal members; such a file is refused instead.
Result<json> parse_header(std::string_view text) {
    std::vector<std::map<std::string, int, std::less<>>> open;
    std::string twice;
    bool deep = false;
    const json header = json::parse(
        text.begin(), text.end(),
        [&](int depth, json::parse_event_t event, json& parsed) {
            constexpr int kDeepest = 8;
            deep |= depth > kDeepest;
            if (event == json::parse_event_t::object_start) open.emplace_back();
            if (event == json::parse_event_t::object_end) open.pop_back();
            if (event == json::parse_event_t::key && ++open.back()[parsed.get<std::string>()] > 1)
                twice = parsed.get<std::string>();
            return !deep;
        },
        false);
    if (!twice.empty()) return fail(Errc::corrupt, "The header names \"" + twice + "\" twice.");
    if (deep || !header.is_object()) return fail(Errc::corrupt, "The header is not a JSON object.");
    return header;
}

struct Placed {
    std::uint64_t begin;
    std::uint64_t end;
    std::string name;
};

bool is_size(const json& value) { return value.is_number_unsigned(); }

Result<Placed> add_tensor(const std::string& name, const json& entry,
                          std::span<const std::byte> data, TensorFile& into) {
    const auto refuse = [&](const std::string& what) {
        return fail(Errc::corrupt, "The tensor \"" + name + "\" " + what);
    };
    const auto has = [&](const char* key) { return entry.is_object() && entry.contains(key); };
    if (!has("dtype") || !has("shape") || !has("data_offsets") || !entry["dtype"].is_string() ||
        !entry["shape"].is_array() || !std::ranges::all_of(entry["shape"], is_size) ||
        !entry["data_offsets"].is_array() || entry["data_offsets"].size() != 2 ||
        !std::ranges::all_of(entry["data_offsets"], is_size)) {
        return refuse("needs \"dtype\", \"shape\" and two \"data_offsets\".");
    }
    const Placed placed{entry["data_offsets"][0], entry["data_offsets"][1], name};
    if (placed.begin > placed.end || placed.end > data.size())
        return refuse("lies outside the file.");
    Tensor tensor{.type = type_of(entry["dtype"].get<std::string_view>()),
                  .shape = entry["shape"].get<std::vector<std::uint64_t>>(),
                  .bytes = data.subspan(placed.begin, placed.end - placed.begin)};
    TRY(const auto numbers, numbers_of(tensor.shape));
    const auto wide = bytes_of(tensor.type);
    if (wide != 0 && (numbers > tensor.bytes.size() || numbers * wide != tensor.bytes.size())) {
        return refuse("has " + std::to_string(tensor.bytes.size()) + " bytes, but its shape is " +
                      to_string(tensor.shape) + ".");
    }
    into.tensors.emplace(name, std::move(tensor));
    return placed;
}

// Tensors follow one another without gap or overlap and fill the file.
Result<void> check_layout(std::vector<Placed> placed, std::uint64_t size) {
    std::ranges::sort(placed, {}, [](const Placed& p) { return std::pair(p.begin, p.end); });
    std::uint64_t at = 0;
    for (const auto& one : placed) {
        if (one.begin != at) {
            return fail(Errc::corrupt, "The tensor \"" + one.name + "\" " +
                                           (one.begin < at ? "overlaps the one before it."
                                                           : "is preceded by a gap."));
        }
        at = one.end;
    }
    if (at != size) return fail(Errc::corrupt, "The file has data after its last tensor.");
    return {};
}

Result<void> read_tensors(TensorFile& into) {
    const auto bytes = into.parts.front().bytes();
    std::uint64_t length = 0;
    if (bytes.size() < kLengthBytes) return fail(Errc::corrupt, "The file is too short.");
    std::memcpy(&length, bytes.data(), kLengthBytes);
    if (length > kLongestHeader || length > bytes.size() - kLengthBytes) {
        return fail(Errc::corrupt, "The header length of " + std::to_string(length) +
                                       " bytes exceeds the file size or the limit of 4 MB.");
    }
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()) + kLengthBytes, length);
    TRY(const auto header, parse_header(text));
    const auto data = bytes.subspan(kLengthBytes + length);
    std::vector<Placed> placed;
    for (const auto& [name, entry] : header.items()) {
        if (name == "__metadata__") continue;
        TRY(auto one, add_tensor(name, entry, data, into));
        placed.push_back(std::move(one));
    }
    return check_layout(std::move(placed), data.size());
}

}  // namespace

Result<TensorFile> read_safetensors(const std::filesystem::path& path) {
    TRY(auto file, MappedFile::open(path));
    TensorFile read;
    read.parts.push_back(std::move(file));
    if (auto done = read_tensors(read); !done) {
        auto error = done.error();
        error.message = path.filename().string() + " is corrupt. " + error.message;
        error.where = path.string();
        return fail(std::move(error));
    }
    return read;
}

Result<TensorFile> read_safetensors_parts(const std::filesystem::path& index) {
    const auto refuse = [&](const std::string& what) {
        return fail(Errc::corrupt, index.filename().string() + " " + what, index.string());
    };
    TRY(const auto text, read_text(index, kLongestHeader));
    TRY(const auto header, parse_header(text));
    const auto map = header.find("weight_map");
    if (map == header.end() || !map->is_object() || map->empty())
        return refuse("does not map tensors to files.");
    std::map<std::string, TensorFile, std::less<>> files;
    TensorFile all;
    for (const auto& [name, part] : map->items()) {
        const auto file = part.is_string() ? part.get<std::string>() : "";
        if (!is_safetensors_part(file))
            return refuse("places \"" + name +
                          "\" in a file that is no part of model.safetensors.");
        auto known = files.find(file);
        if (known == files.end()) {
            TRY(auto read, read_safetensors(index.parent_path() / file));
            known = files.emplace(file, std::move(read)).first;
        }
        auto tensor = known->second.tensors.extract(name);
        if (!tensor) return refuse("places \"" + name + "\" in " + file + ", which lacks it.");
        all.tensors.insert(std::move(tensor));
    }
    for (auto& [name, file] : files) all.parts.push_back(std::move(file.parts.front()));
    return all;
}

bool is_safetensors_part(std::string_view name) {
    static const std::regex kParts(R"(model-\d{5}-of-\d{5}\.safetensors)");
    return std::regex_match(name.begin(), name.end(), kParts);
}

}  // namespace plimsoll::model_files
