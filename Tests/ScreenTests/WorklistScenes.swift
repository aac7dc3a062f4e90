import FieldApp
import TerminalKit

/// The worklist in another order, and the beginning of an inspection from it.
extension Scenes {
    static func worklistScenes() throws -> [(String, AppState)] {
        let forms = [
            Beginnings.Form(
                id: "cold_chain_equipment", version: "4", title: "Cold-chain equipment"),
            Beginnings.Form(id: "fire_doors", version: "2026-02", title: "Fire doors"),
        ]
        let equipment = rows.map {
            Beginnings.Equipment(id: $0.id, name: $0.name, site: $0.site)
        }
        let choosing = receiving(
            try pressing(worklist(), .character("a")),
            .beginnings(Beginnings(forms: forms, equipment: equipment)))
        return [
            ("worklist-by-state", typing("ooo", try worklist())),
            ("begin-form", choosing),
            ("begin-equipment", typing("f", try pressing(choosing, .enter))),
        ]
    }
}
