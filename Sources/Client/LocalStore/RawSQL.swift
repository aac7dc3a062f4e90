package import SQLite

/// What a statement of `walkdown sql` brought.
package struct SQLResult: Sendable, Equatable {
    package var columns: [String]
    package var rows: [[DatabaseValue]]
    /// Changes of fields that were captured: what `changes()` counts leaves a view's triggers out.
    package var captured: Int64
}

extension DeviceStore {
    /// Runs one statement of a person on the unlocked store. A write goes through the triggers
    /// like any edit, and findings follow the answers; reading happens on the connection that cannot write.
    /// - Throws: `statementNotAllowed` for what is neither a question nor an edit.
    package func sql(_ statement: String, write: Bool) throws -> SQLResult {
        write
            ? try editFollowing {
                try $0.capturing { try $0.result(of: statement, writing: true) }
            }
            : try read { try $0.result(of: statement, writing: false) }
    }
}

/// What a person's statement may do: ask anything; and, where it may write, change what the capture
/// triggers watch, and nothing beside them.
private final class StatementRules {
    /// Nil where nothing may be written.
    private let views: Set<String>?
    /// What the statement itself changes. Everything else is the work of triggers.
    private var target: String?

    /// The columns that a trigger captures or guards; the others are ours alone.
    private static let columns: [String: Set<String>] = [
        "record": ["id", "table_name", "parent_id", "version", "is_deleted"],
        "field": ["record_id", "name", "value", "version"],
    ]

    /// What goes with a row of the queue that a trigger removes. SQLite names no trigger for the
    /// work of a foreign key.
    private static let cascades: Set = ["__sync_outbox_field"]

    /// They run SQL of their own, or load code.
    private static let functions: Set = [
        "load_extension", "sqlcipher_export", "fts3_tokenizer",
    ]

    /// - Parameter views: the forms' views; nil for reading only.
    init(views: Set<String>?) { self.views = views }

    func allow(_ action: StatementAction) -> Bool {
        switch action.kind {
        case .select, .recursion, .read: true
        case .function(let name): !Self.functions.contains(name.lowercased())
        case .insert(let table), .delete(let table):
            allowChange(of: table, column: nil, inside: action.inside)
        case .update(let table, let column):
            allowChange(of: table, column: column, inside: action.inside)
        case .other: false
        }
    }

    private func allowChange(of table: String, column: String?, inside: String?) -> Bool {
        guard let views else { return false }
        if let target {
            // Only triggers that stand already get here: none can be made.
            if inside != nil { return true }
            if table != target { return Self.cascades.contains(table) }
        }
        // The statement's own table comes before everything that it fires.
        guard inside == nil, isOpen(table, column, views) else { return false }
        target = table
        return true
    }

    private func isOpen(_ table: String, _ column: String?, _ views: Set<String>) -> Bool {
        guard !views.contains(table) else { return true }
        guard let columns = Self.columns[table] else { return false }
        return column.map(columns.contains) ?? true
    }

    func sentence(for action: StatementAction) -> String {
        switch action.kind {
        case .insert(let table), .delete(let table): changeSentence(table, column: nil)
        case .update(let table, let column): changeSentence(table, column: column)
        case .function(let name): "the function \(name) cannot be called here"
        case .other(let word): "\(word) is not allowed: \(Self.possible(views != nil))"
        case .select, .recursion, .read(_): "this is not allowed: \(Self.possible(views != nil))"
        }
    }

    private func changeSentence(_ table: String, column: String?) -> String {
        // CREATE and DROP show as changes of the schema's own table.
        guard !table.hasPrefix("sqlite_") else {
            return "the schema cannot be changed: \(Self.possible(views != nil))"
        }
        guard views != nil else { return "this would change \(table): edits need --write" }
        let place = column.map { "\(table).\($0)" } ?? table
        return "\(place) cannot be changed by a statement; the views of the forms can, and the"
            + " tables record and field"
    }

    private static func possible(_ writing: Bool) -> String {
        writing ? "only SELECT, INSERT, UPDATE and DELETE" : "only SELECT; edits need --write"
    }
}

extension Connection {
    fileprivate func result(of statement: String, writing: Bool) throws -> SQLResult {
        let rules = StatementRules(views: writing ? try formViews() : nil)
        do {
            let (columns, rows) = try table(of: statement, allowing: rules.allow)
            return SQLResult(columns: columns, rows: rows, captured: 0)
        } catch let denied as StatementDenied {
            throw StoreError.statementNotAllowed(rules.sentence(for: denied.action))
        }
    }

    private func formViews() throws -> Set<String> {
        let names = try query("SELECT name FROM sqlite_master WHERE type = 'view'") {
            try $0.text(0)
        }
        return Set(names.filter { !$0.hasPrefix("__sync_") })
    }

    /// The capture triggers raise the Lamport counter once for each field that changed.
    fileprivate func capturing(_ body: (Connection) throws -> SQLResult) throws -> SQLResult {
        let before = try metadataInteger("lamport") ?? 0
        var result = try body(self)
        result.captured = try (metadataInteger("lamport") ?? 0) - before
        return result
    }
}
