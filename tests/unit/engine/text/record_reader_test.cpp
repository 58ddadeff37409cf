#include "engine/text/record_reader.hpp"

#include "engine/text/utf8.hpp"

#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace plimsoll::text {
namespace {

// One line a record, or the failure of the file.
using Lines = std::vector<std::string>;

std::string shown(const ReadRecord& read) {
    const std::string line = std::to_string(read.line) + ": ";
    if (read.record.error) return line + "!" + read.record.error->code;
    return line + read.record.custom_id.value_or("-") + "|" + read.record.text;
}

struct Input {
    RecordFormat format = RecordFormat::csv;
    RecordColumns columns = {};
    ReaderLimits limits = {};
};

Lines read(const Input& input, const std::vector<std::string_view>& pieces) {
    RecordReader reader(input.format, input.columns, input.limits);
    Lines lines;
    const RecordSink sink = [&](const ReadRecord& record) { lines.push_back(shown(record)); };
    for (const std::string_view piece : pieces) {
        if (const auto fed = reader.feed(piece, sink); !fed) {
            lines.push_back("failed: " + fed.error().message);
            return lines;
        }
    }
    if (const auto finished = reader.finish(sink); !finished)
        lines.push_back("failed: " + finished.error().message);
    return lines;
}

Lines read(const Input& input, std::string_view text) {
    return read(input, std::vector<std::string_view>{text});
}

Lines csv(std::string_view text) { return read({}, text); }
Lines json_lines(std::string_view text) {
    return read({.format = RecordFormat::json_lines, .columns = {}, .limits = {}}, text);
}

constexpr std::string_view kCsv =
    "\xEF\xBB\xBF"
    "custom_id,text,note\r\n"
    "a,plain,x\r\n"
    "b,\"quoted, with comma and \"\"quotes\"\"\",x\n"
    "\n"
    "c,\"two\r\nlines\",x\r"
    "d,say \"hi\",x\n"
    ",no id,x\n"
    "e,too,many,fields\n"
    "f,few\n"
    "g,\"bad\"quote,x\n"
    "h,\xFF,x\n"
    "i,\xC3\xA9t\xC3\xA9,\xFF is not looked at\n"
    "j,\"\",x\n"
    "k,\"never closed\nx";

TEST(CsvReader, ReadsStandardCsvAndReportsViolations) {
    EXPECT_EQ(csv(kCsv),
              (Lines{"2: a|plain", "3: b|quoted, with comma and \"quotes\"", "5: c|two\r\nlines",
                     "7: d|say \"hi\"", "8: -|no id", "9: !wrong_field_count",
                     "10: !wrong_field_count", "11: !bad_quote", "12: !invalid_utf8",
                     "13: i|\xC3\xA9t\xC3\xA9", "14: j|", "15: !unterminated_quote"}));
}

TEST(CsvReader, UsesTheMostFrequentDelimiterOfTheHeader) {
    EXPECT_EQ(csv("custom_id;text\na;up, up\nb;\"x;\"\"y\"\"\"\r\nc;d;e\n"),
              (Lines{"2: a|up, up", "3: b|x;\"y\"", "4: !wrong_field_count"}));
    EXPECT_EQ(csv("text\tcustom_id\n\"two\nlines\"\ta\n,;\t\"b\"\n"),
              (Lines{"2: a|two\nlines", "4: b|,;"}));
    EXPECT_EQ(csv("\"a;b;c\",text\nx,up\n"), (Lines{"2: -|up"})) << "not those inside quotes";
    EXPECT_EQ(csv("text,a;b\nup,x\n"), (Lines{"2: -|up"})) << "commas where there are as many";
    EXPECT_EQ(csv("custom_id|text\na|up, up\n"), (Lines{"2: a|up, up"}));
}

TEST(CsvReader, UsesTheDelimiterThatTheFirstLineNames) {
    EXPECT_EQ(csv("sep=;\r\ncustom_id;text\r\na;up\r\n"), (Lines{"3: a|up"}));
    EXPECT_EQ(csv("sep=;\n\"a,b,c\";text\nx;up\n"), (Lines{"3: -|up"}));
    EXPECT_EQ(csv("sep=x\ntext\nup\n"),
              (Lines{"failed: The first line names a delimiter that is no comma, semicolon, tab or "
                     "pipe."}));
}

TEST(CsvReader, ColumnsAreFoundByNameOrAreTheOnlyOne) {
    EXPECT_EQ(csv("headline\nup\n"), (Lines{"2: -|up"}));
    EXPECT_EQ(read({.columns = {.text = "body", .custom_id = "key"}}, "key,body\n1,up\n"),
              (Lines{"2: 1|up"}));
    EXPECT_EQ(csv("a,b\n1,2\n"),
              (Lines{"failed: There is no column \"text\". The columns are: \"a\" \"b\""}));
    EXPECT_EQ(read({.columns = {.text = "", .custom_id = "key"}}, "text\nx\n"),
              (Lines{"failed: There is no column \"key\". The columns are: \"text\""}));
    EXPECT_EQ(csv("text,text\n1,2\n"),
              (Lines{"failed: The column \"text\" occurs more than once."}));
    EXPECT_EQ(csv(""), (Lines{"failed: The file has no header line."}));
    EXPECT_EQ(csv("\"text"), (Lines{"failed: A quote in the header is not closed."}));
    EXPECT_EQ(csv("text"), Lines{});
}

TEST(CsvReader, KeepsTheHeaderForPreviews) {
    RecordReader reader(RecordFormat::csv);
    const RecordSink sink = [](const ReadRecord&) {};
    ASSERT_TRUE(reader.feed("when,text\n", sink));
    EXPECT_EQ(reader.header(), (std::vector<std::string>{"when", "text"}));
}

constexpr std::string_view kJsonLines =
    "\"a bare string\"\r\n"
    "{\"custom_id\":\"a\",\"text\":\"line\\nbreak \\u00e9\",\"other\":[1]}\n"
    "\n"
    "  \n"
    "{\"custom_id\":7,\"text\":\"\"}\n"
    "{\"custom_id\":null,\"text\":\"none\"}\n"
    "{\"text\":5}\n"
    "{\"body\":\"x\"}\n"
    "[1]\n"
    "{\"text\":\"cut\n"
    "{\"text\":\"\xFF\"}\n"
    "{\"custom_id\":1.5,\"text\":\"x\"}\n"
    "{\"custom_id\":\"0123456789012345678901234567890123456789012345678901234567890123x\","
    "\"text\":\"x\"}\n"
    "{\"text\":\"last, without line end\"}";

TEST(JsonLinesReader, ReadsStringsAndObjectsAndReportsTheRest) {
    EXPECT_EQ(json_lines(kJsonLines),
              (Lines{"1: -|a bare string", "2: a|line\nbreak \xC3\xA9", "5: 7|", "6: -|none",
                     "7: !invalid_record", "8: !missing_text", "9: !invalid_record",
                     "10: !invalid_json", "11: !invalid_json", "12: !invalid_record",
                     "13: !custom_id_too_long", "14: -|last, without line end"}));
    EXPECT_EQ(json_lines(""), Lines{});
}

TEST(JsonLinesReader, NamesTheMembersOfAnObjectWithoutText) {
    std::string told;
    const RecordSink sink = [&](const ReadRecord& read) { told = read.record.error->message; };
    RecordReader reader(RecordFormat::json_lines, {});
    ASSERT_TRUE(reader.feed("{\"id\":1,\"full_text\":\"x\"}\n", sink));
    EXPECT_EQ(told, "Line 1: the object has no member \"text\". It has: full_text, id.");
}

TEST(JsonLinesReader, WhatIsNestedTooDeeplyIsRefused) {
    const auto nested = [](std::size_t levels) {
        return R"({"text":"[\"[","kept":)" + std::string(levels, '[') + std::string(levels, ']') +
               '}';
    };
    EXPECT_EQ(json_lines(nested(255)), (Lines{R"(1: -|["[)"}));
    EXPECT_EQ(json_lines(nested(256)), (Lines{"1: !invalid_json"}));
    EXPECT_EQ(json_lines(nested(100'000)), (Lines{"1: !invalid_json"}));
}

TEST(JsonLinesReader, MembersAreFoundByName) {
    EXPECT_EQ(read({.format = RecordFormat::json_lines,
                    .columns = {.text = "body", .custom_id = "key"},
                    .limits = {}},
                   "{\"key\":\"k\",\"body\":\"up\",\"text\":\"no\"}"),
              (Lines{"1: k|up"}));
}

std::string in_utf16(std::string_view text, bool little) {
    std::string out;
    const auto add = [&](unsigned unit) {
        const char bytes[] = {static_cast<char>(unit >> 8), static_cast<char>(unit & 0xFF)};
        out.push_back(bytes[little ? 1 : 0]);
        out.push_back(bytes[little ? 0 : 1]);
    };
    add(0xFEFF);
    for (std::size_t at = 0; at < text.size();) {
        const auto [c, length, valid] = decode_utf8(text, at);
        at += length;
        if (c < 0x10000) {
            add(c);
        } else {
            add(0xD800 + ((c - 0x10000) >> 10));
            add(0xDC00 + ((c - 0x10000) & 0x3FF));
        }
    }
    return out;
}

TEST(RecordReader, Utf16IsReadAndAMarkInTheMiddleIsContent) {
    const std::string text = "text;custom_id\nfalling \xF0\x9F\x93\x89 prices;\xC3\xA9\n";
    const Lines expected{"2: \xC3\xA9|falling \xF0\x9F\x93\x89 prices"};
    for (const bool little : {true, false}) {
        const auto wide = in_utf16(text, little);
        for (std::size_t at = 0; at <= wide.size(); ++at) {
            const std::string_view whole = wide;
            EXPECT_EQ(read({}, {whole.substr(0, at), whole.substr(at)}), expected) << at;
        }
        EXPECT_EQ(json_lines(in_utf16("\"up\"\n", little)), (Lines{"1: -|up"}));
    }
    EXPECT_EQ(csv({"\xFF\xFEx\0\n\0\0\xD8\n\0\0\xDC", 12}),
              (Lines{"2: -|\xEF\xBF\xBD", "3: -|\xEF\xBF\xBD"}))
        << "halves of a pair";
    EXPECT_EQ(csv({"\xFF\xFEx\0\n\0y", 7}), (Lines{"2: -|\xEF\xBF\xBD"})) << "half a unit";
    EXPECT_EQ(csv("text\n\xEF\xBB\xBFx"), (Lines{"2: -|\xEF\xBB\xBFx"}));
    EXPECT_EQ(csv("\xEF\xBB\xBF"), (Lines{"failed: The file has no header line."}));
    EXPECT_EQ(json_lines("\xEF\xBB"), (Lines{"1: !invalid_json"}));
}

TEST(RecordReader, ANullIsAnErrorInItsPlace) {
    EXPECT_EQ(csv("text,custom_id\nup,a\n\\N,b\n\"\",c\n"),
              (Lines{"2: a|up", "3: !empty_text", "4: c|"}));
    EXPECT_EQ(json_lines("null\n{\"text\":null}\nnul\n\"up\"\n"),
              (Lines{"1: !empty_text", "2: !empty_text", "3: !invalid_json", "4: -|up"}));
}

// The property that streaming rests on.
TEST(RecordReader, TheResultDoesNotDependOnThePieces) {
    for (const RecordFormat format : {RecordFormat::csv, RecordFormat::json_lines}) {
        const std::string_view text = format == RecordFormat::csv ? kCsv : kJsonLines;
        const Input input{.format = format, .columns = {}, .limits = {}};
        const Lines whole = read(input, text);
        for (std::size_t a = 0; a <= text.size(); ++a) {
            EXPECT_EQ(read(input, {text.substr(0, a), text.substr(a)}), whole) << a;
            for (std::size_t b = a; b <= text.size(); b += 7) {
                EXPECT_EQ(read(input, {text.substr(0, a), text.substr(a, b - a), text.substr(b)}),
                          whole)
                    << a << " " << b;
            }
        }
        std::vector<std::string_view> bytes;
        for (std::size_t i = 0; i < text.size(); ++i) bytes.push_back(text.substr(i, 1));
        EXPECT_EQ(read(input, bytes), whole);
    }
}

TEST(RecordReader, ALongRecordFailsAloneAtAnyCut) {
    const ReaderLimits limits{.record_bytes = 40, .custom_id_characters = 64};
    const std::string long_text(100, 'x');
    struct Case {
        RecordFormat format;
        std::string text;
        Lines expected;
    };
    const Case cases[] = {
        {RecordFormat::csv,
         "text\nshort\n" + long_text + "\nshort\n\"" + long_text + "\n" + long_text + "\"\nlast\n" +
             std::string(50, ',') + "\n",
         {"2: -|short", "3: !too_large", "4: -|short", "5: !too_large", "7: -|last",
          "8: !too_large"}},
        {RecordFormat::json_lines,
         "\"short\"\n\"" + long_text + "\"\n\"short\"\n\"" + long_text + "\"",
         {"1: -|short", "2: !too_large", "3: -|short", "4: !too_large"}},
    };
    for (const Case& c : cases) {
        const Input input{.format = c.format, .columns = {}, .limits = limits};
        EXPECT_EQ(read(input, c.text), c.expected);
        for (std::size_t at = 0; at <= c.text.size(); ++at) {
            const std::string_view text = c.text;
            EXPECT_EQ(read(input, {text.substr(0, at), text.substr(at)}), c.expected) << at;
        }
    }
}

TEST(RecordReader, AHeaderOfCommasAloneIsRefused) {
    const Input input{.format = RecordFormat::csv,
                      .columns = {},
                      .limits = {.record_bytes = 40, .custom_id_characters = 64}};
    EXPECT_EQ(read(input, std::string(100, ',') + "\n"),
              (Lines{"failed: The header line has more than 40 bytes."}));
}

// What a writer following the standard produces comes back, whatever the texts.
TEST(CsvReader, QuotedTextsOfAllBytesRoundTrip) {
    std::mt19937 random(11);
    constexpr std::string_view kAlphabet = "\",\r\nab \xC3";
    for (int round = 0; round < 500; ++round) {
        std::vector<std::string> texts(1 + random() % 5);
        std::string file = "custom_id,text\r\n";
        for (std::size_t i = 0; i < texts.size(); ++i) {
            for (std::size_t n = random() % 12; n > 0; --n) {
                const char c = kAlphabet[random() % kAlphabet.size()];
                texts[i] += c;
                if (c == '\xC3') texts[i] += '\xA9';
            }
            file += std::to_string(i) + ",\"";
            for (const char c : texts[i])
                file += c == '"' ? std::string("\"\"") : std::string(1, c);
            file += "\"\r\n";
        }
        RecordReader reader(RecordFormat::csv);
        std::vector<std::string> back;
        const RecordSink sink = [&](const ReadRecord& read) {
            EXPECT_FALSE(read.record.error);
            back.push_back(read.record.text);
        };
        const std::size_t cut = random() % file.size();
        ASSERT_TRUE(reader.feed(std::string_view(file).substr(0, cut), sink));
        ASSERT_TRUE(reader.feed(std::string_view(file).substr(cut), sink));
        ASSERT_TRUE(reader.finish(sink));
        EXPECT_EQ(back, texts);
    }
}

TEST(RecordReader, TakesAPlainIdAsTheTextsId) {
    EXPECT_EQ(csv("id,text\n7,good\n,bad\n" + std::string(65, 'x') + ",long\n"),
              (Lines{"2: 7|good", "3: -|bad", "4: -|long"}));
    EXPECT_EQ(csv("id,custom_id,text\n7,a,good\n"), (Lines{"2: a|good"}));
    EXPECT_EQ(json_lines("{\"id\": 7, \"text\": \"good\"}\n{\"id\": {}, \"text\": \"bad\"}\n"
                         "{\"custom_id\": \"a\", \"id\": 7, \"text\": \"both\"}\n"),
              (Lines{"1: 7|good", "2: -|bad", "3: a|both"}));
}

TEST(RecordReader, AsksWhereTheOnlyColumnHasNoHeader) {
    EXPECT_EQ(csv("headline\nup\n"), (Lines{"2: -|up"}));
    EXPECT_EQ(
        csv("A brilliant quarter for all\nA loss\n"),
        (Lines{"failed: The only column is called \"A brilliant quarter for all\", which reads "
               "like a text"}));
}

}  // namespace
}  // namespace plimsoll::text
