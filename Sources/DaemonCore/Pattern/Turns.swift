// SPDX-License-Identifier: Apache-2.0

/// Work that is done one piece at a time, in turn by account.
///
/// Whoever asks often waits for themselves: the next piece is that of the account that
/// was served longest ago. What nobody waits for any more is forgotten, so that there is
/// never more than connections stand. Belongs to the main loop.
final class Turns {
  /// A piece of work; it calls what it is given once it is over.
  typealias Work = (@escaping () -> Void) -> Void

  private struct Piece {
    let uid: UInt32
    let isWanted: () -> Bool
    let work: Work
  }

  private var waiting: [Piece] = []
  /// When each account had its last turn; empty when nothing waits.
  private var served: [UInt32: UInt64] = [:]
  private var turns: UInt64 = 0
  private var busy = false
  /// Whether ``goOn()`` is at work further down.
  private var going = false

  /// Does the work when its turn comes, perhaps before this returns; never when it is not
  /// wanted any more by then.
  func add(_ uid: UInt32, isWanted: @escaping () -> Bool, work: @escaping Work) {
    waiting.removeAll { !$0.isWanted() }
    waiting.append(Piece(uid: uid, isWanted: isWanted, work: work))
    goOn()
  }

  /// Starts piece after piece until one takes its time. Those that end at once are done
  /// one behind the other, not one within the other, which the stack bears only so often.
  private func goOn() {
    if going { return }
    going = true
    while !busy, let piece = next() {
      busy = true
      piece.work { [self] in
        busy = false
        goOn()
      }
    }
    going = false
  }

  private func next() -> Piece? {
    waiting.removeAll { !$0.isWanted() }
    // Of equals it is the first one.
    let index = waiting.indices.min { turn(of: waiting[$0]) < turn(of: waiting[$1]) }
    guard let index else {
      served.removeAll()
      return nil
    }
    let piece = waiting.remove(at: index)
    turns += 1
    served[piece.uid] = turns
    return piece
  }

  private func turn(of piece: Piece) -> UInt64 { served[piece.uid] ?? 0 }
}
