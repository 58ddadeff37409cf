#include "engine/training/recorded/snapshot.hpp"

#include "engine/training/recorded/snapshot_meaning.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>

namespace plimsoll::training {
namespace {

using Value = SnapshotValue;
using Kind = Value::Kind;

constexpr std::size_t kMaxStack = std::size_t{1} << 20;
constexpr std::size_t kLongText = 56;
constexpr std::size_t kItems = 32;
constexpr char kMemoize = '\x94';
constexpr char kProtocol = '\x80';
constexpr unsigned kNewestProtocol = 5;

// What Python remembers, by numbers that it counts. Most of it are events, which nothing refers to
// again: they are left out, and room is made by the thousand where something is kept.
class Memo {
  public:
    std::uint64_t size() const { return size_; }
    void leave_out(std::uint64_t count) { size_ += count; }

    // `slot` is at most size().
    void keep(std::uint64_t slot, Value value) {
        size_ = std::max(size_, slot + 1);
        const auto at = static_cast<std::size_t>(slot / kShelf);
        if (at >= shelves_.size()) shelves_.resize(at + 1);
        if (!shelves_[at]) shelves_[at] = std::make_unique<Shelf>();
        (*shelves_[at])[slot % kShelf] = value;
    }

    Value at(std::uint64_t slot) const {
        const auto at = static_cast<std::size_t>(slot / kShelf);
        return at < shelves_.size() && shelves_[at] ? (*shelves_[at])[slot % kShelf] : Value();
    }

  private:
    static constexpr std::uint64_t kShelf = 1024;
    using Shelf = std::array<Value, kShelf>;
    std::vector<std::unique_ptr<Shelf>> shelves_;
    std::uint64_t size_ = 0;
};

// Python's pickle, protocols 2 to 5, without what imports or calls. Little-endian, as this machine.
class Unpickler {
  public:
    explicit Unpickler(std::span<const std::byte> bytes)
        : at_(reinterpret_cast<const char*>(bytes.data())), end_(at_ + bytes.size()) {
        // An event takes 50 bytes and more. Memory that is not needed is never touched.
        meaning_.reserve(bytes.size() / 48);
    }

    Result<Recording> read() {
        if (at_ == end_ || *at_ != kProtocol)
            return fail(Errc::corrupt,
                        "The file is no pickle, as torch.cuda.memory._dump_snapshot() writes it: "
                        "nothing in it is run.");
        if (end_ - at_ > 1 && static_cast<unsigned char>(at_[1]) > kNewestProtocol)
            return fail(Errc::corrupt, "The file is a pickle of a newer protocol than " +
                                           std::to_string(kNewestProtocol) + ".");
        while (at_ != end_) {
            const auto code = static_cast<unsigned char>(*at_++);
            if (code == '.' && !stack_.empty()) return meaning_.finish(stack_.back());
            if (step(code)) continue;
            if (meaning_.is_too_large())
                return fail(Errc::too_large,
                            "The snapshot has too many events, or too large ones.");
            break;
        }
        if (is_foreign_)
            return fail(Errc::corrupt,
                        "The snapshot holds more than numbers, texts, lists and "
                        "dictionaries: nothing in it is run.");
        return fail(Errc::corrupt, "The snapshot is cut off or damaged.");
    }

  private:
    // What follows returns false if the snapshot is not to be read any further.

    template <class T>
    bool take(T& out) {
        std::string_view found;
        if (!bytes(sizeof out, found)) return false;
        std::memcpy(&out, found.data(), sizeof out);
        return true;
    }

    bool bytes(std::uint64_t size, std::string_view& out) {
        if (size > static_cast<std::uint64_t>(end_ - at_)) return false;
        out = {at_, size};
        at_ += size;
        return true;
    }

    bool pass(std::uint64_t size) {
        std::string_view passed;
        return bytes(size, passed);
    }

    bool push(Value value) {
        if (stack_.size() >= kMaxStack) return false;
        stack_.push_back(value);
        return true;
    }

    template <class T>
    bool number() {
        T value;
        return take(value) && push({Kind::number, static_cast<std::uint64_t>(std::int64_t{value})});
    }

