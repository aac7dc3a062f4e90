internal import Arguments
internal import Coding
internal import LocalStore

enum SQLCommand {
    private static let write = Option(
        "write", help: "Allow changes; they are captured like a key press.")

    static let entry = Entry(
        name: "sql", summary: "Run SQL on the unlocked database.",
        discussion: """
            Each form is a view with a column for each question. Rows come one a line, values \
            apart by tabs; on a terminal as a table. In a value a line end, a tab and a backslash \
            are written \\n, \\t and \\\\. Reads only, unless --write is given: then \
            the views, and the tables record and field, may be changed.
            """,
        positionals: [Positional("STATEMENT")], options: [write]
    ) { run in
        let writes = run.invocation.has(write.name)
        let result = try run.withStore(for: writes ? .writing : .reading) { store in
            do {
                return try store.sql(run.invocation.operand("STATEMENT"), write: writes)
            } catch let error as StoreError where error.blamesStatement {
                throw Failure(.failed, error.description)
            }
        }
        if run.wantsJSON || run.console.outputIsTerminal {
            try run.emit(.array(result.objects)) { table(of: result) }
        } else {
            // For a script: every value as it is stored, but for what would break line or column.
            try run.console.write(
                result.texts.map { $0.map(escapingLines).joined(separator: "\t") + "\n" }.joined())
        }
        if writes {
            run.console.say(counted(Int(result.captured), "change", "changes") + " captured")
        }
        return .done
    }

    private static func table(of result: SQLResult) -> String {
        guard !result.columns.isEmpty else { return "" }
        var table = TextTable(result.columns)
        result.texts.forEach { table.append($0.map(escapingLines)) }
        return table.text
    }
}
