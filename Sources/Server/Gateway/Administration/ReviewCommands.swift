import Arguments
import Coding
import Forms
import Replication
import ServerStore

enum ReviewCommands {
    static let all = [list, resolve]

    static let list = Administration(
        name: "list", summary: "List the values that wait for a person, and by which rule."
    ) { session, invocation, console in
        let items = try session.store.openReviews()
        if invocation.has("json") {
            try console.writeDocument(JSON.array(items.map(document)).serialized())
            return .done
        }
        var table = TextTable(["ID", "ASSET", "RULE", "QUESTION", "BASE", "MINE", "THEIRS"])
        for item in items {
            table.append([
                item.id, item.asset ?? "-", item.rule, item.address, item.base.shown,
                item.mine.shown, item.theirs.shown,
            ])
        }
        try console.write(table.text)
        return .done
    }

    private static func document(_ item: ReviewItem) -> JSON {
        [
            "id": .string(item.id), "recordId": item.record.json, "form": JSON(item.form),
            "inspection": JSON(item.inspection?.rawValue), "asset": JSON(item.asset),
            "column": .string(item.column), "address": .string(item.address),
            "base": item.base.json,
            "mine": item.mine.json, "theirs": item.theirs.json, "mineNode": item.mineNode.json,
            "theirsNode": item.theirsNode?.json ?? .null, "rule": .string(item.rule),
            "openedUtc": .string(SyncTimestamp.text(item.openedAt)),
        ]
    }

    static let resolve = Administration(
        name: "resolve", summary: "Decide; the devices hear of it with their next pull.",
        positionals: [Positional("ID")],
        options: [
            Option("mine", help: "Take the value that waits, or confirm the deletion."),
            Option("theirs", help: "Keep the value that stands, or take the deletion back."),
            Option("value", value: "V", help: "Take another value."),
            Option("comment", value: "C", help: "Why."),
        ]
    ) { session, invocation, console in
        let id = invocation.operand("ID")
        let decision = try decision(in: invocation, on: id, session)
        try session.store.resolve(
            review: id, decision, comment: invocation.value("comment"), by: session.supervisor)
        if invocation.has("json") {
            let document: JSON = ["id": .string(id), "resolved": true]
            try console.writeDocument(document.serialized())
        } else {
            try console.writeLine("decided")
        }
        return .done
    }

    private static func decision(
        in invocation: Invocation, on id: String, _ session: Session
    ) throws -> ReviewDecision {
        let given = ["mine", "theirs", "value"].filter { invocation.has($0) }
        guard given.count == 1 else {
            throw Failure(.usage, "say one of --mine, --theirs and --value V")
        }
        guard let text = invocation.value("value") else {
            return given == ["mine"] ? .mine : .theirs
        }
        return .value(try value(text, for: session.store.openReview(id: id), session))
    }

    /// Read as the question's type where the form is known, else as a number or a text.
    private static func value(
        _ text: String, for item: ReviewItem, _ session: Session
    ) throws -> FieldValue {
        if let question = try question(of: item, session) {
            do {
                return try question.parse(text, rules: .command, today: nil)
            } catch {
                throw Failure(.validation, "\(item.column): \(error.message(unit: nil))")
            }
        }
        if let number = Double(text), let value = try? FieldValue(number: number) { return value }
        return try FieldValue(text: text)
    }

    private static func question(
        of item: ReviewItem, _ session: Session
    ) throws -> Question? {
        guard let id = item.form else { return nil }
        for listing in try session.store.publishedForms().reversed() where listing.id == id {
            guard let form = try session.store.form(id: id, version: listing.version) else {
                continue
            }
            let definition = try FormDefinition(json: JSON.parse(form.definition))
            if let question = definition.question(named: item.column) { return question }
        }
        return nil
    }
}

extension FieldValue {
    /// For tables and CSV; the empty text for null.
    var shown: String {
        switch self {
        case .null: ""
        case .integer(let number): String(number)
        case .double: json.text()
        case .string(let text): text
        }
    }
}