    bool long_number() {
        std::uint8_t size = 0;
        std::string_view value;
        if (!take(size) || !bytes(size, value)) return false;
        std::uint64_t out = 0;
        std::memcpy(&out, value.data(), std::min<std::size_t>(size, sizeof out));
        return push({Kind::number, out});
    }

    template <class T>
    static T taken(const char*& at) {
        T value;
        std::memcpy(&value, at, sizeof value);
        at += sizeof value;
        return value;
    }

    bool recalled(const char*& at, Value& out) const {
        std::uint64_t slot = 0;
        if (*at == 'h')
            slot = taken<std::uint8_t>(++at);
        else if (*at == 'j')
            slot = taken<std::uint32_t>(++at);
        else
            return false;
        out = memo_.at(slot);
        return slot < memo_.size();
    }

    // `places` counts what Python remembers meanwhile.
    bool plain(const char*& at, Value& out, std::uint64_t& places) {
        const auto number = [&](std::uint64_t value) {
            out = {Kind::number, value};
            return true;
        };
        switch (static_cast<unsigned char>(*at)) {
            case 'K': return number(taken<std::uint8_t>(++at));
            case 'M': return number(taken<std::uint16_t>(++at));
            case 'J':
                return number(static_cast<std::uint64_t>(std::int64_t{taken<std::int32_t>(++at)}));
            case 0x8a: {
                const auto size = taken<std::uint8_t>(++at);
                if (size == 0 || size > sizeof(std::uint64_t)) return false;
                const auto unused = 8 * (sizeof(std::uint64_t) - size);
                const char* value = at;
                at += size;
                return number(taken<std::uint64_t>(value) << unused >> unused);
            }
            case 0x8c: {
                const auto size = taken<std::uint8_t>(++at);
                if (size > kLongText || std::string_view(at, size) != own_ || at[size] != kMemoize)
                    return false;
                at += size + 1;
                ++places;
                out = own_value_;
                return true;
            }
            default: return recalled(at, out);
        }
    }

    // Nearly all of a snapshot, at once: a dictionary whose keys Python recalls, and whose values
    // are numbers, recalled, or texts that it wrote before instead of recalling them, so that it
    // never will. Returns false, with nothing taken, at anything else.
    bool flat_dictionary() {
        constexpr std::ptrdiff_t kLongest = 3 + kItems / 2 * (5 + 3 + kLongText);
        if (end_ - at_ < kLongest || at_[0] != kMemoize || at_[1] != '(') return false;
        const char* at = at_ + 2;
        std::uint64_t places = 1;
        std::size_t count = 0;
        for (; *at != 'u'; count += 2)
            if (count == kItems || !recalled(at, items_[count]) ||
                !plain(at, items_[count + 1], places))
                return false;
        const auto value = meaning_.dictionary({items_.data(), count});
        if (meaning_.is_too_large() || !push(value)) return false;
        at_ = at + 1;
        const auto slot = memo_.size();
        memo_.leave_out(places);
        if (value.kind != Kind::event) memo_.keep(slot, value);
        return true;
    }

    template <class Size>
    bool text() {
        Size size = 0;
        std::string_view value;
        if (!take(size) || !bytes(size, value)) return false;
        own_ = value;
        own_value_ = {Kind::text, meaning_.intern(value)};
        return push(own_value_);
    }

    template <class Slot>
    bool remember() {
        Slot slot = 0;
        return take(slot) && remember_at(slot);
    }

    bool remember_at(std::uint64_t slot) {
        if (stack_.empty() || slot > memo_.size()) return false;
        auto& top = stack_.back();
        if (is_empty(top)) top.bits = slot + 1;
        memo_.keep(slot, top);
        return true;
    }

    template <class Slot>
    bool recall() {
        Slot slot = 0;
        return take(slot) && slot < memo_.size() && push(memo_.at(slot));
    }

    static bool is_empty(Value value) {
        return value.kind == Kind::dictionary || value.kind == Kind::list;
    }

