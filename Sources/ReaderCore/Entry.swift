// SPDX-License-Identifier: Apache-2.0

internal import CSystem
internal import System

/// The program `thumbturn-reader`.
public enum ReaderProgram {
  /// The descriptor of the channel to the daemon, a `SOCK_SEQPACKET` socket.
  private static let channel: Int32 = 3
  private static let usage: StaticString = """
    usage: thumbturn-reader [--settle MS] [--allow-folder PATH]...

    Drives one fingerprint reader for thumbturnd, which starts it with their
    channel as descriptor 3. It is of no use by itself.

      --settle MS          a finger that appears within MS milliseconds after the
                           reader is armed counts as resting (default 250)
      --allow-folder PATH  let the sandbox use PATH for files and sockets
      --help, --version    show this, or the version

    """
  private static let version: StaticString = "thumbturn-reader 0.1.0\n"

  /// Runs the program with the arguments behind its name; answers its exit status.
  public static func run(arguments: [String]) -> Int32 {
    switch Invocation(arguments: arguments) {
    case .help: return write(usage.description, to: 1)
    case .version: return write(version.description, to: 1)
    case .wrong(let problem): return complain("\(problem)\nTry --help.", status: 2)
    case .run(let options): return serve(options)
    }
  }

  private static func serve(_ options: Options) -> Int32 {
    guard isPacketSocket(channel) else {
      return complain("descriptor 3 is no channel; thumbturnd starts this program", status: 2)
    }
    // SAFETY: a literal, which the call copies.
    unsafe csystem_name("thumbturn-spare")
    do throws(SystemError) {
      let socket = PacketSocket(try OwnedDescriptor(adopting: channel, from: "channel"))
      try Sandbox.enter(folders: options.folders)
      ReaderProcess(channel: socket, settle: options.settle).run()
      return 0
    } catch {
      return complain(error.description, status: 1)
    }
  }

  private static func isPacketSocket(_ descriptor: Int32) -> Bool {
    var type: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    // SAFETY: the call fills one number of that size.
    guard unsafe getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &size) == 0 else { return false }
    return UInt32(bitPattern: type) == SOCK_SEQPACKET.rawValue
  }

  private static func complain(_ text: String, status: Int32) -> Int32 {
    _ = write("thumbturn-reader: \(text)\n", to: 2)
    return status
  }

  /// Writes a text; a descriptor that takes none is nobody's concern here.
  private static func write(_ text: String, to descriptor: Int32) -> Int32 {
    var text = text
    text.withUTF8 { bytes in
      // SAFETY: the bytes live through the call.
      _ = unsafe CSystem.write(descriptor, bytes.baseAddress, bytes.count)
    }
    return 0
  }
}
