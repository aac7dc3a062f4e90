internal import Forms
internal import SQLite

/// The text of the views, for whoever reads the database with SQL of his own. They only read.
///
/// Columns: what records have of themselves, then the questions (`SQLViewNames`). Joins would end at 64
/// tables, hence a subselect a column; a query that does not name a column does not pay for it.
struct FormViewText {
    let form: FormVersions
    let dialect: SQLDialect

    private static let builtIn = ["@state", "@formVersion", "@title", "@due", "@assignee"]

    /// An inspection a line.
    func inspections(named name: String) -> String {
        let own = ["id", "@asset"]
        let builtIn = Self.builtIn.map { FormVersions.Field(path: $0, isNumber: false) }
        return """
            CREATE VIEW \(SQLText.quoted(name)) AS
            SELECT record.id AS id,
                coalesce((SELECT value FROM field WHERE record_id = record.parent_id
                    AND name = '@tag'), \(value("@asset", of: "record"))) AS "@asset",
            \(columns(builtIn + form.fields(ofRepeat: nil), besides: own))
            FROM record
            WHERE record.table_name = 'inspection' AND \(dialect.isAlive("record"))
                AND \(value("@form", of: "record")) = \(SQLText.literal(form.id))
            """
    }

    /// A row of the repeat a line, with its inspection, the row or inspection that it stands in, and
    /// its place there, from 1. What stands in something that was deleted is left out.
    func rows(of path: String, named name: String) -> String {
        let own = ["id", "inspection", "parent", "position"]
        let depth = form.placings(ofRepeat: path).map(\.around.count).max() ?? 0
        let inspection = inspection(depth: depth + 1)
        return """
            CREATE VIEW \(SQLText.quoted(name)) AS
            SELECT record.id AS id,
                \(inspection) AS inspection,
                record.parent_id AS parent,
                \(position(of: path)) AS position,
            \(columns(form.fields(ofRepeat: path), besides: own))
            FROM record
            WHERE record.table_name = 'repeat' AND \(dialect.isAlive("record"))
                AND \(value("@form", of: "record")) = \(SQLText.literal(form.id))
                AND \(value("@repeat", of: "record")) = \(SQLText.literal(path))
                AND \(inspection) IS NOT NULL
            """
    }

    private func columns(_ fields: [FormVersions.Field], besides own: [String]) -> String {
        let fields = Array(fields.prefix(dialect.mostColumns))
        let names = dialect.shortened(
            SQLViewNames.columns(of: fields.map(\.path), besides: own), besides: own)
        let columns = zip(fields, names).map { field, name in
            "    \(value(field.path, of: "record", isNumber: field.isNumber)) AS "
                + SQLText.quoted(name)
        }
        return columns.isEmpty ? "    NULL AS \"@none\"" : columns.joined(separator: ",\n")
    }

    /// The inspection that living rows lead up to, over as many rows as there can be between.
    private func inspection(depth: Int) -> String {
        let ways = (1...depth).map { level in
            let joins = (1..<level).map { step in
                " JOIN record AS above\(step + 1) ON above\(step + 1).id = above\(step).parent_id"
            }
            let living = (1...level).map { " AND " + dialect.isAlive("above\($0)") }
            return """
                (SELECT above\(level).id FROM record AS above1\(joins.joined())
                    WHERE above1.id = record.parent_id AND above\(level).table_name = 'inspection'\
                \(living.joined()))
                """
        }
        return "coalesce(" + (ways + ["NULL"]).joined(separator: ",\n        ") + ")"
    }

    private func position(of path: String) -> String {
        func order(_ alias: String) -> String {
            "coalesce(\(value("@order", of: alias, isNumber: true)), \(dialect.infinity))"
        }
        return """
            1 + (SELECT count(*) FROM record AS other
                    WHERE other.parent_id = record.parent_id AND other.table_name = 'repeat'
                        AND \(dialect.isAlive("other"))
                        AND \(value("@repeat", of: "other")) = \(SQLText.literal(path))
                        AND (\(order("other")) < \(order("record"))
                            OR \(order("other")) = \(order("record")) AND other.id < record.id))
            """
    }

    private func value(_ field: String, of alias: String, isNumber: Bool = false) -> String {
        "(SELECT \(isNumber ? dialect.number("value") : "value") FROM field "
            + "WHERE record_id = \(alias).id AND name = \(SQLText.literal(field)))"
    }
}

/// Where databases differ in what the views need.
///
/// PostgreSQL's tables are as SQLite's, but that `field.value` is text and `record.is_deleted` a
/// boolean: it has no column of several types.
enum SQLDialect: Sendable {
    case sqlite
    case postgreSQL

    /// SQLite takes 2,000 columns and PostgreSQL 1,600; questions beyond are in the table `field` alone.
    var mostColumns: Int {
        switch self {
        case .sqlite: 1_900
        case .postgreSQL: 1_500
        }
    }

    var infinity: String {
        switch self {
        case .sqlite: "9e999"
        case .postgreSQL: "double precision 'Infinity'"
        }
    }

    func isAlive(_ record: String) -> String {
        switch self {
        case .sqlite: "\(record).is_deleted = 0"
        case .postgreSQL: "NOT \(record).is_deleted"
        }
    }

    /// As it is stored where that knows numbers from texts. Elsewhere what is no number is NULL: a
    /// calculation may come to a word.
    func number(_ value: String) -> String {
        switch self {
        case .sqlite: value
        case .postgreSQL:
            """
            CASE WHEN \(value) ~ '^-?[0-9]{1,200}([.][0-9]{1,200})?(e[-+]?[0-9]{1,2})?$' \
            THEN CAST(\(value) AS double precision) END
            """
        }
    }

    /// PostgreSQL cuts a name after 63 bytes, whatever it meets there.
    func shortened(_ names: [String], besides others: [String]) -> [String] {
        guard self == .postgreSQL else { return names }
        var taken = Set(names + others)
        return names.map { name in
            guard name.utf8.count > Self.longestName else { return name }
            // Names of questions are ASCII, so a character is a byte.
            var number = 1
            var short = ""
            repeat {
                let end = "_\(number)"
                short = name.prefix(Self.longestName - end.utf8.count) + end
                number += 1
            } while !taken.insert(short).inserted
            return short
        }
    }

    private static let longestName = 63
}
