// SPDX-License-Identifier: Apache-2.0

/// What a PAM service is for; services of one class are treated alike.
public enum ServiceClass: String, CaseIterable, Sendable {
  /// Begins a session: login, gdm-password, sddm.
  case login
  /// Does something as somebody else: sudo, su, polkit-1; and every service that is not known.
  case privilege
  /// Opens a locked screen: kde, i3lock, swaylock.
  case screenUnlock = "screen-unlock"
  /// Beside a stack that asks for the password: gdm-fingerprint, kde-fingerprint.
  case fingerprintOnly = "fingerprint-only"
  /// Lets in from another machine: sshd.
  case remote
  /// Asked by a program that is not root's, whatever it calls itself.
  case oneself = "self"

  /// The class of a service, as its file in `/etc/pam.d` is called, where none is configured.
  public init(service: String) {
    switch service {
    case "sshd", "ssh", "cockpit", "xrdp-sesman", "vsftpd", "proftpd", "dovecot", "smtp", "imap", "samba",
      "rlogin", "rsh", "remote", "mosh-server", "xpra", "webmin", "usermin", "openvpn":
      self = .remote
    case "gdm-fingerprint", "kde-fingerprint": self = .fingerprintOnly
    case "login", "gdm", "sddm", "sddm-greeter", "lightdm", "lightdm-greeter", "greetd", "ly", "lxdm", "xdm",
      "slim":
      self = .login
    case "i3lock", "swaylock", "xsecurelock", "thumbturn-lock", "hyprlock", "waylock", "gtklock", "physlock",
      "vlock", "xlock", "xscreensaver", "xtrlock", "slock", "mate-screensaver", "cinnamon-screensaver",
      "light-locker", "schlock":
      self = .screenUnlock
    case _ where service.hasPrefix("gdm-"): self = .login
    case _ where service.hasPrefix("kde"): self = .screenUnlock
    default: self = .privilege
    }
  }

  /// What counts for a service of this class where nothing is configured.
  public var shippedFactors: Factors {
    switch self {
    case .login, .privilege, .screenUnlock, .oneself: [.finger, .pattern]
    case .fingerprintOnly: [.finger]
    // Whether a pattern is taken from afar at all is a setting of its own.
    case .remote: [.pattern]
    }
  }
}

/// What may stand for the password.
public struct Factors: OptionSet, Sendable {
  /// One bit for each.
  public let rawValue: UInt8
  /// Takes the bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// A touch of the reader.
  public static let finger = Factors(rawValue: 1)
  /// A pattern, typed.
  public static let pattern = Factors(rawValue: 2)
}
