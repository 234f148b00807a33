// SPDX-License-Identifier: Apache-2.0

internal import CFprint
internal import ThumbturnProtocol

/// The reader's own storage. None of these calls can be cancelled: what a reader holds
/// must be known afterwards.
extension FingerprintReader {
  /// Deletes the print with this index.
  func erase(_ index: UInt8) {
    let begun = unsafe gallery.withPrint(index) { print in
      unsafe erase(print)
      return true
    }
    if begun != true { tell(.storage(.failed(.fatal(.notFound)))) }
  }

  /// Deletes a print that was just made.
  func drop(_ template: [UInt8]) {
    guard let print = Gallery.print(from: template) else {
      return tell(.storage(.failed(.fatal(.malfunction))))
    }
    unsafe print.withPointer { unsafe erase($0) }
  }

  private func erase(_ print: OpaquePointer) {
    let me = unsafe selfPointer
    unsafe device.withPointer { device in
      // SAFETY: libfprint takes a reference of its own to the print; callback as in open.
      unsafe fp_device_delete_print(
        device, print, nil, { _, result, data in FingerprintReader.from(data)?.erased(result) }, me)
    }
  }

  @safe private func erased(_ result: OpaquePointer?) {
    var problem = ErrorPlace()
    // SAFETY: as in opened.
    let erased = unsafe device.withPointer { device in
      unsafe problem.fill { unsafe fp_device_delete_print_finish(device, result, $0) } != 0
    }
    tell(.storage(erased ? .erased : .failed(problem.failure ?? .fatal(.readerFailed))))
  }

  func clearStored() {
    let me = unsafe selfPointer
    unsafe device.withPointer { device in
      // SAFETY: callback as in open.
      unsafe fp_device_clear_storage(
        device, nil, { _, result, data in FingerprintReader.from(data)?.cleared(result) }, me)
    }
  }

  @safe private func cleared(_ result: OpaquePointer?) {
    var problem = ErrorPlace()
    // SAFETY: as in opened.
    let cleared = unsafe device.withPointer { device in
      unsafe problem.fill { unsafe fp_device_clear_storage_finish(device, result, $0) } != 0
    }
    tell(.storage(cleared ? .erased : .failed(problem.failure ?? .fatal(.readerFailed))))
  }

  func listStored() {
    let me = unsafe selfPointer
    unsafe device.withPointer { device in
      // SAFETY: callback as in open.
      unsafe fp_device_list_prints(
        device, nil, { _, result, data in FingerprintReader.from(data)?.listed(result) }, me)
    }
  }

  @safe private func listed(_ result: OpaquePointer?) {
    var problem = ErrorPlace()
    // SAFETY: as in opened; the array is the caller's (transfer container) and frees its prints.
    let prints = unsafe device.withPointer { device in
      unsafe problem.fill { unsafe fp_device_list_prints_finish(device, result, $0) }
    }
    guard let prints = unsafe prints else {
      return tell(.storage(.failed(problem.failure ?? .fatal(.readerFailed))))
    }
    defer { unsafe g_ptr_array_unref(prints) }
    let indexes = (0..<Int(unsafe prints.pointee.len)).map { place -> UInt8? in
      // SAFETY: elements below `len` are prints.
      guard let print = unsafe prints.pointee.pdata[place] else { return nil }
      return gallery.index(equalTo: OpaquePointer(print))
    }
    tell(.storage(.listed(indexes)))
  }
}
