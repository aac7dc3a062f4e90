internal import Coding
package import Replication
internal import SQLite

/// The digests of the sites that one transaction touches: read when first needed, written once.
struct SiteSums {
    private let database: Connection
    private var sums: [String: SiteDigest] = [:]
    private var sites: [RecordID: String] = [:]
    /// Records that this transaction adds.
    private var incoming: [RecordID: (table: String, parent: RecordID?)] = [:]

    init(_ database: Connection) { self.database = database }

    /// The sums of all sites, counted anew.
    init(recounting database: Connection) throws {
        self.database = database
        for site in try database.storedDigests().keys { sums[site] = SiteDigest() }
        let records = try database.query("SELECT id, digest FROM record WHERE digest IS NOT NULL") {
            (RecordID(try $0.text(0)), try RecordDigest(bytes: $0.blob(1)))
        }
        for (id, digest) in records { sums[try site(of: id), default: SiteDigest()].add(digest) }
    }

    /// Exchanges a record's digest in the sum of its site.
    mutating func replace(
        _ old: RecordDigest?, by new: RecordDigest?, of record: RecordID
    ) throws {
        guard old != new else { return }
        let site = try site(of: record)
        var sum = try sum(of: site)
        if let old { sum.subtract(old) }
        if let new { sum.add(new) }
        sums[site] = sum
    }

    /// Records are about to come whose children may be here already: those belong to their sites
    /// from now on. To be called before the records are in the table.
    mutating func adoptChildren(of records: [WireRecord]) throws {
        for record in records { incoming[record.id] = (record.table, record.parent) }
        for record in records { try adoptChildren(of: record.id) }
    }

    private mutating func adoptChildren(of record: RecordID) throws {
        let key: [DatabaseValue] = [.text(record.rawValue)]
        let hasChildren = try database.first(
            "SELECT 1 FROM record WHERE parent_id = ? LIMIT 1", key
        ) { _ in true }
        guard hasChildren ?? false else { return }
        // Whatever was looked up below this record ended here.
        sites.removeAll()
        let site = try site(of: record)
        guard !site.isEmpty else { return }
        // Their chains ended above them, hence they were counted without a site.
        try moveFamily(of: record, from: "", to: site)
    }

    /// Counts what stands below a record, without the record itself, for another site.
    private mutating func moveFamily(
        of record: RecordID, from old: String, to new: String
    ) throws {
        let digests = try database.query(
            """
            WITH RECURSIVE family (id, depth) AS (
                SELECT id, 1 FROM record WHERE parent_id = ?
                UNION ALL
                SELECT record.id, depth + 1 FROM record JOIN family
                    ON record.parent_id = family.id WHERE depth < \(Connection.deepestFamily))
            SELECT digest FROM family JOIN record USING (id) WHERE digest IS NOT NULL
            """, [.text(record.rawValue)]
        ) { try RecordDigest(bytes: $0.blob(0)) }
        guard !digests.isEmpty else { return }
        var left = try sum(of: old)
        var entered = try sum(of: new)
        for digest in digests {
            left.subtract(digest)
            entered.add(digest)
        }
        sums[old] = left
        sums[new] = entered
    }

    /// A record is about to go whose children stay, or go after it: without it their chains end below
    /// the site.
    mutating func disownChildren(of record: RecordID) throws {
        defer { incoming[record] = nil }
        let site = try site(of: record)
        guard !site.isEmpty else { return }
        try moveFamily(of: record, from: site, to: "")
        sites.removeAll()
    }

    func write() throws {
        for (site, sum) in sums {
            try database.execute(
                "UPDATE __sync_digest SET digest = ? WHERE site_id = ?",
                [.blob(sum.bytes), .text(site)])
            guard database.changes == 0 else { continue }
            try database.execute(
                "INSERT INTO __sync_digest (site_id, digest) VALUES (?, ?)",
                [.text(site), .blob(sum.bytes)])
        }
    }

