// SPDX-License-Identifier: Apache-2.0

import Glibc
import System

@testable import DaemonCore

/// A program that did not do what a test needs.
struct ProgramFailed: Error {
  let program: String
  let state: ChildState
}

/// Runs a program with a text as its input; answers what it wrote.
@discardableResult
func run(_ program: String, _ arguments: [String], input: String = "") throws -> String {
  var incoming = try DescriptorPair.pipe()
  var outgoing = try DescriptorPair.pipe()
  guard let childInput = incoming.takeNear(), let writing = incoming.takeFar(),
    let reading = outgoing.takeNear(), let childOutput = outgoing.takeFar()
  else { throw SystemError("pipe", code: EINVAL) }
  try FileBytes.write(Array(input.utf8), to: writing.number)
  _ = consume writing
  var plan = ChildPlan(path: program)
  plan.arguments = arguments
  plan.environment = ["PATH=/usr/sbin:/usr/bin:/sbin:/bin"]
  plan.standardInput = childInput.number
  plan.standardOutput = childOutput.number
  var child = try ChildProcess(starting: plan)
  _ = consume childOutput
  let output = FileBytes.read(reading.number, limit: 1 << 20) ?? []
  let state = child.wait(limit: 20_000)
  guard state == .exited(status: 0) else { throw ProgramFailed(program: program, state: state) }
  return String(decoding: output, as: UTF8.self)
}
