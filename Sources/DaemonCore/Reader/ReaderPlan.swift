// SPDX-License-Identifier: Apache-2.0

internal import System

/// How reader processes are started.
struct ReaderPlan {
  /// The program's file.
  var path: String
  /// The uid and gid it takes; `nil`: the daemon's own (virtual readers, or not root).
  var identity: (user: UInt32, group: UInt32)?
  /// Whether readers that are not on USB count, and what brings them passes through.
  var virtualReaders = false
  /// How long a finger may have rested on the reader, in milliseconds; `nil`: as the program has it.
  var settleTime: Int?
  /// How long a step may take before a process counts as hung, in milliseconds.
  var patience = 10_000
  /// How long closing may take before a process is killed, in milliseconds.
  var closingPatience = 5_000
  /// The daemon's own environment, of which virtual readers need a part.
  var environment: [String] = []

  /// The most address space of a reader process: a driver that leaks costs its claim.
  private static let memoryMegabytes = 1024
  private static let passedOn = ["FP_", "UMOCKDEV_", "LD_PRELOAD=", "G_MESSAGES_DEBUG="]
  private static let sockets = ["FP_VIRTUAL_", "UMOCKDEV_DIR="]

  /// The plan of one process with `channel` to speak over.
  func child(channel: Int32) -> ChildPlan {
    var child = ChildPlan(path: path)
    child.channel = channel
    child.isolated = true
    child.identity = identity
    child.memoryMegabytes = ReaderPlan.memoryMegabytes
    if let settleTime { child.arguments += ["--settle", String(settleTime)] }
    guard virtualReaders else { return child }
    child.environment = environment.filter { entry in ReaderPlan.passedOn.contains { entry.hasPrefix($0) } }
    for folder in socketFolders { child.arguments += ["--allow-folder", folder] }
    return child
  }

  /// Where virtual readers have their sockets: the folder of each socket named, and umockdev's own.
  private var socketFolders: [String] {
    environment.filter { entry in ReaderPlan.sockets.contains { entry.hasPrefix($0) } }.compactMap { entry in
      guard let equals = entry.firstIndex(of: "=") else { return nil }
      let path = entry[entry.index(after: equals)...]
      if entry.hasPrefix("UMOCKDEV_DIR=") { return String(path) }
      guard let slash = path.lastIndex(of: "/") else { return nil }
      return slash == path.startIndex ? "/" : String(path[..<slash])
    }
  }
}
