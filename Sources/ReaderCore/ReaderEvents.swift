// SPDX-License-Identifier: Apache-2.0

package import ReaderProtocol
package import ThumbturnProtocol

/// What a driver says of the finger on its sensor. Some say nothing, ever.
package struct FingerStatus: Equatable, Sendable {
  /// The sensor waits for a finger.
  package var needed: Bool
  /// A finger lies on the sensor.
  package var present: Bool

  package init(needed: Bool, present: Bool) {
    self.needed = needed
    self.present = present
  }
}

/// The reader that the daemon chose.
package struct ChosenReader: Equatable, Sendable {
  var driver: Text
  var device: Text
}

/// What counts about the open reader.
package struct ReaderTraits: Equatable, Sendable {
  /// It searches several templates with one touch.
  package var identifies: Bool
  /// Its driver says when the sensor is active (`finger-status` becomes NEEDED), as
  /// every image driver of libfprint does.
  package var announcesArming: Bool
  /// Prints live in its own storage (match on chip).
  package var stores: Bool

  package init(identifies: Bool, announcesArming: Bool, stores: Bool = false) {
    self.identifies = identifies
    self.announcesArming = announcesArming
    self.stores = stores
  }
}

/// The result of one touch.
package enum TouchResult: Equatable, Sendable {
  /// It matched the template with this index.
  case match(index: UInt8)
  /// It matched none of those that were compared.
  case mismatch
  /// The scan was unusable.
  case retry(RetryReason)
}

/// What an operation on the reader's own storage came to.
package enum StorageResult: Equatable, Sendable {
  /// What was to be deleted is.
  case erased
  /// What is stored: the index of each print that was given, `nil` for others.
  case listed([UInt8?])
  /// It was not done.
  case failed(DeviceFailure)
}

/// Why an operation of libfprint ended without a result.
package enum DeviceFailure: Equatable, Sendable {
  /// It was cancelled, as was asked.
  case cancelled
  /// Its only scan was unusable.
  case retry(RetryReason)
  /// It cannot be had again in this process.
  case fatal(Refusal)
}

/// What happens to a reader process.
package enum ReaderEvent: Equatable, Sendable {
  /// The daemon sent a command.
  case command(ReaderCommand)
  /// The daemon sent what is no command.
  case nonsense
  /// The daemon is gone.
  case hungUp
  /// The reader is open.
  case opened(ReaderTraits)
  /// The reader could not be opened; `open` tells that it is open all the same.
  case openFailed(DeviceFailure, open: Bool)
  /// A template was looked at: whether this reader can compare with it.
  case kept(index: UInt8, usable: Bool)
  /// The call that arms the reader has returned.
  case started
  /// The driver reports another state of the finger.
  case finger(FingerStatus)
  /// The time asked for last has passed.
  case elapsed
  /// A touch has a result; the operation is still to end.
  case answered(TouchResult)
  /// The operation has ended; without a failure its result was told before.
  case finished(DeviceFailure?)
  /// So many stages of enrolling are done.
  case stage(done: UInt8, retry: RetryReason?)
  /// Enrolling is complete.
  case enrolled(template: [UInt8])
  /// An operation on the reader's own storage has ended.
  case storage(StorageResult)
  /// The reader is closed, or as closed as it gets.
  case closed
}

/// What a reader process does next.
package enum ReaderAction: Equatable, Sendable {
  /// Tell the daemon.
  case report(ReaderReport)
  /// Report every attached reader as found, then that all are listed.
  case list
  /// Open that reader.
  case open(driver: Text, device: Text)
  /// Take this template if the reader can compare with it.
  case keep(index: UInt8, bytes: [UInt8])
  /// Wait for a touch and compare it with the template of this index, or with all.
  case arm(only: UInt8?)
  /// Enrol a finger.
  case enroll(finger: Finger, user: Text)
  /// Delete the print of this index from the reader's own storage.
  case erase(index: UInt8)
  /// Delete a print that was just enrolled, and that nobody wants, from it.
  case drop(template: [UInt8])
  /// List what it holds.
  case listStored
  /// Delete all that it holds.
  case clearStored
  /// Cancel the running operation.
  case cancel
  /// Report `elapsed` after so many milliseconds, and forget an earlier time.
  case wait(milliseconds: Int)
  /// Forget the time that was asked for.
  case stopWaiting
  /// From here on the end is near: end the process by force if it does not come.
  case hurry
  /// Close the reader.
  case close
  /// End the process.
  case end
}
