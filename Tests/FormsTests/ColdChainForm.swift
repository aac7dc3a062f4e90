import Coding
import Forms
import Foundation
import Testing

/// The form that Walkdown ships, as the other tests read it.
enum ColdChainForm {
    static func json() throws -> JSON {
        let checkout = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let file = checkout.appendingPathComponent("Resources/forms/cold_chain_equipment.json")
        return try JSON.parse([UInt8](Data(contentsOf: file)))
    }

    static func definition() throws -> FormDefinition { try FormDefinition(json: json()) }
}

@Suite("The cold-chain form")
struct ColdChainFormTests {
    @Test("asks the questions of the contract, in its order")
    func questions() throws {
        let form = try ColdChainForm.definition()
        #expect(form.id == "cold_chain_equipment")
        #expect(
            form.questions.map(\.path) == [
                "facility", "equipment_tag", "refrigerant_type", "valve_pressure_psi",
                "compressor_health", "door_seals", "temperature_c", "notes",
            ])
    }

    @Test(
        "merges as the contract fixes it",
        arguments: [
            ("valve_pressure_psi", "quarantine"), ("temperature_c", "quarantine"),
            ("compressor_health", "rank:CRITICAL,WARNING,OPTIMAL"), ("door_seals", "ask"),
            ("notes", "ask"),
        ])
    func policies(path: String, policy: String) throws {
        #expect(try ColdChainForm.definition().question(named: path)?.merge == policy)
    }

    @Test("reads back as it is written")
    func roundTrip() throws {
        let form = try ColdChainForm.definition()
        let bytes = form.json.serialized()
        #expect(try FormDefinition(json: JSON.parse(bytes)) == form)
    }
}
