// SPDX-License-Identifier: Apache-2.0

/// Programs whose presence among a process's parents tells something.
///
/// Names are as the kernel keeps them, cut to 15 bytes. They can be chosen freely by
/// their users, so none of them opens anything.
public enum ProgramNames {
  /// Programs through which somebody logs in from another machine.
  private static let logins: Set<String> = [
    "sshd", "sshd-session", "sshd-auth", "dropbear", "lshd", "mosh-server", "etserver", "etterminal",
    "telnetd",
    "in.telnetd", "rlogind", "in.rlogind", "rshd", "in.rshd", "tailscaled", "teleport", "ttyd", "gotty",
    "shellinaboxd", "tmate", "upterm", "code-server", "code-tunnel", "cockpit-ws", "cockpit-session",
    "cockpit-bridge",
  ]
  /// Programs that show a screen on another machine.
  private static let screens: Set<String> = [
    "xrdp", "xrdp-sesman", "xrdp-sesexec", "xrdp-chansrv", "Xvnc", "Xtigervnc", "Xtightvnc", "vncsession",
    "x11vnc", "vncserver-x11", "wayvnc", "nxserver.bin", "nxnode.bin", "nxagent", "x2goagent", "x2goserver",
    "waypipe", "Xspice",
  ]
  /// Programs whose terminals may be shown anywhere, also later.
  private static let multiplexers: Set<String> = [
    "tmux", "screen", "SCREEN", "zellij", "dtach", "abduco", "dvtm", "byobu", "shpool", "neercs",
  ]

  /// Whether people come through it from another machine to log in.
  public static func isLogin(_ name: String) -> Bool { logins.contains(name) }

  /// Whether what stands below it is used from another machine.
  public static func isRemote(_ name: String) -> Bool { isLogin(name) || screens.contains(name) }

  /// Whether it can be looked at from several terminals. tmux calls itself `tmux: server`.
  public static func isMultiplexer(_ name: String) -> Bool {
    multiplexers.contains(name) || name.hasPrefix("tmux:")
  }

  /// Whether a PAM service is a display manager's, which asks before there is a session.
  public static func isDisplayManager(service: String) -> Bool {
    service.hasPrefix("gdm-")
      || [
        "sddm", "sddm-greeter", "lightdm", "lightdm-greeter", "greetd", "lxdm", "xdm", "slim", "plasmalogin",
      ]
      .contains(service)
  }

  /// Whether a PAM service is one for people at other machines.
  public static func isRemote(service: String) -> Bool {
    ["sshd", "ssh", "dropbear", "xrdp-sesman", "cockpit", "remote", "rlogin", "rsh", "telnet", "vncserver"]
      .contains(service)
  }
}
