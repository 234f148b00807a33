// SPDX-License-Identifier: Apache-2.0

internal import Conversation
internal import ReaderProtocol
internal import Records
internal import ThumbturnProtocol

/// What a claim hears of the reader.
enum ClaimNews {
  /// Somebody else holds it.
  case mustWait(service: Text, terminal: Text)
  /// It is this claim's; the attached readers are being listed.
  case turn
  /// It is away for a while: with somebody else, asleep, or out of its socket. The claim
  /// stands, and another turn follows. Only claims that can wait hear this.
  case lost
  /// What the process says.
  case report(ReaderReport)
}

/// Whoever wants the reader.
protocol ReaderClaim: AnyObject {
  /// Who it is.
  var claimant: Claimant { get }
  /// The USB readers its prints were made on; the process is let at these, too.
  var enrolledOn: [USBIdentity] { get }
  /// Takes news; may call the desk.
  func hear(_ news: ClaimNews)
}
