// SPDX-License-Identifier: Apache-2.0

internal import ReaderProtocol
internal import ThumbturnProtocol

/// What becomes of the reader's own storage.
extension ReaderMachine {
  /// Takes the end of an operation on it.
  mutating func ended(_ result: StorageResult) -> [ReaderAction] {
    guard case .storing(let task) = state else { return failedAtEnd(.readerFailed) }
    switch (task, result) {
    // Whether it worked or not, there is nobody to tell.
    case (.drop(let next), _): return go(on: next)
    case (.erase(let index), .erased):
      state = .idle
      return [.report(.erased(index: index))]
    case (.erase(let index), .failed(.fatal(.notFound))):
      state = .idle
      return [.report(.missing(index: index))]
    case (.clear, .erased):
      state = .idle
      return [.report(.cleared)]
    case (.list, .listed(let indexes)):
      state = .idle
      return indexes.map { .report(.stored(index: $0)) } + [.report(.storedListed)]
    case (_, .failed(let failure)): return failedAtEnd(failure.refusal)
    case (.erase, .listed), (.clear, .listed), (.list, .erased): return failedAtEnd(.readerFailed)
    }
  }
}
