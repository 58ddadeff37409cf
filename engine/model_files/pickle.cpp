#include "engine/model_files/pickle.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace plimsoll::model_files {
namespace {

constexpr std::size_t kMaxValues = 1'000'000;

using Kind = Pickle::Kind;
using Place = Pickle::Place;

// Operations by their bytes; source: pickletools of Python 3.11.
enum Operation : std::uint8_t {
    kMark = '(',
    kStop = '.',
    kPop = '0',
    kNone = 'N',
    kReduce = 'R',
    kBuild = 'b',
    kGlobal = 'c',
    kEmptyDict = '}',
    kEmptyList = ']',
    kEmptyTuple = ')',
    kTuple = 't',
    kAppend = 'a',
    kAppends = 'e',
    kSetItem = 's',
    kSetItems = 'u',
    kBinInt = 'J',
    kBinInt1 = 'K',
    kBinInt2 = 'M',
    kBinFloat = 'G',
    kBinUnicode = 'X',
    kBinString = 'T',
    kShortBinString = 'U',
    kBinGet = 'h',
    kLongBinGet = 'j',
    kBinPut = 'q',
    kLongBinPut = 'r',
    kBinPersId = 'Q',
    kProto = 0x80,
    kTuple1 = 0x85,
    kTuple2 = 0x86,
    kTuple3 = 0x87,
    kNewTrue = 0x88,
    kNewFalse = 0x89,
    kLong1 = 0x8a,
    kShortBinUnicode = 0x8c,
    kStackGlobal = 0x93,
    kMemoize = 0x94,
    kFrame = 0x95,
};

class Reader {
  public:
    Reader(std::span<const std::byte> bytes, std::span<const std::string_view> allowed)
        : bytes_(bytes), allowed_(allowed) {}

    Result<Pickle> read() {
        while (!stopped_ && problem_.empty()) step();
        if (!problem_.empty()) {
            return fail(Errc::corrupt, "The pickle cannot be read at byte " + std::to_string(at_) +
                                           ": " + problem_ + ".");
        }
        pickle_.bytes = at_;
        return std::move(pickle_);
    }

  private:
    void refuse(std::string why) {
        if (problem_.empty()) problem_ = std::move(why);
    }

    std::span<const std::byte> take(std::size_t count) {
        if (count > bytes_.size() - at_) {
            refuse("it ends too early");
            at_ = bytes_.size();
            return {};
        }
        const auto taken = bytes_.subspan(at_, count);
        at_ += count;
        return taken;
    }
    std::uint64_t number(std::size_t wide) {
        std::uint64_t value = 0;
        const auto taken = take(wide);
        // What ends too early has no bytes at all, and no address to copy from.
        if (!taken.empty()) std::memcpy(&value, taken.data(), taken.size());
        return value;
    }
    std::string text(std::size_t length) {
        const auto taken = take(length);
        return {reinterpret_cast<const char*>(taken.data()), taken.size()};
    }
    std::string line() {
        std::string read;
        while (problem_.empty()) {
            const char next = static_cast<char>(number(1));
            if (next == '\n') break;
            read.push_back(next);
        }
        return read;
    }

    void push(Pickle::Value value) {
        if (pickle_.values.size() == kMaxValues) return refuse("it has more than a million values");
        stack_.push_back(static_cast<Place>(pickle_.values.size()));
        pickle_.values.push_back(std::move(value));
    }
    void push_number(std::int64_t value) { push({Kind::integer, value, {}, {}}); }
    void push_text(std::string value) { push({Kind::text, 0, std::move(value), {}}); }
    Place pop() {
        if (stack_.size() <= floor()) {
            refuse("its stack is empty");
            return 0;
        }
        const Place top = stack_.back();
        stack_.pop_back();
        return top;
    }
    std::size_t floor() const { return marks_.empty() ? 0 : marks_.back(); }
    std::vector<Place> pop_many(std::size_t count) {
        if (stack_.size() - floor() < count) {
            refuse("its stack is too short");
            return {};
        }
        std::vector<Place> items(stack_.end() - static_cast<std::ptrdiff_t>(count), stack_.end());
        stack_.resize(stack_.size() - count);
        return items;
    }
    std::vector<Place> pop_to_mark() {
        if (marks_.empty()) {
            refuse("a mark is missing");
            return {};
        }
        auto items = pop_many(stack_.size() - marks_.back());
        marks_.pop_back();
        return items;
    }
    void add_to(Kind kind, const std::vector<Place>& items) {
        if (stack_.size() <= floor()) return refuse("its stack is empty");
        auto& into = pickle_.values[stack_.back()];
        // A call of collections.OrderedDict is filled like a dictionary.
        if (into.kind != kind && !(kind == Kind::mapping && into.kind == Kind::call))
            return refuse("an item is added to a value that is not a container");
        if (kind == Kind::mapping && items.size() % 2 != 0) return refuse("a key has no value");
        if (into.kind == Kind::call) into.kind = Kind::mapping, into.items.clear();
        into.items.insert(into.items.end(), items.begin(), items.end());
    }

