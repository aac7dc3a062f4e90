/// What the demo's server is filled with: three sites of one team, a dozen assets, an assignment
/// each. The CSV that `walkdownd import` takes, so that a reader sees what to write for an own one.
enum DemoData {
    static let team = "Cold Chain North"
    static let form = "cold_chain_equipment"
    static let formFile = "forms/cold_chain_equipment.json"

    static let sites = """
        id,name,team
        harbour,Harbour cold store,\(team)
        depot,Depot East,\(team)
        clinic,District clinic,\(team)

        """

    static let assets = """
        id,site,tag,name,model,serial
        a01,harbour,HC-01,Blast freezer 1,BF-400,72001
        a02,harbour,HC-02,Blast freezer 2,BF-400,72002
        a03,harbour,HC-03,Cold room A,CR-90,55110
        a04,harbour,HC-04,Cold room B,CR-90,55111
        a05,harbour,HC-05,Ice maker,IM-20,31007
        a06,depot,DE-01,Dock chiller 1,DC-12,88120
        a07,depot,DE-02,Dock chiller 2,DC-12,88121
        a08,depot,DE-03,Walk-in freezer,WF-30,61544
        a09,depot,DE-04,Reefer plug panel,RP-08,14002
        a10,clinic,DC-01,Vaccine refrigerator,VR-5,90331
        a11,clinic,DC-02,Vaccine freezer,VF-5,90332
        a12,clinic,DC-03,Transport box,TB-1,90345

        """

    /// All due on one day; which day is the caller's, so that nothing looks old.
    static func assignments(due: String) -> String {
        let rows = (1...12).map { number in
            (number < 10 ? "a0" : "a") + "\(number),\(form),\(due)"
        }
        return (["asset,form,due"] + rows).joined(separator: "\n") + "\n"
    }
}
