import FieldApp
import Forms
import Inspections
import Replication

/// What the fake store finds wrong.
extension FakeField {
    mutating func followFailures(_ filling: FormFilling, in picture: inout InspectionPicture) {
        let failing = filling.findingKeys()
        picture.findings.removeAll { each in
            guard let question = filling.form.question(named: each.finding.question) else {
                return true
            }
            return !failing.contains(each.finding.key) && each.finding.isAsRaised(by: question)
        }
        for key in failing.sorted(by: { $0.path < $1.path })
        where !picture.findings.contains(where: { $0.finding.key == key }) {
            let finding = filling.form.question(named: key.path).flatMap {
                Finding.raised(by: $0, row: key.row, isRepeated: false)
            }
            guard let finding else { continue }
            picture.findings.append(
                FindingPicture(id: newFinding(), finding: finding, badge: .pending))
        }
    }

    mutating func findingEffect(_ effect: Effect) -> [AppMessage] {
        if let refusal {
            switch effect {
            case .raiseFinding(let id, _), .changeFinding(let id, _, _), .removeFinding(let id, _):
                return [.refused(.finding(id), refusal)]
            default: return []
            }
        }
        switch effect {
        case .raiseFinding(let id, let key):
            let finding = newFinding()
            inspections[id]?.findings.append(
                FindingPicture(
                    id: finding,
                    finding: Finding(question: key.path, row: key.row, severity: .major),
                    badge: .pending, fails: false))
            return [.findingRaised(id, finding: finding, inspections[id])]
        case .changeFinding(let id, let finding, let change):
            let index = inspections[id]?.findings.firstIndex { $0.id == finding }
            if let index { inspections[id]?.findings[index].finding.take(change) }
            let key = AnswerKey(row: finding.rawValue, change.field)
            drafts[key] = nil
            inspections[id]?.drafts[key] = nil
            return [.findingChanged(id, finding: finding, inspections[id])]
        case .removeFinding(let id, let finding):
            removedFindings.append(finding)
            inspections[id]?.findings.removeAll { $0.id == finding }
            return [.findingRemoved(id, finding: finding, inspections[id])]
        default: return []
        }
    }
}
