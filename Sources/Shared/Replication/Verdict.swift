package import Coding

/// The server's answer to one mutation.
package struct Verdict: Hashable, Sendable {
    package enum Status: String, Sendable, CaseIterable {
        /// In force as it was sent.
        case applied
        /// In force, with a field that a rule settled.
        case merged
        /// Judged before; in force.
        case duplicate
        /// A field waits for the inspector.
        case conflict
        /// A field waits for a supervisor.
        case quarantined
        /// Can never be taken; `error` says why.
        case rejected
        /// Cannot be judged before another mutation is settled.
        case held
    }

    package var mutationId: MutationID
    package var status: Status
    package var heldBy: MutationID?
    package var version: Int64?
    /// The record as it is now.
    package var record: WireRecord?
    package var conflicts: [FieldConflict]
    /// What a supervisor decided about fields of a record that the device may not see any more; what
    /// is not named here is in force as it was sent.
    package var decisions: [FieldDecision]
    package var error: WireError?

    package init(
        mutationId: MutationID, status: Status, heldBy: MutationID? = nil, version: Int64? = nil,
        record: WireRecord? = nil, conflicts: [FieldConflict] = [],
        decisions: [FieldDecision] = [], error: WireError? = nil
    ) {
        self.mutationId = mutationId
        self.status = status
        self.heldBy = heldBy
        self.version = version
        self.record = record
        self.conflicts = conflicts
        self.decisions = decisions
        self.error = error
    }
}

/// What a supervisor decided about a value that did not come to stand.
package struct FieldDecision: Hashable, Sendable {
    package var column: FieldName
    /// What he entered instead; nil where another value stands, of which the device is told nothing.
    package var value: FieldValue?

    package init(column: FieldName, value: FieldValue? = nil) {
        self.column = column
        self.value = value
    }
}

extension Verdict {
    package init(json: JSON) throws(CodingError) {
        self.init(
            mutationId: try json.read("mutationId", MutationID.init(json:)),
            status: try json.read("status", Status.init(json:)),
            heldBy: try json.readOptional("heldBy", MutationID.init(json:)),
            version: try json.readOptional("version", Count.read),
            record: try json.readOptional("record", WireRecord.init(json:)),
            conflicts: try json.optionalArray("conflicts", of: FieldConflict.init(json:)),
            decisions: try json.optionalArray("decisions", of: FieldDecision.init(json:)),
            error: try json.readOptional("error", WireError.init(json:)))
    }

    package var json: JSON {
        var members: [String: JSON] = [
            "mutationId": mutationId.json, "status": .string(status.rawValue),
            "heldBy": JSON(heldBy?.rawValue), "version": JSON(version),
            "record": record?.json ?? .null, "conflicts": .array(conflicts.map(\.json)),
            "error": error?.json ?? .null,
        ]
        if !decisions.isEmpty { members["decisions"] = .array(decisions.map(\.json)) }
        return .object(members)
    }
}

extension FieldDecision {
    init(json: JSON) throws(CodingError) {
        column = try json.read("column", FieldNames.read)
        // Null is a value: the supervisor has cleared the field.
        if let value = try json.asObject()["value"] { self.value = try FieldValue(json: value) }
    }

    var json: JSON {
        guard let value else { return ["column": .string(column)] }
        return ["column": .string(column), "value": value.json]
    }
}

extension Verdict.Status {
    init(json: JSON) throws(CodingError) {
        guard let status = Self(rawValue: try json.asString()) else {
            throw CodingError(.unexpected, "expected a verdict that this version knows")
        }
        self = status
    }
}

extension FieldConflict {
    package init(json: JSON) throws(CodingError) {
        self.init(
            column: try json.read("column", FieldNames.read),
            base: try json.readOptional("base", FieldValue.init(json:)) ?? .null,
            mine: try json.readOptional("mine", FieldValue.init(json:)) ?? .null,
            theirs: try json.readOptional("theirs", FieldValue.init(json:)) ?? .null,
            theirsNode: try json.readOptional("theirsNode", NodeID.init(json:)),
            rule: try json.read("rule", ShortText.read))
    }

    package var json: JSON {
        [
            "column": .string(column), "base": base.json, "mine": mine.json,
            "theirs": theirs.json, "theirsNode": JSON(theirsNode?.rawValue), "rule": .string(rule),
        ]
    }
}

/// `{"code", "column", "message"}`: a code for programs, a sentence for people.
package struct WireError: Error, Hashable, Sendable {
    package var code: String
    package var column: FieldName?
    package var message: String

    package init(code: String, column: FieldName? = nil, message: String) {
        self.code = code
        self.column = column
        self.message = message
    }
}

extension WireError {
    /// Whether the id, or the place in the sequence, was used for another change: by a copy of the
    /// device, because a device itself never does.
    package var tellsOfCopy: Bool { code == Self.contentMismatch.code }

    package init(json: JSON) throws(CodingError) {
        self.init(
            code: try json.read("code", ShortText.read), column: try json.optionalString("column"),
            message: try json.optionalString("message") ?? "")
    }

    package var json: JSON {
        var members: [String: JSON] = ["code": .string(code), "message": .string(message)]
        if let column { members["column"] = .string(column) }
        return .object(members)
    }
}

/// The body of every answer that is not a success, with the signed order of a revoked device.
package struct WireFailure: Hashable, Sendable {
    package var error: WireError
    package var directive: WipeDirective?

    package init(error: WireError, directive: WipeDirective? = nil) {
        self.error = error
        self.directive = directive
    }

    package init(json: JSON) throws(CodingError) {
        self.init(
            error: try json.read("error", WireError.init(json:)),
            directive: try json.readOptional("directive", WipeDirective.init(json:)))
    }

    package var json: JSON {
        guard let directive else { return ["error": error.json] }
        return ["error": error.json, "directive": directive.json]
    }
}

/// The order to wipe, bound to one device and to one request by its nonce.
package struct WipeDirective: Hashable, Sendable {
    package var action: String
    package var deviceId: String
    package var nonce: String
    package var mode: String
    package var signature: String

    package init(action: String, deviceId: String, nonce: String, mode: String, signature: String) {
        self.action = action
        self.deviceId = deviceId
        self.nonce = nonce
        self.mode = mode
        self.signature = signature
    }

    package init(json: JSON) throws(CodingError) {
        self.init(
            action: try json.read("action", ShortText.read),
            deviceId: try json.read("deviceId", ShortText.read),
            nonce: try json.read("nonce", ShortText.read),
            mode: try json.read("mode", ShortText.read),
            signature: try json.read("signature", ShortText.read))
    }

    package var json: JSON {
        [
            "action": .string(action), "deviceId": .string(deviceId), "nonce": .string(nonce),
            "mode": .string(mode), "signature": .string(signature),
        ]
    }
}