    // The values from there on belong to the container before them.
    bool fill(std::size_t from, bool keyed) {
        if (from == 0 || from > stack_.size()) return false;
        auto& container = stack_[from - 1];
        const auto before = container;
        const std::span<const Value> items(stack_.data() + from, stack_.size() - from);
        if (!keyed)
            container = meaning_.list(before, items);
        else if (before.kind == Kind::dictionary)
            container = meaning_.dictionary(items);
        if (is_empty(before) && before.bits > 0) memo_.keep(before.bits - 1, container);
        stack_.resize(from);
        return !meaning_.is_too_large();
    }

    bool fill_last(std::size_t count, bool keyed) {
        return stack_.size() >= count && fill(stack_.size() - count, keyed);
    }

    bool mark() {
        if (marks_.size() >= kMaxStack) return false;
        marks_.push_back(stack_.size());
        return true;
    }

    bool take_mark(std::size_t& from) {
        if (marks_.empty()) return false;
        from = marks_.back();
        marks_.pop_back();
        return from <= stack_.size();
    }

    bool fill_from_mark(bool keyed) {
        std::size_t from = 0;
        return take_mark(from) && fill(from, keyed);
    }

    bool tuple(std::size_t count) {
        if (stack_.size() < count) return false;
        stack_.resize(stack_.size() - count);
        return push({});
    }

    bool tuple_from_mark() {
        std::size_t from = 0;
        return take_mark(from) && tuple(stack_.size() - from);
    }

    bool byte_string() {
        std::uint8_t size = 0;
        return take(size) && pass(size) && push({});
    }

    bool step(unsigned char code) {
        switch (code) {                 // Lib/pickle.py has their names
            case 0x80: return pass(1);  // PROTO
            case 0x95: return pass(8);  // FRAME
            case '(': return mark();    // MARK
            case '}':                   // EMPTY_DICT
                return flat_dictionary() || push({Kind::dictionary});
            case ']': return push({Kind::list});                // EMPTY_LIST
            case ')':                                           // EMPTY_TUPLE
            case 'N':                                           // NONE
            case 0x88:                                          // NEWTRUE
            case 0x89: return push({});                         // NEWFALSE
            case 'J': return number<std::int32_t>();            // BININT
            case 'K': return number<std::uint8_t>();            // BININT1
            case 'M': return number<std::uint16_t>();           // BININT2
            case 'G': return pass(8) && push({});               // BINFLOAT
            case 0x8a: return long_number();                    // LONG1
            case 0x8c: return text<std::uint8_t>();             // SHORT_BINUNICODE
            case 'X': return text<std::uint32_t>();             // BINUNICODE
            case 'C': return byte_string();                     // SHORT_BINBYTES
            case 0x94: return remember_at(memo_.size());        // MEMOIZE
            case 'q': return remember<std::uint8_t>();          // BINPUT
            case 'r': return remember<std::uint32_t>();         // LONG_BINPUT
            case 'h': return recall<std::uint8_t>();            // BINGET
            case 'j': return recall<std::uint32_t>();           // LONG_BINGET
            case 'a': return fill_last(1, false);               // APPEND
            case 's': return fill_last(2, true);                // SETITEM
            case 'e': return fill_from_mark(false);             // APPENDS
            case 'u': return fill_from_mark(true);              // SETITEMS
            case 't': return tuple_from_mark();                 // TUPLE
            case 0x85:                                          // TUPLE1
            case 0x86:                                          // TUPLE2
            case 0x87: return tuple(code - std::size_t{0x84});  // TUPLE3
            case '.': return false;
            default: is_foreign_ = true; return false;
        }
    }

    const char* at_;
    const char* end_;
    std::vector<Value> stack_;
    std::vector<std::size_t> marks_;
    Memo memo_;
    std::string_view own_;  // the last text that was written instead of recalled
    Value own_value_;
    std::array<Value, kItems> items_;  // of flat_dictionary()
    SnapshotMeaning meaning_;
    bool is_foreign_ = false;
};

}  // namespace

Result<Recording> read_snapshot(std::span<const std::byte> pickle) {
    return Unpickler(pickle).read();
}

}  // namespace plimsoll::training
