@testable import FormImport

/// A form of a few lines, as text: what the test is about goes into model and body.
struct SmallForm {
    var record = "<psi/><kind/><lines><length/></lines>"
    var attributes = #"id="valves" version="3""#
    var instances = ""
    var model = ""
    var body = #"<input ref="/data/psi"><label>Pressure</label></input>"#
    var itext = ""

    var text: String {
        """
        <?xml version="1.0"?>
        <h:html xmlns="http://www.w3.org/2002/xforms" xmlns:h="http://www.w3.org/1999/xhtml"
         xmlns:jr="http://openrosa.org/javarosa" xmlns:odk="http://www.opendatakit.org/xforms"
         xmlns:orx="http://openrosa.org/xforms" xmlns:walkdown="urn:walkdown:forms:1">
        <h:head><h:title>Valves</h:title><model>
        \(itext)
        <instance><data \(attributes)>\(record)<orx:meta><orx:instanceID/></orx:meta></data></instance>
        \(instances)
        \(model)
        </model></h:head>
        <h:body>
        \(body)
        </h:body></h:html>
        """
    }

    var bytes: [UInt8] { Array(text.utf8) }

    func read() throws -> ImportedForm { try XFormReader.read(bytes) }

    func form() throws -> XForm { try read().form }
}

/// What a refusal says, or nil when nothing was refused.
func refusal(_ body: () throws -> Void) -> String? {
    do {
        try body()
        return nil
    } catch {
        return String(describing: error)
    }
}