    void remember(std::size_t place) {
        if (stack_.empty()) return refuse("its stack is empty");
        if (place > memo_.size()) return refuse("its memo has a gap");
        if (place == memo_.size()) memo_.push_back(stack_.back());
        memo_[place] = stack_.back();
    }
    void recall(std::size_t place) {
        if (place >= memo_.size()) return refuse("it reads an unset memo entry");
        if (stack_.size() >= kMaxValues) return refuse("it has more than a million values");
        stack_.push_back(memo_[place]);
    }

    void push_global(const std::string& name) {
        if (std::ranges::find(allowed_, name) == allowed_.end()) {
            return refuse("it names \"" + name.substr(0, 200) +
                          "\", which is not allowed in tensor files");
        }
        push({Kind::global, 0, name, {}});
    }
    void stack_global() {
        const auto parts = pop_many(2);
        if (parts.size() != 2) return;
        push_global(pickle_.at(parts[0]).text + " " + pickle_.at(parts[1]).text);
    }

    void long_number() {
        const auto length = number(1);
        if (length > 8)  // only a magic number is longer: it is compared as bytes
            return push({Kind::other, 0, text(length), {}});
        auto value = number(length);
        if (length > 0 && length < 8 && (value >> (8 * length - 1)) != 0)
            value |= ~std::uint64_t{0} << (8 * length);
        push_number(std::bit_cast<std::int64_t>(value));
    }

    void step() {
        const auto operation = static_cast<std::uint8_t>(number(1));
        if (!problem_.empty() || numbers_and_texts(operation) || containers(operation)) return;
        switch (operation) {
            case kProto:
                if (number(1) > 4) refuse("its protocol is newer than 4");
                return;
            case kFrame: take(8); return;
            case kStop:
                pickle_.root = pop();
                stopped_ = true;
                return;
            case kPop: pop(); return;
            case kGlobal: {
                const auto module = line();
                return push_global(module + " " + line());
            }
            case kStackGlobal: return stack_global();
            case kReduce: return push({Kind::call, 0, {}, pop_many(2)});
            case kBuild:  // attributes of an object: no tensor is among them
                pop();
                return;
            case kBinPersId: return push({Kind::persistent, 0, {}, pop_many(1)});
            case kBinPut: return remember(number(1));
            case kLongBinPut: return remember(number(4));
            case kMemoize: return remember(memo_.size());
            case kBinGet: return recall(number(1));
            case kLongBinGet: return recall(number(4));
            default:
                refuse("operation " + std::to_string(operation) +
                       " is not allowed in tensor files");
        }
    }

    bool numbers_and_texts(std::uint8_t operation) {
        switch (operation) {
            case kNone: return push({}), true;
            case kNewTrue:
            case kNewFalse:
                return push({Kind::boolean, operation == kNewTrue ? 1 : 0, {}, {}}), true;
            case kBinInt: return push_number(static_cast<std::int32_t>(number(4))), true;
            case kBinInt1: return push_number(static_cast<std::int64_t>(number(1))), true;
            case kBinInt2: return push_number(static_cast<std::int64_t>(number(2))), true;
            case kLong1: return long_number(), true;
            case kBinFloat: return push({Kind::other, 0, text(8), {}}), true;
            case kBinUnicode:
            case kBinString: return push_text(text(number(4))), true;
            case kShortBinUnicode:
            case kShortBinString: return push_text(text(number(1))), true;
            default: return false;
        }
    }

    bool containers(std::uint8_t operation) {
        switch (operation) {
            case kMark: return marks_.push_back(stack_.size()), true;
            case kEmptyDict: return push({Kind::mapping, 0, {}, {}}), true;
            case kEmptyList:
            case kEmptyTuple: return push({Kind::sequence, 0, {}, {}}), true;
            case kTuple: return push({Kind::sequence, 0, {}, pop_to_mark()}), true;
            case kTuple1:
            case kTuple2:
            case kTuple3:
                return push({Kind::sequence, 0, {}, pop_many(operation - kTuple1 + 1U)}), true;
            case kAppend: return add_to(Kind::sequence, pop_many(1)), true;
            case kAppends: return add_after_mark(Kind::sequence), true;
            case kSetItem: return add_to(Kind::mapping, pop_many(2)), true;
            case kSetItems: return add_after_mark(Kind::mapping), true;
            default: return false;
        }
    }
    void add_after_mark(Kind kind) {
        const auto items = pop_to_mark();
        add_to(kind, items);
    }

    std::span<const std::byte> bytes_;
    std::span<const std::string_view> allowed_;
    std::size_t at_ = 0;
    bool stopped_ = false;
    std::string problem_;
    Pickle pickle_;
    std::vector<Place> stack_;
    std::vector<std::size_t> marks_;
    std::vector<Place> memo_;
};

}  // namespace

Result<Pickle> read_pickle(std::span<const std::byte> bytes,
                           std::span<const std::string_view> allowed) {
    return Reader(bytes, allowed).read();
}

}  // namespace plimsoll::model_files
