package import Coding
internal import Crypto
internal import SQLite

extension SQLResult {
    /// A row as an object. A column whose name came before has its number behind it.
    package var objects: [JSON] {
        var names: [String] = []
        for name in columns {
            names.append(names.contains(name) ? "\(name):\(names.count)" : name)
        }
        return rows.map { row in
            .object(Dictionary(zip(names, row.map(\.document))) { first, _ in first })
        }
    }

    /// A row as texts, NULL being empty.
    package var texts: [[String]] {
        rows.map { $0.map(\.shownText) }
    }
}

extension StoreError {
    /// Whether a statement that a person wrote is at fault, and not the store: an unknown table, a
    /// constraint, a syntax error.
    package var blamesStatement: Bool {
        guard case .storage(let error) = self else { return false }
        return error.isConstraint || Self.statementFaults.contains(error.code)
    }

    /// SQLITE_ERROR, READONLY, TOOBIG, MISMATCH, MISUSE, AUTH, RANGE (sqlite.org/rescode.html).
    private static let statementFaults: Set<Int32> = [1, 8, 18, 20, 21, 23, 25]
}

extension DatabaseValue {
    fileprivate var document: JSON {
        switch self {
        case .null: .null
        case .integer(let integer): .integer(integer)
        case .real(let real): real.isFinite ? .double(real) : .null
        case .text(let text): .string(text)
        case .blob: .string(shownText)
        }
    }

    fileprivate var shownText: String {
        switch self {
        case .null: ""
        case .integer(let integer): "\(integer)"
        case .real(let real): "\(real)"
        case .text(let text): text
        case .blob(let bytes): Hexadecimal.encode(bytes)
        }
    }
}
