import Coding
import Foundation
import Testing

/// The whole job on every kind of terminal that inspectors have, by somebody who knows arrow keys, Enter and
/// digits: what is stored is the same everywhere.
@Suite("The whole job under every terminal, locale and size", .serialized)
struct TerminalMatrixTests {
    private static let sizes = [(80, 24), (40, 20)]
    private static let locales = ["C", "C.UTF-8"]

    private static let expected: [String: JSON] = [
        "facility": "4", "equipment_tag": "31", "refrigerant_type": "R404A",
        "valve_pressure_psi": 142, "compressor_health": "OPTIMAL", "door_seals": "pass",
        "temperature_c": 4, "notes": "12",
    ]

    @Test(
        "stores the same answers",
        arguments: ["vt100", "linux", "screen", "tmux-256color", "xterm-256color"])
    func job(term: String) throws {
        let world = try World()
        let device = try world.enrol("device")
        for (locale, size) in zip(Self.locales, Self.sizes) {
            let known = try ids(device)
            let tmux = try Tmux(
                columns: size.0, rows: size.1, term: term, environment: ["LC_ALL": locale])
            try tmux.untilShows("ready>")
            try tmux.type(device.opening)
            try tmux.keys("Enter")
            try tmux.untilShows("FRZ-1")
            try begin(tmux)
            try fill(tmux)
            try complete(tmux)
            let id = try #require(try ids(device).subtracting(known).first)
            let shown = try JSON.parse(Array(device.run("show", id, "--json").utf8))
            #expect(try shown.string("state") == "complete", "\(locale)")
            let fields = try shown.object("fields").asObject()
            for (path, value) in Self.expected {
                #expect(try fields[path]?.asObject()["value"] == value, "\(path) under \(locale)")
            }
        }
        try device.run("sync")
        #expect(try device.status()["nothingUnsynced"] == true)
    }

    private func ids(_ device: Device) throws -> Set<String> {
        guard case .array(let rows) = try JSON.parse(Array(device.run("list", "--json").utf8))
        else { throw HarnessError("no list") }
        return Set(try rows.map { try $0.string("id") })
    }

    /// The same form again, for the same equipment.
    private func begin(_ tmux: Tmux) throws {
        try tmux.type("a")
        try tmux.untilShows("New inspection with the form")
        try tmux.keys("Enter")
        try tmux.untilShows("New: Cold-chain")
        try tmux.keys("Enter")
        try tmux.untilShows("Facility")
    }

    /// As a person does, with an eye on the screen: keys that come all at once are a scanner's.
    private func fill(_ tmux: Tmux) throws {
        try type("4", in: tmux, behind: "Facility")
        try type("31", in: tmux, behind: "Equipment tag")
        for (digit, shown) in [("2", "R-404A"), ("142", "142")] {
            try tmux.type(digit)
            try tmux.untilShows(shown)
        }
        try tmux.keys("Enter")
        for (digit, shown) in [("1", "Optimal"), ("1", "Pass"), ("4", "4")] {
            try tmux.type(digit)
            try tmux.untilShows(shown)
        }
        try tmux.keys("Enter")
        try type("12", in: tmux, behind: "Notes")
        try tmux.untilShows("8/8")
    }

    private func type(_ text: String, in tmux: Tmux, behind label: String) throws {
        try tmux.until("\(label) has the focus") { screen in
            screen.lines.contains {
                $0.contains(label) && $0.first.map { "▸>".contains($0) } == true
            }
        }
        try tmux.keys("Enter")
        try tmux.type(text)
        try tmux.untilShows(text)
        try tmux.keys("Enter")
    }

    private func complete(_ tmux: Tmux) throws {
        try tmux.keys("Down")
        try tmux.until("the line that completes") { screen in
            screen.lines.contains {
                $0.contains("Complete the inspection") && $0.first.map { "▸>".contains($0) } == true
            }
        }
        try tmux.keys("Enter")
        try tmux.untilShows("Complete. It goes out")
        try tmux.keys("F10")
        try tmux.until("the shell's screen") { $0.isSane && $0.text.contains("ready>") }
    }
}
