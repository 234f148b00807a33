// SPDX-License-Identifier: Apache-2.0
import Glibc
import SyntheticPrints

/// Runs the command line without the program's name. Every option is checked before anything is written.
func run(_ words: ArraySlice<String>) throws(ToolError) {
  guard let command = words.first else { throw .usage("a command is missing") }
  if words.contains("--help") || command == "help" {
    return try writeAll(Array(help.utf8), to: STDOUT_FILENO, name: "standard output")
  }
  let options = try Options(words.dropFirst())
  switch command {
  case "image": try image(options)
  case "touch": try touch(options)
  case "raw": try raw(options)
  default: throw .usage("unknown command '\(command)'")
  }
}

private func image(_ given: consuming Options) throws(ToolError) {
  var options = given
  let output = options.text("--output")
  let touch = try OneTouch(&options)
  try options.finish()
  let file = touch.image().pgm
  if let output {
    try Descriptor.create(output).write(file, to: output)
  } else {
    try writeAll(file, to: STDOUT_FILENO, name: "standard output")
  }
}

private func touch(_ given: consuming Options) throws(ToolError) {
  var options = given
  let path = try options.requiredText("--socket")
  let seconds: UInt16 = try options.number("--wait") ?? 5
  let socket = ReaderSocket(path: path, patience: 1000 * Int64(seconds))
  if let command = options.text("--device-command") {
    try options.finish()
    return try socket.send(Array(command.utf8))
  }
  let touch = try OneTouch(&options)
  try options.finish()
  try socket.send(touch.image().scan)
}

private func raw(_ given: consuming Options) throws(ToolError) {
  var options = given
  let seed: UInt64 = try options.requiredNumber("--finger")
  let numbers = try options.requiredRange("--impressions")
  let directory = try options.requiredText("--directory")
  let quality = try preset(&options)
  try options.finish()
  let finger = Finger(seed: seed)
  for number in numbers {
    let path = "\(directory)/\(seed)-\(number).raw"
    try Descriptor.create(path).write(finger.impression(number, quality: quality).scan, to: path)
  }
}

/// The options that name one image.
private struct OneTouch {
  private let seed: UInt64
  private let number: Int
  private let quality: Quality

  init(_ options: inout Options) throws(ToolError) {
    seed = try options.requiredNumber("--finger")
    number = try options.number("--impression") ?? 1
    quality = try preset(&options)
  }

  func image() -> GreyImage { Finger(seed: seed).impression(number, quality: quality) }
}

private func preset(_ options: inout Options) throws(ToolError) -> Quality {
  guard let name = options.text("--preset") else { return .easy }
  guard let quality = Quality(rawValue: name) else {
    throw .usage("--preset is easy or mixed, not '\(name)'")
  }
  return quality
}
