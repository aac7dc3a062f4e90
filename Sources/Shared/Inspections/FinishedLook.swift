package import Forms

extension FillingSurroundings {
    /// For looking at an inspection in a state: what is finished stands as it was finished, whenever and
    /// wherever it is looked at. It still goes by its own answers, which may have come together since; what
    /// is signed does not.
    /// - Parameter state: nil for one that this version does not know.
    package mutating func settle(for state: InspectionState?) {
        switch state {
        case .assigned, .inProgress, .returned, nil: break
        case .complete: (calculates, judges) = (min(calculates, .answers), .answers)
        case .approved: (calculates, judges) = (.none, .answers)
        }
    }
}
