// SPDX-License-Identifier: Apache-2.0

/// When a password was last given, by two clocks.
public struct PasswordMemory: Equatable, Sendable {
  /// Seconds since 1970, as the machine's clock stood.
  public var seconds: UInt64
  /// Milliseconds since the machine's start, time asleep included.
  public var milliseconds: UInt64
  /// The id of that start, 16 bytes.
  public var boot: [UInt8]

  /// Takes a time.
  public init(seconds: UInt64, milliseconds: UInt64, boot: [UInt8]) {
    self.seconds = seconds
    self.milliseconds = milliseconds
    self.boot = boot
  }
}

/// What decides whether nothing but the password counts.
public struct PasswordState: Equatable, Sendable {
  /// When the password was last given; `nil` when nobody knows.
  public var last: PasswordMemory?
  /// The time now; `nil` when the kernel does not say which start of the machine this is.
  public var now: PasswordMemory?
  /// Whether somebody said that only the password counts.
  public var isLockedDown = false
  /// Whether the home folder is there.
  public var hasHome = true

  /// A password that was never given.
  public init() {}

  /// Why nothing but the password counts; `nil` when the others do, too.
  ///
  /// The reasons are those of Android's strong authentication (after boot, timeout,
  /// user lockdown), and the home folder.
  public func objection(_ settings: PolicySettings) -> Objection? {
    if isLockedDown { return .lockdown }
    if settings.passwordFirst, !isOfThisStart { return .passwordAfterStart }
    if settings.passwordEvery > 0, !isWithin(hours: settings.passwordEvery) { return .passwordDue }
    return hasHome ? nil : .homeClosed
  }

  /// Whether the password was given since the machine was started.
  private var isOfThisStart: Bool {
    guard let last, let now else { return false }
    return last.boot == now.boot
  }

  /// Whether it was given in so many hours.
  ///
  /// Within one start only the clock that nobody can set counts. From one start to the
  /// next there is none, so the clock of the day must not have gone back, and the
  /// machine must not have run longer by itself.
  private func isWithin(hours: Int) -> Bool {
    guard let last, let now else { return false }
    let limit = UInt64(max(hours, 0)) * 3_600_000
    if last.boot == now.boot {
      return now.milliseconds >= last.milliseconds && now.milliseconds - last.milliseconds < limit
    }
    guard now.seconds >= last.seconds, now.milliseconds < limit else { return false }
    return now.seconds - last.seconds < limit / 1_000
  }
}
