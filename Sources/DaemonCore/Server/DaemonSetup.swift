// SPDX-License-Identifier: Apache-2.0

internal import CSystem
internal import Glibc
internal import System
internal import ThumbturnProtocol

/// What the daemon makes of its options before it serves anybody.
struct DaemonSetup {
  let plan: ReaderPlan
  let passwordProgram: String

  init(_ options: Options, configuration: Configuration) throws(StartError) {
    if options.virtualReaders, isSamePlace(options.data, Options.defaultData) {
      throw StartError(text: "\(options.data) is \(Options.defaultData): no virtual readers there")
    }
    guard let folder = options.libexec ?? ownFolder() else {
      throw StartError(text: "cannot tell where this program lies; use --libexec")
    }
    passwordProgram = "\(folder)/thumbturn-pwcheck"
    var plan = ReaderPlan(path: "\(folder)/thumbturn-reader")
    plan.virtualReaders = options.virtualReaders
    plan.settleTime = options.settleTime ?? configuration.settleTime
    if options.virtualReaders { plan.environment = ownEnvironment() }
    plan.identity = try DaemonSetup.readerIdentity(options)
    self.plan = plan
  }

  /// Opens the enrolled data.
  static func store(_ options: Options) throws(StartError) -> Store {
    do throws(StoreError) {
      return try Store(folder: options.data)
    } catch {
      throw StartError(text: "\(error)")
    }
  }

  /// Real readers always get a process of another user, unless nobody here is root.
  private static func readerIdentity(_ options: Options) throws(StartError) -> (user: UInt32, group: UInt32)?
  {
    if geteuid() != 0 || (options.virtualReaders && options.readerUser == nil) { return nil }
    let name = options.readerUser ?? Options.defaultReaderUser
    guard let account = Account(named: Text(cut: name)) else {
      throw StartError(text: "there is no user \(name) for the reader process")
    }
    guard account.uid != 0 else { throw StartError(text: "the reader process must not be root's") }
    return (account.uid, account.group)
  }
}

/// Whether two paths lead to one folder.
private func isSamePlace(_ first: String, _ second: String) -> Bool {
  var places = [stat(), stat()]
  // SAFETY: paths are passed as NUL-terminated copies, the structures are ours.
  guard unsafe stat(first, &places[0]) == 0, unsafe stat(second, &places[1]) == 0 else { return false }
  return places[0].st_dev == places[1].st_dev && places[0].st_ino == places[1].st_ino
}

/// The folder of the running program.
func ownFolder() -> String? {
  var characters = [CChar](repeating: 0, count: Int(PATH_MAX))
  // SAFETY: the call fills at most the array.
  let count = unsafe readlink("/proc/self/exe", &characters, characters.count)
  guard count > 0, count < characters.count else { return nil }
  let path = String(decoding: characters.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
  guard let slash = path.lastIndex(of: "/") else { return nil }
  return String(path[..<slash])
}

/// The environment of this process, each `NAME=value`.
private func ownEnvironment() -> [String] {
  var entries: [String] = []
  // SAFETY: the list and its strings end with NULL and NUL; nobody changes them here.
  var next = unsafe environ
  while let entry = unsafe next.pointee {
    entries.append(unsafe String(cString: entry))
    unsafe next += 1
  }
  return entries
}
