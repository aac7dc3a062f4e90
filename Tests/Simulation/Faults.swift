/// What goes wrong, one entry each. A run draws some of them; `--fault NAME` leaves one.
enum Fault: String, CaseIterable {
    // The network.
    case requestLost = "request-lost"
    case answerLost = "answer-lost"
    case duplicate
    case delay
    case partition
    case deafness
    case truncatedGzip = "truncated-gzip"
    case captivePortal = "captive-portal"
    case refusal4xx = "4xx"
    case failure5xx = "5xx"
    case committed5xx = "5xx-after-commit"
    case tokenExpiry = "token-expiry"
    // Machines.
    case crash
    case powerCut = "power-cut"
    case serverCrash = "server-crash"
    case serverPowerCut = "server-power-cut"
    case diskFull = "disk-full"
    case serverDiskFull = "server-disk-full"
    case busy
    case clockStep = "clock-step"
    // People.
    case scopeChange = "scope-change"
    case deletion
    case officeDecision = "office"
    case closedApplication = "closed"
    // What happens once or twice in the life of a device or a server.
    case serverRestore = "server-restore"
    case clonedHome = "cloned-home"
    case journalDamage = "journal-damage"
    case databaseDamage = "database-damage"
    case migration

    /// Those that came later draw from dice of their own, so that a seed from before them is the same
    /// run as ever where they are not drawn.
    static let incidents: [Fault] = [
        .serverRestore, .clonedHome, .journalDamage, .databaseDamage, .migration,
    ]

    /// What it is, for `--list` and the README's table.
    var meaning: String {
        switch self {
        case .requestLost: "a request never arrives"
        case .answerLost: "the server commits, its answer never arrives"
        case .duplicate: "a request arrives a second time, moments or minutes later"
        case .delay: "the device gives a call up; the request arrives after its repetition"
        case .partition: "a device and the server do not hear each other for a while"
        case .deafness: "requests arrive and answers do not, for a while"
        case .truncatedGzip: "an answer's gzip stream ends in the middle"
        case .captivePortal: "a page of something else, with status 200"
        case .refusal4xx: "400 to 429 from the server or from something before it"
        case .failure5xx: "500 to 504 before anything was done"
        case .committed5xx: "500 to 504 after the commit"
        case .tokenExpiry: "the server does not know the token for a while: 401"
        case .crash: "a device's process ends in the middle of any write"
        case .powerCut: "a device's power goes: writes that were not synchronised are there or not"
        case .serverCrash: "the server's process ends in the middle of any write"
        case .serverPowerCut: "the server's power goes"
        case .diskFull: "a device's disk is full for a while"
        case .serverDiskFull: "the server's disk is full for a while"
        case .busy: "another process holds a device's database for a moment"
        case .clockStep: "a device's clock is set: an hour, years, 1970, 2106"
        case .scopeChange: "a site goes to another team and comes back"
        case .deletion: "records are deleted, by devices and under others' edits"
        case .officeDecision: "reviews are decided, inspections approved and returned"
        case .closedApplication: "an application is closed in the middle of a cycle"
        case .serverRestore: "the server is restored from an older backup"
        case .clonedHome: "a copy of a device's home goes on beside it"
        case .journalDamage: "bytes, the end or a whole file of a device's journal are lost"
        case .databaseDamage: "a device's database is damaged and made anew from the journal"
        case .migration: "devices and the server are upgraded, with whatever waits"
        }
    }

    static func named(_ name: String) -> Fault? { Fault(rawValue: name) }
}

/// The faults of one run, and how often each comes: once in so many chances.
struct FaultPlan {
    private var odds: [Fault: Int] = [:]

    /// A run with everything at once hides what a run with three faults shows: each seed draws a
    /// handful, and how often they come.
    ///
    /// - Parameter incidents: what draws the incidents; nil in a run without them.
    init(dice: inout Dice, incidents: Dice?, only: [Fault]) {
        for fault in Fault.allCases where !Fault.incidents.contains(fault) {
            let isChosen = dice.oneIn(3)
            let rarity = dice.pick([4, 8, 16, 40])
            if !only.isEmpty {
                if only.contains(fault) { odds[fault] = 4 }
            } else if isChosen {
                odds[fault] = rarity
            }
        }
        guard var dice = incidents else { return }
        for fault in Fault.incidents {
            let isChosen = dice.oneIn(4)
            let rarity = dice.pick([40, 100, 200])
            if !only.isEmpty {
                if only.contains(fault) { odds[fault] = 40 }
            } else if isChosen {
                odds[fault] = rarity
            }
        }
        // A database made anew has no acknowledged changes to offer again: it is the journal that
        // this fault is about, and what waits.
        if odds[.databaseDamage] != nil { odds[.serverRestore] = nil }
    }

    private(set) var isOver = false

    /// From now on nothing goes wrong any more.
    mutating func end() { isOver = true }

    func isPlanned(_ fault: Fault) -> Bool { odds[fault] != nil }

    func strikes(_ fault: Fault, _ dice: inout Dice) -> Bool {
        guard !isOver, let odds = odds[fault] else { return false }
        return dice.oneIn(odds)
    }

    var names: [String] {
        Fault.allCases.filter { odds[$0] != nil }.map { "\($0.rawValue)/\(odds[$0] ?? 0)" }
    }
}
