#include "engine/training/recorded/snapshot.hpp"

#include "engine/training/recorded/snapshot_meaning.hpp"

#include <algorithm>
#include <cstring>

namespace plimsoll::training {
namespace {

using Value = SnapshotValue;
using Kind = Value::Kind;

constexpr std::size_t kMaxStack = std::size_t{1} << 20;

// Python's pickle, protocols 2 to 5, without what imports or calls. Little-endian, as this machine.
class Unpickler {
  public:
    explicit Unpickler(std::span<const std::byte> bytes)
        : at_(reinterpret_cast<const char*>(bytes.data())), end_(at_ + bytes.size()) {
        // An event takes 50 bytes and more. Memory that is not needed is never touched.
        memo_.reserve(bytes.size() / 48);
        meaning_.reserve(bytes.size() / 48);
    }

    Result<Recording> read() {
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
    // Python remembers each event: half the size of a value. Numbers are never remembered.
    class Remembered {
      public:
        Remembered() = default;
        explicit Remembered(Value value)
            : kind_(static_cast<std::uint64_t>(value.kind)), bits_(value.bits) {}
        Value value() const { return {static_cast<Kind>(kind_), bits_}; }

      private:
        std::uint64_t kind_ : 8 = 0;
        std::uint64_t bits_ : 56 = 0;
    };

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

    template <class Size>
    bool text() {
        Size size = 0;
        std::string_view value;
        return take(size) && bytes(size, value) && push({Kind::text, meaning_.intern(value)});
    }

    template <class Slot>
    bool remember() {
        Slot slot = 0;
        return take(slot) && remember_at(slot);
    }

    bool remember_at(std::uint64_t slot) {
        if (stack_.empty() || slot > memo_.size()) return false;
        if (slot == memo_.size()) memo_.emplace_back();
        auto& top = stack_.back();
        if (is_empty(top)) top.bits = slot + 1;
        memo_[slot] = Remembered(top);
        return true;
    }

    template <class Slot>
    bool recall() {
        Slot slot = 0;
        return take(slot) && slot < memo_.size() && push(memo_[slot].value());
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
        if (is_empty(before) && before.bits > 0) memo_[before.bits - 1] = Remembered(container);
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
        switch (code) {                                         // Lib/pickle.py has their names
            case 0x80: return pass(1);                          // PROTO
            case 0x95: return pass(8);                          // FRAME
            case '(': return mark();                            // MARK
            case '}': return push({Kind::dictionary});          // EMPTY_DICT
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
    std::vector<Remembered> memo_;
    SnapshotMeaning meaning_;
    bool is_foreign_ = false;
};

}  // namespace

Result<Recording> read_snapshot(std::span<const std::byte> pickle) {
    return Unpickler(pickle).read();
}

}  // namespace plimsoll::training
