import Arguments
import Testing

@Suite("Parsing a command line")
struct ParserTests {
    @Test("a global option stands before or after the sub-command")
    func globalOptionsAnywhere() throws {
        for line in [["--home", "/h", "list"], ["list", "--home", "/h"], ["list", "--home=/h"]] {
            guard case .run(_, let invocation) = try trial.parse(line) else {
                Issue.record("\(line) did not run")
                continue
            }
            #expect(invocation.path == ["list"])
            #expect(invocation.value("home") == "/h")
            #expect(!invocation.has("json"))
        }
    }

    @Test("nested sub-commands keep their path, and their operands are theirs")
    func nested() throws {
        let invocation = try invocation("form", "--json", "publish", "a.json", "b.json")
        #expect(invocation.path == ["form", "publish"])
        #expect(invocation.operands("FILE") == ["a.json", "b.json"])
        #expect(invocation.has("json"))
    }

    @Test("two dashes end the options")
    func dashesEndOptions() throws {
        let invocation = try invocation("set", "--", "--json", "--notes=x")
        #expect(invocation.operand("ID") == "--json")
        #expect(invocation.operands("QUESTION=VALUE") == ["--notes=x"])
        #expect(!invocation.has("json"))
    }

    @Test("a value may be empty, negative, or hold an equals sign; a dash alone is standard input")
    func values() throws {
        #expect(try invocation("list", "--form=").value("form") == "")
        #expect(try invocation("list", "--form", "-4.5").value("form") == "-4.5")
        #expect(try invocation("list", "--form=a=b").value("form") == "a=b")
        #expect(try invocation("set", "-", "-4").operand("ID") == "-")
        #expect(try invocation("set", "id", "-4").operands("QUESTION=VALUE") == ["-4"])
        #expect(try invocation("set", "id", "q=").operands("QUESTION=VALUE") == ["q="])
    }

    @Test("a repeated option collects; any other takes the last value")
    func repeated() throws {
        let invocation = try invocation(
            "report", "id", "--host", "a", "--host=b", "-o", "x", "--output", "y")
        #expect(invocation.values("host") == ["a", "b"])
        #expect(invocation.value("output") == "y")
        #expect(invocation.optionalOperand("NOTE") == nil)
    }

    @Test("the bare program runs, and its options pass to a sub-command that has them")
    func bare() throws {
        #expect(try invocation().path == [])
        #expect(try invocation("--ascii").has("ascii"))
        #expect(try invocation("--ascii", "demo").has("ascii"))
    }

    static let wrong: [([String], UsageError)] = [
        (["lsit"], .unknownCommand("lsit", in: [], suggestion: "list")),
        (["zzz"], .unknownCommand("zzz", in: [], suggestion: nil)),
        (["form", "publsih"], .unknownCommand("publsih", in: ["form"], suggestion: "publish")),
        (["form"], .missingCommand(in: ["form"], known: ["publish", "list"])),
        (["--jsno"], .unknownOption("--jsno", command: [], suggestion: "--json")),
        (["list", "-x"], .unknownOption("-x", command: ["list"], suggestion: nil)),
        (["list", "---"], .unknownOption("---", command: ["list"], suggestion: nil)),
        (["list", "--=x"], .unknownOption("--", command: ["list"], suggestion: nil)),
        (["--ascii", "list"], .optionElsewhere("--ascii", command: ["list"])),
        (["list", "--home"], .missingValue(option: "home", placeholder: "DIR")),
        (["list", "--home", "--json"], .missingValue(option: "home", placeholder: "DIR")),
        (["list", "--json=yes"], .unexpectedValue(option: "json")),
        (
            ["--color", "blue"],
            .valueNotAllowed(
                option: "color", value: "blue", allowed: ["auto", "always", "never"])
        ),
        (["set"], .missingOperand("ID", command: ["set"])),
        (["set", "id"], .missingOperand("QUESTION=VALUE", command: ["set"])),
        (["report", "a", "b", "c"], .extraOperand("c", command: ["report"])),
        (["list", "stray"], .extraOperand("stray", command: ["list"])),
    ]

    @Test("a wrong line says exactly what is wrong", arguments: wrong)
    func wrongLines(line: [String], expected: UsageError) {
        #expect(throws: expected) { try trial.parse(line) }
    }

    @Test("help and version come before missing operands, and need nothing else")
    func helpFirst() throws {
        #expect(try helpText("set", "--help").hasPrefix("Usage: trial set ID QUESTION=VALUE ..."))
        #expect(try helpText("-h", "form", "publish").hasPrefix("Usage: trial form publish"))
        guard case .version(let text) = try trial.parse(["set", "--version"]) else {
            Issue.record("no version")
            return
        }
        #expect(text == "trial 1.2.3\n")
    }

    @Test("any words at all end in a request or a usage error")
    func anyWords() throws {
        let words = [
            "list", "set", "form", "--", "-", "--json", "--home", "=", "--home=", "-o", "-4", "",
            "\u{1B}[2J", "report", "--help",
        ]
        for first in words {
            for second in words {
                for third in words {
                    do {
                        _ = try trial.parse([first, second, third])
                    } catch {
                        #expect(!Renderer(program: "trial").failure(for: error).sentence.isEmpty)
                    }
                }
            }
        }
    }
}
