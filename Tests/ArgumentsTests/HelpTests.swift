import Arguments
import Testing

@Suite("Help, made from the tables")
struct HelpTests {
    @Test("every help fits in 80 columns and has no blanks at the end of a line")
    func fits() throws {
        var texts = [try helpText("--help")]
        for (path, _) in trial.allCommands {
            guard case .help(let text) = try trial.parse(path + ["--help"]) else { continue }
            texts.append(text)
        }
        #expect(texts.count == trial.allCommands.count + 1)
        for line in texts.joined().split(separator: "\n") {
            #expect(line.count <= 80, "\(line)")
            #expect(line.last != " ", "\(line)")
        }
    }

    @Test("the program's help lists commands, options and exit codes")
    func program() throws {
        let text = try helpText("--help")
        for expected in [
            "Usage: trial [COMMAND] [OPTION ...]\n", "\n  list      List inspections.\n",
            "--home DIR", "--color auto|always|never", "-h, --help", "  7         this device",
        ] {
            #expect(text.contains(expected), "\(expected) in \(text)")
        }
        #expect(!text.contains("publish"))
    }

    @Test("a group lists its commands, a command its operands and options")
    func inner() throws {
        #expect(try helpText("form", "-h").contains("  publish   Publish forms.\n"))
        let report = try helpText("report", "-h")
        #expect(report.contains("Usage: trial report [OPTION ...] ID [NOTE]\n"))
        #expect(report.contains("-o, --output FILE  Where to write."))
        #expect(report.contains("--valid-for-a-very-long-time DURATION\n     "))
    }

    @Test("a man page that lacks a command or an option, or has one too many, is told apart")
    func manual() throws {
        let page = """
            .TH TRIAL 1
            .B list
            .RB [ \\-\\-form " FORM" ]
            .BR set , demo ", \\fBform publish\\fR, form list"
            .BI "report " ID
            \\fB\\-\\-output\\fR, \\-\\-host \\-\\-valid\\-for\\-a\\-very\\-long\\-time
            \\-\\-home \\-\\-json \\-\\-color \\-\\-help \\-\\-version \\-\\-ascii
            """
        #expect(trial.differences(fromManual: page) == [])
        let wrong =
            page.split(separator: "\n").filter { !$0.contains("report") }
            .joined(separator: "\n") + "\n\\-\\-gone\n"
        #expect(
            trial.differences(fromManual: wrong.replacing("\\-\\-json", with: "")) == [
                "the page does not name the command 'report'", "the page does not name --json",
                "there is no option --gone",
            ])
    }
}
