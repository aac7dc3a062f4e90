import Arguments
import Coding
import Forms

/// `walkdownd form test`: cases of an author's, answers in and what should come of them. Needs no
/// server and no data folder.
enum FormTestCommand {
    static let entry = Administration(
        name: "test",
        summary: "Fill a form with the answers of cases and compare what comes of them.",
        positionals: [
            Positional("FILE"), Positional("CASES", isRepeatable: true, help: "Lists too."),
        ],
        storeless: Administration.Storeless { invocation, console in
            let paths = [invocation.operand("FILE")] + invocation.operands("CASES")
            let (form, cases) = try read(paths)
            let outcomes = cases.map { ($0, FormCaseRun.failures(of: $0, form)) }
            if invocation.has("json") {
                try console.writeDocument(JSON.array(outcomes.map(document)).serialized())
            } else {
                try console.writeLine("1..\(outcomes.count)")
                for (index, outcome) in outcomes.enumerated() {
                    try say(outcome.0, outcome.1, number: index + 1, console)
                }
            }
            return outcomes.allSatisfy(\.1.isEmpty) ? .done : .validation
        })

    /// The first file is the form; of the rest those with `.json` hold cases.
    private static func read(_ paths: [String]) throws -> (FormDefinition, [FormCase]) {
        let isCases: (String) -> Bool = { $0.lowercased().hasSuffix(".json") }
        let files = [paths[0]] + paths.dropFirst().filter { !isCases($0) }
        let forms = try FormFiles(files) { try SmallFile.read($0) }.readAll()
        guard forms.count == 1, let form = forms.first?.definition else {
            throw Failure(.usage, "the cases are of one form")
        }
        var cases: [FormCase] = []
        for path in paths.dropFirst().filter(isCases) {
            do {
                cases += try FormCase.read(JSON.parse(SmallFile.read(path)))
            } catch let error as CodingError {
                throw Failure(.validation, terminalSafe("\(path): \(error)"))
            }
        }
        guard !cases.isEmpty else {
            throw Failure(.usage, "there is no case", advice: "CASES is a .json file of them.")
        }
        return (form, cases)
    }

    private static func say(
        _ formCase: FormCase, _ failures: [FormCaseRun.Failure], number: Int, _ console: Console
    ) throws {
        let word = failures.isEmpty ? "ok" : "not ok"
        try console.writeLine(terminalSafe("\(word) \(number) - \(formCase.name)"))
        for failure in failures { try console.writeLine(terminalSafe("# \(failure)")) }
    }

    private static func document(_ outcome: (FormCase, [FormCaseRun.Failure])) -> JSON {
        [
            "name": .string(outcome.0.name), "passed": .bool(outcome.1.isEmpty),
            "failures": .array(
                outcome.1.map { failure in
                    [
                        "what": .string(failure.what), "expected": JSON(failure.expected),
                        "actual": .string(failure.actual),
                    ]
                }),
        ]
    }
}
