/// What the column `type` says, in any of its spellings.
enum SurveyType: Equatable {
    case beginGroup, endGroup, beginRepeat, endRepeat
    case simple(SimpleType)
    case select(SelectType)
    /// A list that is delivered beside the form and used by its name.
    case external(extension: String)
    case audit
    /// Known to the reference, not to Walkdown.
    case unsupported(String)

    init?(_ text: String) {
        let words = text.split { $0.isWhitespace || $0 == "\u{A0}" }.map(String.init)
        let lower = words.joined(separator: " ").lowercased()
        if let section = Self.section(lower) {
            self = section
        } else if let simple = SimpleType.named(lower) {
            self = .simple(simple)
        } else if let select = SelectType(words) {
            self = .select(select)
        } else {
            switch lower {
            case "xml-external": self = .external(extension: "xml")
            case "csv-external": self = .external(extension: "csv")
            case "audit": self = .audit
            case "entity", "begin loop", "end loop":
                self = .unsupported(lower)
            default: return nil
            }
        }
    }

    private static func section(_ text: String) -> SurveyType? {
        let plain = text.replacing("_", with: " ")
        switch plain {
        case "begin group": return .beginGroup
        case "end group": return .endGroup
        case "begin repeat", "begin lgroup", "begin looped group": return .beginRepeat
        case "end repeat", "end lgroup", "end looped group": return .endRepeat
        default: return nil
        }
    }
}

/// A question whose type is one word (or was a phrase once).
struct SimpleType: Equatable {
    /// nil: not asked.
    var control: BodyControl.Kind?
    var bind = "string"
    var isReadonly = false
    var mediaType: String?
    var preload: String?
    var preloadParameters: String?
    var constraint: String?
    var setsPosition = false
    var isCalculation = false

    static func named(_ text: String) -> SimpleType? {
        var name = text
        if name.hasPrefix("add "), name.hasSuffix(" prompt") {
            name = String(name.dropFirst(4).dropLast(7))
        } else if name.hasPrefix("q ") || name.hasPrefix("q_") {
            name = String(name.dropFirst(2))
        } else if name.hasPrefix("get ") {
            name = String(name.dropFirst(4))
        }
        return asked[name] ?? unasked[name]
    }

    private static func input(_ bind: String) -> SimpleType {
        SimpleType(control: .input, bind: bind)
    }

    private static func upload(_ mediaType: String) -> SimpleType {
        SimpleType(control: .upload, bind: "binary", mediaType: mediaType)
    }

    private static func property(_ name: String) -> SimpleType {
        SimpleType(preload: "property", preloadParameters: name)
    }

    private static let asked: [String: SimpleType] = [
        "text": input("string"), "string": input("string"), "integer": input("int"),
        "int": input("int"), "decimal": input("decimal"), "date": input("date"),
        "time": input("time"), "datetime": input("dateTime"), "geopoint": input("geopoint"),
        "gps": input("geopoint"), "location": input("geopoint"), "geotrace": input("geotrace"),
        "geoshape": input("geoshape"), "barcode": input("barcode"),
        "note": SimpleType(control: .input, isReadonly: true),
        "percentage": SimpleType(
            control: .input, bind: "int", constraint: "0 <= . and . <= 100"),
        "acknowledge": SimpleType(control: .trigger), "trigger": SimpleType(control: .trigger),
        "image": upload("image/*"), "photo": upload("image/*"), "picture": upload("image/*"),
        "audio": upload("audio/*"), "video": upload("video/*"), "file": upload("application/*"),
        "osm": upload("osm/*"), "range": SimpleType(control: .range, bind: "int"),
    ]

    private static let unasked: [String: SimpleType] = [
        "calculate": SimpleType(isCalculation: true), "hidden": SimpleType(),
        "background-audio": SimpleType(bind: "binary"),
        "start": SimpleType(
            bind: "dateTime", preload: "timestamp", preloadParameters: "start"),
        "start time": SimpleType(
            bind: "dateTime", preload: "timestamp", preloadParameters: "start"),
        "end": SimpleType(bind: "dateTime", preload: "timestamp", preloadParameters: "end"),
        "end time": SimpleType(bind: "dateTime", preload: "timestamp", preloadParameters: "end"),
        "today": SimpleType(bind: "date", preload: "date", preloadParameters: "today"),
        "deviceid": property("deviceid"), "device id": property("deviceid"),
        "imei": property("deviceid"), "subscriberid": property("subscriberid"),
        "subscriber id": property("subscriberid"), "simserial": property("simserial"),
        "sim id": property("simserial"), "phonenumber": property("phonenumber"),
        "phone number": property("phonenumber"), "username": property("username"),
        "email": property("email"), "uri:email": property("email"),
        "uri:username": property("username"),
        "start-geopoint": SimpleType(bind: "geopoint", setsPosition: true),
        "background-geopoint": SimpleType(bind: "geopoint", setsPosition: true),
    ]
}

/// A choice from a list: `select_one towns`, `select_multiple_from_file towns.csv`, `rank towns`.
struct SelectType: Equatable {
    enum Source: Equatable {
        case list(String)
        case externalList(String)
        case file(String)
        /// The records of a repeat (`select_one ${person}`).
        case records(String)
    }

    var control: BodyControl.Kind
    var source: Source
    var hasOther = false

    private static let spellings: [(String, BodyControl.Kind)] = [
        ("select one from file", .select1), ("select multiple from file", .select),
        ("select one external", .select1), ("select all that apply from", .select),
        ("select all that apply", .select), ("add select one prompt using", .select1),
        ("add select multiple prompt using", .select), ("select one from", .select1),
        ("select multiple from", .select), ("select one", .select1),
        ("select multiple", .select), ("select1", .select1), ("select", .select),
        ("rank", .rank),
    ]

    init?(_ words: [String]) {
        let text = words.joined(separator: " ")
        let lower = text.lowercased().replacing("_", with: " ")
        for (spelling, control) in Self.spellings where lower.hasPrefix(spelling + " ") {
            self.control = control
            var rest = String(text.dropFirst(spelling.count + 1))
            for other in [" or_other", " or other", " or specify other"]
            where rest.lowercased().hasSuffix(other) {
                rest = String(rest.dropLast(other.count))
                hasOther = true
            }
            guard !rest.isEmpty, !rest.contains(" ") else { return nil }
            if rest.hasPrefix("${"), rest.hasSuffix("}") {
                source = .records(String(rest.dropFirst(2).dropLast()).trimmed)
            } else if spelling.hasSuffix("file") {
                source = .file(rest)
            } else if spelling.hasSuffix("external") {
                source = .externalList(rest)
            } else {
                source = .list(rest)
            }
            return
        }
        return nil
    }
}
