import Arguments
import Coding
import Replication
import ServerStore

enum HistoryCommand {
    static let entry = Administration(
        name: "history", summary: "The values that a record had and has no more.",
        positionals: [Positional("RECORD")]
    ) { session, invocation, console in
        let id = invocation.operand("RECORD")
        let history = try session.store.history(of: RecordID(id))
        if invocation.has("json") {
            try console.writeDocument(document(history, of: id).serialized())
            return .done
        }
        var table = TextTable(["MOVED", "QUESTION", "VALUE", "BY", "VERSION", "RULE"])
        for entry in history.entries {
            table.append([
                SyncTimestamp.text(entry.movedAt), entry.column, entry.value.shown,
                entry.device ?? entry.node.rawValue, String(entry.version), entry.rule,
            ])
        }
        try console.write(table.text)
        if !history.copies.isEmpty { try console.write("\n" + copies(history).text) }
        if let successor = history.replacedBy {
            console.say("A supervisor has made record \(successor) in its place.")
        } else if !history.isHere {
            console.say("The record itself is gone.")
        }
        return .done
    }

    private static func copies(_ history: RecordHistory) -> TextTable {
        var table = TextTable(["OFFERED", "QUESTION", "SAID TO BE BY", "OFFERED BY"])
        for copy in history.copies {
            table.append([
                SyncTimestamp.text(copy.offeredAt), copy.column,
                copy.device ?? copy.node.rawValue, copy.offeredBy,
            ])
        }
        return table
    }

    private static func document(_ history: RecordHistory, of id: String) -> JSON {
        [
            "recordId": .string(id), "isHere": .bool(history.isHere),
            "replacedBy": history.replacedBy?.json ?? .null,
            "entries": .array(history.entries.map(entry)),
            "copies": .array(history.copies.map(copy)),
        ]
    }

    private static func copy(_ copy: RecordHistory.Copy) -> JSON {
        [
            "column": .string(copy.column), "node": copy.node.json, "device": JSON(copy.device),
            "lamport": .integer(copy.lamport), "offeredBy": .string(copy.offeredBy),
            "offeredUtc": .string(SyncTimestamp.text(copy.offeredAt)),
        ]
    }

    private static func entry(_ entry: RecordHistory.Entry) -> JSON {
        [
            "column": .string(entry.column), "value": entry.value.json, "node": entry.node.json,
            "device": JSON(entry.device), "lamport": .integer(entry.lamport),
            "version": .integer(entry.version), "rule": .string(entry.rule),
            "mutationId": entry.mutation.json,
            "movedUtc": .string(SyncTimestamp.text(entry.movedAt)),
        ]
    }
}
