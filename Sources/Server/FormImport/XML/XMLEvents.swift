internal import CXML2

/// The name of an element or attribute: what it is called and which namespace it belongs to.
struct XMLName: Equatable, Hashable, Sendable {
    var local: String
    var namespace: String?

    init(_ local: String, in namespace: String? = nil) {
        self.local = local
        self.namespace = namespace
    }
}

struct XMLAttribute: Equatable, Sendable {
    var name: XMLName
    var value: String
}

enum XMLEvent {
    case start(XMLName, [XMLAttribute], line: Int)
    case end
    case text(String)
}

/// Bounds of an XML document; depth is bounded by libxml2 too (256).
struct XMLLimits: Sendable {
    /// Four times the largest form that was met.
    var bytes = 16 << 20
    var depth = 200
    var nodes = 500_000
    var attributesOfElement = 200
    var attributeBytes = 256 << 10

    static let form = XMLLimits()
}

/// Reads a document from front to back. No document type, so no entities but the five of XML
/// itself; nothing is fetched; an undeclared prefix is an error.
enum XMLEvents {
    static func read(
        _ bytes: [UInt8], limits: XMLLimits,
        each: @escaping (XMLEvent) throws(FormImportError) -> Void
    ) throws(FormImportError) {
        guard bytes.count <= limits.bytes else {
            throw FormImportError(.file, "the document is larger than \(limits.bytes) bytes")
        }
        let reception = XMLReception(limits: limits, each: each)
        var fault = walkdown_xml_fault()
        let outcome = bytes.withUnsafeBytes { raw in
            withExtendedLifetime(reception) {
                var handler = reception.handler
                return walkdown_xml_parse(
                    raw.baseAddress?.assumingMemoryBound(to: CChar.self), raw.count, &handler,
                    &fault)
            }
        }
        if let refusal = reception.refusal { throw refusal }
        switch outcome {
        case WALKDOWN_XML_FINE: return
        case WALKDOWN_XML_DOCUMENT_TYPE:
            throw FormImportError(
                .line(Int(fault.line), node: nil),
                "a document type (DOCTYPE) is not accepted; take it out")
        case WALKDOWN_XML_NO_MEMORY:
            throw FormImportError(.file, "there is not enough memory to read the document")
        default:
            throw FormImportError(
                .line(max(1, Int(fault.line)), node: nil),
                "not well-formed XML: \(words(of: fault))")
        }
    }

    private static func words(of fault: walkdown_xml_fault) -> String {
        let text = withUnsafeBytes(of: fault.message) { raw in
            String(decoding: raw.prefix { $0 != 0 }, as: UTF8.self)
        }
        let line = text.split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
        return line.isEmpty ? "the document ends too early" : line
    }
}

/// Receives libxml2's calls for the time of one `read`.
private final class XMLReception {
    let limits: XMLLimits
    let each: (XMLEvent) throws(FormImportError) -> Void
    private(set) var refusal: FormImportError?
    private var depth = 0
    private var nodes = 0

    init(limits: XMLLimits, each: @escaping (XMLEvent) throws(FormImportError) -> Void) {
        self.limits = limits
        self.each = each
    }

    var handler: walkdown_xml_handler {
        walkdown_xml_handler(
            context: Unmanaged.passUnretained(self).toOpaque(),
            start: { context, line, local, prefix, address, count, attributes in
                XMLReception.from(context).start(
                    line: Int(line), local: local, prefix: prefix, address: address,
                    count: Int(count), attributes: attributes)
            },
            end: { context in XMLReception.from(context).end() },
            text: { context, bytes, length in
                XMLReception.from(context).text(bytes, Int(length))
            })
    }

    private static func from(_ context: UnsafeMutableRawPointer?) -> XMLReception {
        guard let context else { preconditionFailure("libxml2 lost the context") }
        return Unmanaged<XMLReception>.fromOpaque(context).takeUnretainedValue()
    }

    private func start(
        line: Int, local: UnsafePointer<CChar>?, prefix: UnsafePointer<CChar>?,
        address: UnsafePointer<CChar>?, count: Int,
        attributes: UnsafePointer<UnsafePointer<CChar>?>?
    ) -> Int32 {
        depth += 1
        nodes += 1 + count
        guard let local else { return 1 }
        let name = String(cString: local)
        let place = FormPlace.line(line, node: name)
        guard depth <= limits.depth else {
            return refuse(place, "nested more than \(limits.depth) deep")
        }
        guard nodes <= limits.nodes else {
            return refuse(place, "the document has more than \(limits.nodes) nodes")
        }
        guard count <= limits.attributesOfElement else {
            return refuse(place, "more than \(limits.attributesOfElement) attributes")
        }
        if let prefix, address == nil {
            return refuse(place, "the prefix \(String(cString: prefix)): is not declared")
        }
        do throws(FormImportError) {
            let pairs = try read(attributes, count: count, place: place)
            let element = XMLName(name, in: address.map { String(cString: $0) })
            try each(.start(element, pairs, line: line))
            return 0
        } catch {
            refusal = error
            return 1
        }
    }

    private func read(
        _ attributes: UnsafePointer<UnsafePointer<CChar>?>?, count: Int, place: FormPlace
    ) throws(FormImportError) -> [XMLAttribute] {
        guard let attributes, count > 0 else { return [] }
        var pairs: [XMLAttribute] = []
        pairs.reserveCapacity(count)
        for index in 0..<count {
            let at = attributes + index * 5
            guard let local = at[0], let start = at[3], let end = at[4] else { continue }
            if let prefix = at[1], at[2] == nil {
                throw FormImportError(
                    place, "the prefix \(String(cString: prefix)): is not declared")
            }
            let length = end - start
            guard length <= limits.attributeBytes else {
                throw FormImportError(
                    place, "an attribute is longer than \(limits.attributeBytes) bytes")
            }
            pairs.append(
                XMLAttribute(
                    name: XMLName(String(cString: local), in: at[2].map { String(cString: $0) }),
                    value: Self.string(start, length)))
        }
        return pairs
    }

    private func end() -> Int32 {
        depth -= 1
        return deliver(.end)
    }

    private func text(_ bytes: UnsafePointer<CChar>?, _ length: Int) -> Int32 {
        guard let bytes else { return 0 }
        return deliver(.text(Self.string(bytes, length)))
    }

    private func deliver(_ event: XMLEvent) -> Int32 {
        do throws(FormImportError) {
            try each(event)
            return 0
        } catch {
            refusal = error
            return 1
        }
    }

    private func refuse(_ place: FormPlace, _ problem: String) -> Int32 {
        refusal = FormImportError(place, problem)
        return 1
    }

    private static func string(_ start: UnsafePointer<CChar>, _ length: Int) -> String {
        String(decoding: UnsafeRawBufferPointer(start: start, count: length), as: UTF8.self)
    }
}
