import FieldApp
import TerminalKit
import Testing

@testable import Arguments
@testable import Commands

/// As PRECEDENCE in walkdown-config(5) says it.
@Suite("Command line, settings and environment")
struct PrecedenceTests {
    private let bench: CommandBench

    init() throws { bench = try CommandBench() }

    private func options(
        _ words: [String], _ settings: String = "", in environment: [String: String] = [:]
    ) throws -> ScreenOptions {
        var surroundings = bench.surroundings
        surroundings.environment = environment
        let request = try Walkdown.program(in: surroundings).parse(words)
        guard case .run(_, let invocation) = request else {
            throw Failure(.usage, "\(words)")
        }
        let run = CommandRun(
            invocation: invocation, console: Console(), surroundings: surroundings)
        return ScreenCommand.screenOptions(run, ConfigFile(settings))
    }

    @Test("the line goes before the settings, and they before what holds without them")
    func line() throws {
        let settings = "theme = dark\ncharacters = utf8\nmouse = off"
        let plain = try options([])
        #expect(plain.theme == .auto && plain.tier == nil && plain.mouse)
        let set = try options([], settings)
        #expect(set.theme == .dark && set.tier == .utf8 && !set.mouse)
        let said = try options(["--theme", "sun", "--ascii"], settings)
        #expect(said.theme == .sun && said.tier == .ascii && !said.mouse)
        #expect(try !options(["--no-mouse"], "mouse = on").mouse)
    }

    @Test("--color goes before NO_COLOR, which goes before every theme")
    func colour() throws {
        let none = ["NO_COLOR": "1"]
        #expect(try options([], "theme = dark").usesColour(available: 8))
        #expect(try !options([], "theme = dark", in: none).usesColour(available: 8))
        #expect(try !options(["--theme", "dark"], in: none).usesColour(available: 8))
        #expect(try options([], in: ["NO_COLOR": ""]).usesColour(available: 8))
        let always = try options(["--color", "always"], in: none)
        #expect(always.usesColour(available: 8) && !always.usesColour(available: 2))
        #expect(try !options(["--color", "never"], "theme = dark").usesColour(available: 8))
    }
}
