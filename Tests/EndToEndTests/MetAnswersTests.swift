import Coding
import TestSupport
import Testing

/// Two handhelds log refrigerant on one system at the same time; the form sums it up.
@Suite("Answers of two handhelds that meet in a sum", .serialized)
struct MetAnswersTests {
    @Test("list, show and export tell the sum of what stands, on both and on the server")
    func met() throws {
        let world = try World()
        let form = Binaries.checkout() + "/Resources/forms/refrigerant_leak_log.xml"
        try world.administer("form", "publish", form)
        let (roof, cellar) = (try world.enrol("roof"), try world.enrol("cellar"))
        let made = try JSON.parse(Array(try roof.run("new", "refrigerant_leak_log", "--json").utf8))
        let id = try made.string("id")
        try roof.run("set", id, "system/full_charge_kg=100")
        for kilograms in ["10", "11"] {
            try roof.run(
                "set", id, "event[+]/on=t", "event[+]/reason=service",
                "event[+]/added_kg=\(kilograms)")
        }
        try roof.run("sync")
        try cellar.run("sync")
        try roof.run("set", id, "event[1]/added_kg=30")
        try cellar.run("set", id, "event[2]/added_kg=40")
        for device in [roof, cellar, roof] { try device.run("sync") }
        for device in [roof, cellar] {
            let shown = try JSON.parse(Array(try device.run("show", id, "--json").utf8))
            let sum = try shown.required("fields").required("year/added_kg").required("value")
            #expect(sum == 70)
            let exported = try JSON.parse(
                Array(
                    try device.run("export", "--form", "refrigerant_leak_log", "--format", "json")
                        .utf8))
            #expect(
                try exported.asArray()[0].required("fields").required("year/leak_rate_percent")
                    == 70)
            // Nobody has to answer the other's answer.
            let status = try device.status()
            #expect(status["nothingUnsynced"] == true && status["digest"] == "equal")
        }
        try roof.run("set", id, "event[1]/reason=seasonal")
        try roof.run("sync")
        let office = try JSON.parse(
            Array(
                try world.administer(
                    "export", "--form", "refrigerant_leak_log", "--format", "json"
                ).utf8))
        #expect(try office.asArray()[0].required("fields").required("year/added_kg") == 70)
    }
}
