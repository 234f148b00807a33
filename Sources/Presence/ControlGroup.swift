// SPDX-License-Identifier: Apache-2.0

/// Where a process stands among systemd's units, from `/proc/PID/cgroup`
/// (cgroups(7) of Linux; systemd's names are in systemd.special(7)).
///
/// Only root moves a process from one session's group to another's. Below its
/// `user@UID.service` a user moves and names whatever they like.
public enum ControlGroup: Equatable, Sendable {
  /// A session's scope of its own, `session-2.scope`.
  case session(id: String, user: UInt32)
  /// Below a user's own service manager, as the terminals of today's desktops are.
  case userManager(user: UInt32)
  /// A container's, whoever runs it.
  case container
  /// A service, nothing, or not systemd's.
  case other

  /// Understands the file's text. What is not understood is ``other``.
  public init(_ text: String) {
    let lines = text.split(separator: "\n").map { Entry($0) }
    // systemd keeps its groups in the hierarchy "0::", or in one that is named for it.
    let path = (lines.first { $0.controllers == "name=systemd" } ?? lines.first { $0.controllers == "" })?
      .path
    self.init(parts: (path ?? "").split(separator: "/").map(String.init))
  }

  private init(parts: [String]) {
    self = .other
    if parts.contains(where: ControlGroup.isContainer) {
      self = .container
      return
    }
    guard parts.count >= 3, parts[0] == "user.slice",
      let user = ControlGroup.number(parts[1], between: "user-", and: ".slice")
    else { return }
    if parts[2] == "user@\(user).service" {
      self = .userManager(user: user)
    } else if let id = ControlGroup.middle(of: parts[2], between: "session-", and: ".scope") {
      self = .session(id: id, user: user)
    }
  }

  /// Groups that podman, docker, LXC, Kubernetes and systemd-nspawn make, in any place.
  private static func isContainer(_ part: String) -> Bool {
    let beginnings = [
      "docker", "libpod", "podman", "crio", "cri-containerd", "kubepods", "lxc", "machine-", "machine.slice",
      "systemd-nspawn@", "buildah", "conmon", "snap.docker",
    ]
    // A path above our own root means a namespace that is not ours.
    return part == ".." || beginnings.contains { part.hasPrefix($0) }
  }

  private static func middle(of text: String, between start: String, and end: String) -> String? {
    guard text.hasPrefix(start), text.hasSuffix(end), text.utf8.count > start.utf8.count + end.utf8.count
    else {
      return nil
    }
    return String(text.dropFirst(start.count).dropLast(end.count))
  }

  private static func number(_ text: String, between start: String, and end: String) -> UInt32? {
    middle(of: text, between: start, and: end).flatMap { UInt32($0) }
  }

  private struct Entry {
    var controllers = "?"
    var path = ""

    /// `4:memory:/user.slice`: the hierarchy's number, its controllers, the group.
    init(_ line: Substring) {
      let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard fields.count == 3 else { return }
      controllers = fields[0] == "0" || fields[1] != "" ? String(fields[1]) : "?"
      path = String(fields[2])
    }
  }
}
