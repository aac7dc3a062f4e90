package import Coding

/// `GET /api/v1/sync/pull`: where the device stands, and what it still holds back, which is how
/// the server knows of work that has not reached it.
package struct PullRequest: Hashable, Sendable {
    /// Opaque; nil pulls everything.
    package var cursor: String?
    package var limit: Int64
    package var report: DeviceReport

    package init(cursor: String?, limit: Int64 = 500, report: DeviceReport = DeviceReport()) {
        self.cursor = cursor
        self.limit = limit
        self.report = report
    }

    /// The query, not yet percent-encoded.
    package var queryItems: [(name: String, value: String)] {
        var items: [(name: String, value: String)] = []
        if let cursor { items.append(("cursor", cursor)) }
        items.append(("limit", String(limit)))
        return items + report.queryItems
    }

    /// From decoded query items; the limit is cut to 1…500.
    package init(query: [String: String]) throws(CodingError) {
        self.init(
            cursor: query["cursor"].flatMap { $0.isEmpty ? nil : $0 },
            limit: min(max(try DeviceReport.count("limit", in: query) ?? 500, 1), 500),
            report: try DeviceReport(query: query))
    }
}

/// One page of changes.
package struct PullResponse: Hashable, Sendable {
    package var deltaRecords: [WireRecord]
    /// Verdicts of queued pushes and decisions of reviews, addressed to this node.
    package var results: [Verdict]
    /// Records that left what this device may see.
    package var removed: [RecordID]
    package var nextCursor: String
    package var hasMore: Bool
    package var digest: DigestReport?
    package var server: ServerState

    package init(
        deltaRecords: [WireRecord], results: [Verdict] = [], removed: [RecordID] = [],
        nextCursor: String, hasMore: Bool, digest: DigestReport? = nil, server: ServerState
    ) {
        self.deltaRecords = deltaRecords
        self.results = results
        self.removed = removed
        self.nextCursor = nextCursor
        self.hasMore = hasMore
        self.digest = digest
        self.server = server
    }

    package init(json: JSON) throws(CodingError) {
        self.init(
            deltaRecords: try json.array("deltaRecords", of: WireRecord.init(json:)),
            results: try json.optionalArray("results", of: Verdict.init(json:)),
            removed: try json.optionalArray("removed", of: RecordID.init(json:)),
            nextCursor: try json.read("nextCursor", ShortText.read),
            hasMore: try json.bool("hasMore"),
            digest: try json.readOptional("digest", DigestReport.init(json:)),
            server: try ServerState(json: json))
    }

    package var json: JSON {
        var members = server.members
        members["deltaRecords"] = .array(deltaRecords.map(\.json))
        members["results"] = .array(results.map(\.json))
        members["removed"] = .array(removed.map(\.json))
        members["nextCursor"] = .string(nextCursor)
        members["hasMore"] = .bool(hasMore)
        if let digest { members["digest"] = digest.json }
        return .object(members)
    }
}

/// The server's digests for one device, as of `position`, which is a cursor: to be compared only
/// by a device whose own cursor is this one and that has had nothing acknowledged since.
package struct DigestReport: Hashable, Sendable {
    package var position: String
    /// By the site's id; `""` for records that belong to no site.
    package var sites: [String: SiteDigest]

    package init(position: String, sites: [String: SiteDigest]) {
        self.position = position
        self.sites = sites
    }

    package init(json: JSON) throws(CodingError) {
        self.init(
            position: try json.read("position", ShortText.read),
            sites: try json.dictionary("sites", of: SiteDigest.init(json:)))
    }

    package var json: JSON {
        ["position": .string(position), "sites": .object(sites.mapValues { .string($0.hex) })]
    }
}
