/// Names and texts inside statements, quoted as the standard has it: SQLite and PostgreSQL agree.
package enum SQLText {
    package static func quoted(_ name: String) -> String {
        "\"" + name.replacing("\"", with: "\"\"") + "\""
    }

    package static func literal(_ text: String) -> String {
        "'" + text.replacing("'", with: "''") + "'"
    }
}
