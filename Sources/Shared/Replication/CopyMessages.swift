package import Coding

/// `POST /api/v1/sync/copies`: confirmed values of an earlier epoch that a restored server does not
/// show and that others entered, as a device still has them. Each field bears its author, its
/// counter and the version of that time.
package struct CopyRequest: Hashable, Sendable {
    /// Records of one request: as many as a batch has mutations.
    package static let mostRecords = PushRequest.mostMutations
    /// Fields of one request: as many as a record has.
    package static let mostFields = Mutation.mostChanges

    package var clientNodeId: NodeID
    package var schemaVersion: Int64
    /// The cursor of that time: what the versions mean.
    package var pullPosition: String
    /// Whether all versions are of that cursor's epoch, so that they tell which of two copies had taken
    /// the other's place. A device that met two restores at once does not know it of each.
    package var isOfOneEpoch: Bool
    /// Only with the fields that are offered. None is deleted: a deletion that was lost brings a
    /// record back, and no reading is lost with it.
    package var records: [WireRecord]

    package init(
        clientNodeId: NodeID, schemaVersion: Int64 = 1, pullPosition: String,
        isOfOneEpoch: Bool = false, records: [WireRecord]
    ) {
        self.clientNodeId = clientNodeId
        self.schemaVersion = schemaVersion
        self.pullPosition = pullPosition
        self.isOfOneEpoch = isOfOneEpoch
        self.records = records
    }

    package init(json: JSON) throws(CodingError) {
        let records = try json.array("records", of: WireRecord.init(json:))
        guard records.count <= Self.mostRecords else {
            throw CodingError(.tooLarge, path: "records", "more than \(Self.mostRecords)")
        }
        guard records.reduce(0, { $0 + $1.fields.count }) <= Self.mostFields else {
            throw CodingError(.tooLarge, path: "fields", "more than \(Self.mostFields)")
        }
        self.init(
            clientNodeId: try json.read("clientNodeId", NodeID.init(json:)),
            schemaVersion: try json.read("schemaVersion", Count.read),
            pullPosition: try json.read("pullPosition", ShortText.read),
            isOfOneEpoch: try json.optionalBool("oneEpoch") ?? false, records: records)
    }

    package var json: JSON {
        [
            "clientNodeId": clientNodeId.json, "schemaVersion": .integer(schemaVersion),
            "pullPosition": .string(pullPosition), "oneEpoch": .bool(isOfOneEpoch),
            "records": .array(records.map(\.json)),
        ]
    }
}

/// What became of the copy of one record.
package struct CopyVerdict: Hashable, Sendable {
    package enum Status: String, Sendable {
        /// The server has every value: in the record, in the history or in review.
        case taken
        /// What it stands under is not there yet; it may be offered again.
        case held
        /// Not all of it is taken, now or later.
        case refused
    }

    package var recordId: RecordID
    package var status: Status
    /// The fields that were refused; of a refusal that names none, all of them.
    package var columns: [FieldName]
    package var error: WireError?

    package init(
        recordId: RecordID, status: Status, columns: [FieldName] = [], error: WireError? = nil
    ) {
        self.recordId = recordId
        self.status = status
        self.columns = columns
        self.error = error
    }

    init(json: JSON) throws(CodingError) {
        guard let status = Status(rawValue: try json.string("status")) else {
            throw CodingError(.unexpected, path: "status", "expected taken, held or refused")
        }
        self.init(
            recordId: try json.read("recordId", RecordID.init(json:)), status: status,
            columns: try json.optionalArray("columns", of: FieldNames.read),
            error: try json.readOptional("error", WireError.init(json:)))
    }

    var json: JSON {
        var members: [String: JSON] = [
            "recordId": recordId.json, "status": .string(status.rawValue),
        ]
        if !columns.isEmpty { members["columns"] = .array(columns.map(JSON.string)) }
        if let error { members["error"] = error.json }
        return .object(members)
    }
}

/// The answer 200. What it does not name was not judged.
package struct CopyResponse: Hashable, Sendable {
    package var results: [CopyVerdict]
    package var server: ServerState

    package init(results: [CopyVerdict], server: ServerState) {
        self.results = results
        self.server = server
    }

    package init(json: JSON) throws(CodingError) {
        self.init(
            results: try json.array("results", of: CopyVerdict.init(json:)),
            server: try ServerState(json: json))
    }

    package var json: JSON {
        var members = server.members
        members["results"] = .array(results.map(\.json))
        return .object(members)
    }
}
