// SPDX-License-Identifier: Apache-2.0

internal import ReaderProtocol
internal import Records
internal import System
internal import ThumbturnProtocol

/// An attached reader that the daemon knows by itself.
struct AttachedReader {
  let description: ReaderDescription
  /// Driver, device id and name are libfprint's word, the rest is the kernel's.
  let identity: ReaderIdentity
}

/// The readers that a reader process reports.
struct AttachedReaders {
  /// More than anybody has; a process that reports more is not to be believed.
  private static let most = 16

  private(set) var known: [AttachedReader] = []
  private var count = 0

  /// Takes one; `false` when it is one too many.
  mutating func add(_ description: ReaderDescription, known identity: ReaderIdentity?) -> Bool {
    count += 1
    guard count <= AttachedReaders.most else { return false }
    if let identity { known.append(AttachedReader(description: description, identity: identity)) }
    return true
  }

  /// Why there is no reader to use: none at all, or only others.
  var refusal: Refusal { count == 0 ? .noReader : .unknownReader }
}

/// The USB devices that a reader process may open, for as long as it lives.
struct ReaderGrant {
  private let access = ReaderAccess()
  /// The reader process's uid; `nil` when it is the daemon's own and needs nothing.
  private let uid: UInt32?
  private let virtualReaders: Bool
  private let problem: (String) -> Void
  private var nodes: [USBNode] = []

  init(uid: UInt32?, virtualReaders: Bool, problem: @escaping (String) -> Void) {
    self.uid = uid
    self.virtualReaders = virtualReaders
    self.problem = problem
  }

  /// Lets the process at what may be a reader, before it starts.
  mutating func give(enrolled: [USBIdentity]) {
    guard let uid else { return }
    for node in access.candidates(enrolled: enrolled) {
      do throws(SystemError) {
        try access.grant(node, to: uid)
        nodes.append(node)
      } catch {
        problem("cannot let the reader process at USB device \(node.bus):\(node.address): \(error)")
      }
    }
  }

  /// Takes it all back, after the process has ended.
  mutating func takeBack() {
    guard let uid else { return }
    for node in nodes {
      do throws(SystemError) {
        try access.revoke(node, from: uid)
      } catch {
        problem("cannot take USB device \(node.bus):\(node.address) back: \(error)")
      }
    }
    nodes = []
  }

  /// What the daemon itself can say of a reported reader; `nil` when nothing.
  func identity(of reader: ReaderDescription) -> ReaderIdentity? {
    var usb: USBIdentity?
    if reader.bus != 0 || reader.address != 0 {
      usb = access.usbIdentity(bus: reader.bus, address: reader.address)
      if usb == nil { return nil }
    } else if !virtualReaders {
      return nil
    }
    return ReaderIdentity(driver: reader.driver, device: reader.device, name: reader.name, usb: usb)
  }
}