    private mutating func sum(of site: String) throws -> SiteDigest {
        if let sum = sums[site] { return sum }
        let stored = try database.first(
            "SELECT digest FROM __sync_digest WHERE site_id = ?", [.text(site)]
        ) { try SiteDigest(bytes: $0.blob(0)) }
        return stored ?? SiteDigest()
    }

    /// The root of the parent chain where that is a site, else "".
    mutating func site(of record: RecordID) throws -> String {
        if let known = sites[record] { return known }
        var above: RecordID? = record
        var site = ""
        for _ in 0..<Connection.deepestFamily {
            guard let current = above else { break }
            if let known = sites[current] {
                site = known
                break
            }
            guard let link = try link(of: current) else { break }
            above = link.parent
            if above == nil, link.table == RecordTable.site { site = current.rawValue }
        }
        sites[record] = site
        return site
    }

    private func link(of record: RecordID) throws -> (table: String, parent: RecordID?)? {
        if let coming = incoming[record] { return coming }
        return try database.first(
            "SELECT table_name, parent_id FROM record WHERE id = ?", [.text(record.rawValue)]
        ) { (try $0.text(0), try $0.optionalText(1).map { RecordID($0) }) }
    }
}

extension DeviceStore {
    /// The digest of each site, of confirmed state only.
    package func digests() throws -> [String: SiteDigest] {
        try read { try $0.storedDigests() }
    }

    /// The sites on which this device and the server differ, sorted. To be asked when the report's
    /// position is the cursor and nothing was acknowledged since the page.
    package func sitesDiffering(from report: DigestReport) throws -> [String] {
        let own = try digests()
        let sites = Set(own.keys).union(report.sites.keys)
        return sites.filter { (own[$0] ?? SiteDigest()) != (report.sites[$0] ?? SiteDigest()) }
            .sorted()
    }
}

extension Connection {
    func storedDigests() throws -> [String: SiteDigest] {
        let rows = try query("SELECT site_id, digest FROM __sync_digest") { row in
            (try row.text(0), try SiteDigest(bytes: row.blob(1)))
        }
        return Dictionary(uniqueKeysWithValues: rows)
    }

    /// Sums and record digests as they follow from the tables, for the audit.
    /// - Returns: what is not as it should be; empty when all agree.
    func digestFaults() throws -> [String] {
        var sums: [String: SiteDigest] = [:]
        var faults: [String] = []
        var chains = SiteSums(self)
        let archived = try archivedRecords()
        let records = try query(
            "SELECT id, version, is_deleted, digest FROM record WHERE digest IS NOT NULL"
        ) { row in
            (RecordID(try row.text(0)), try row.integer(1), try RecordDigest(bytes: row.blob(3)))
        }
        for (id, version, digest) in records {
            // Of an archived one the digest is all that is left of the answers.
            if !archived.contains(id), try confirmedDigest(of: id, version: version) != digest {
                faults.append("the digest of record \(id) is not that of its fields")
            }
            sums[try chains.site(of: id), default: SiteDigest()].add(digest)
        }
        for (site, sum) in try storedDigests() where sums[site] ?? SiteDigest() != sum {
            faults.append("the digest of site \"\(site)\" is not the sum of its records")
        }
        return faults
    }

    /// From the confirmed state: the shadow where there is one, else the field.
    private func confirmedDigest(of id: RecordID, version: Int64) throws -> RecordDigest {
        let fields = try query(
            """
            SELECT name, value FROM __sync_shadow WHERE record_id = ?1 AND present = 1
            UNION ALL
            SELECT name, value FROM field WHERE record_id = ?1 AND name NOT IN (
                SELECT name FROM __sync_shadow WHERE record_id = ?1)
            ORDER BY 1
            """, [.text(id.rawValue)]
        ) { (try $0.text(0), try $0.fieldValue(1)) }
        return RecordDigest(id: id, version: version, sortedFields: fields)
    }
}
