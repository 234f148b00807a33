// SPDX-License-Identifier: Apache-2.0

internal import ThumbturnProtocol

/// The first part of every errand: the owner shows to be there.
///
/// One password is taken; a wrong one is answered after a pause.
struct Proving: Equatable, Sendable {
  /// What becomes of the errand.
  enum Step: Equatable {
    /// Do this and stay.
    case stay([ErrandAction])
    /// Go on.
    case proven
    /// It is over.
    case refused(Refusal)
  }

  private enum Phase: Equatable { case asked, checking, punished }
  private var phase = Phase.asked
  private let limits: ErrandLimits

  init(limits: ErrandLimits) { self.limits = limits }

  /// What to do first.
  var opening: [ErrandAction] { [.setTimer(.proof, milliseconds: limits.proof), .wantProof] }

  mutating func handle(_ event: ErrandEvent) -> Step {
    switch (phase, event) {
    case (.asked, .message(.proof)):
      phase = .checking
      return .stay([.cancelTimer(.proof), .check])
    case (.asked, .timer(.proof)): return .refused(.timedOut)
    case (.checking, .checked(right: true)): return .proven
    case (.checking, .checked(right: false)):
      phase = .punished
      return .stay([.setTimer(.penalty, milliseconds: limits.penalty)])
    case (.punished, .timer(.penalty)): return .refused(.wrongPassword)
    case (_, .message(.cancel)): return .refused(.cancelled)
    case (_, .message): return .refused(.malformed)
    case (_, .failed(let refusal)): return .refused(refusal)
    case (_, .timer): return .stay([])
    case (.asked, _), (.checking, _), (.punished, _): return .refused(.malfunction)
    }
  }
}
