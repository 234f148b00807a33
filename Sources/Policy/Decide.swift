// SPDX-License-Identifier: Apache-2.0

internal import Throttle

extension PolicySettings {
  /// What a request may use now.
  ///
  /// What excludes a factor for good is named before what will pass, and what tells
  /// somebody far away nothing before all else.
  public func decide(_ request: PolicyRequest, _ facts: Facts) -> Decision {
    let serviceClass = serviceClass(of: request)
    let isRemote = isRemote(request, serviceClass)
    return Decision(
      serviceClass: serviceClass, origin: origin(of: request, isRemote: isRemote),
      finger: objectionToFinger(request, facts, serviceClass, isRemote: isRemote),
      pattern: objectionToPattern(request, facts, serviceClass, isRemote: isRemote),
      tries: limit(of: request, serviceClass, { $0.tries }, usual: tries),
      timeout: limit(of: request, serviceClass, { $0.timeout }, usual: timeout),
      sparesBuiltInReaders: respectsLid && facts.lid == .closed)
  }

  private func serviceClass(of request: PolicyRequest) -> ServiceClass {
    guard request.peerIsRoot else { return .oneself }
    return services[request.service]?.serviceClass ?? ServiceClass(service: request.service)
  }

  private func isRemote(_ request: PolicyRequest, _ serviceClass: ServiceClass) -> Bool {
    request.hasRemoteHost || request.place == .remote || serviceClass == .remote
  }

  /// Whether the request comes from a seat of this machine, in front or not.
  private func isLocal(_ place: Place) -> Bool {
    switch place {
    case .seat, .inactive: true
    case .unknown: trustsUnknownPlaces
    case .remote, .none: false
    }
  }

  private func origin(of request: PolicyRequest, isRemote: Bool) -> Origin {
    if isRemote { return .remote }
    guard isLocal(request.place) else { return .other }
    // A program of root's that signs people in has the login uid of nobody, or of root.
    let asking = request.realUser == 0 && request.loginUser != .max ? request.loginUser : request.realUser
    return asking == 0 || asking == request.target ? .own : .other
  }

  // MARK: - What may be used

  private func objectionToFinger(
    _ request: PolicyRequest, _ facts: Facts, _ serviceClass: ServiceClass, isRemote: Bool
  ) -> Objection? {
    // Before all else: nobody far away is told how the account stands.
    if isRemote { return .remote }
    if let objection = general(.finger, request, serviceClass, isRemote: isRemote) { return objection }
    let isInFront = request.place == .seat || (request.place == .unknown && trustsUnknownPlaces)
    guard isInFront else { return .notAtSeat(request.place) }
    if let objection = facts.password.objection(self) { return objection }
    guard let counts = facts.counts else { return .damagedCount }
    guard facts.countsAreKept else { return .unkeptCount }
    let origin = origin(of: request, isRemote: isRemote)
    return counts.isLocked(origin, after: lockAfter) ? .locked(counts[origin]) : nil
  }

  private func objectionToPattern(
    _ request: PolicyRequest, _ facts: Facts, _ serviceClass: ServiceClass, isRemote: Bool
  ) -> Objection? {
    if let objection = general(.pattern, request, serviceClass, isRemote: isRemote) { return objection }
    guard patternEnabled, !patternOffFor.contains(request.service) else { return .patternsOff }
    if !patternRemote {
      if isRemote { return .remote }
      guard isLocal(request.place) else { return .notAtSeat(request.place) }
    }
    let isOwn = !request.peerIsRoot || request.realUser == 0 || request.realUser == request.target
    guard isOwn || patternOtherUsers else { return .otherUser }
    if let objection = facts.password.objection(self) { return objection }
    return facts.counts == nil ? .damagedCount : nil
  }

  /// What the sections and the account itself say.
  private func general(
    _ factor: Factors, _ request: PolicyRequest, _ serviceClass: ServiceClass, isRemote: Bool
  ) -> Objection? {
    if isMistaken { return .mistakenSettings }
    let rule = services[request.service] ?? Rule()
    var classes = [serviceClass]
    if isRemote { classes.append(.remote) }
    for name in classes {
      let allowed = self.classes[name]?.factors ?? name.shippedFactors
      // For a service of root's its own section stands in place of the class's.
      let isDecidedByService = request.peerIsRoot && name == serviceClass && rule.factors != nil
      if !isDecidedByService, !allowed.contains(factor) { return .factorOff(by: .serviceClass(name)) }
    }
    if let factors = rule.factors, !factors.contains(factor) { return .factorOff(by: .service) }
    guard request.target == 0 else { return nil }
    let isAllowed = (request.peerIsRoot ? rule.root : nil) ?? self.classes[serviceClass]?.root ?? rootTarget
    return isAllowed ? nil : .rootTarget
  }

  // MARK: - How often

  /// The service's own limit, the class's or the usual one. A section for a name that
  /// anybody can take only makes less of it.
  private func limit(
    of request: PolicyRequest, _ serviceClass: ServiceClass, _ value: (Rule) -> Int?, usual: Int
  ) -> Int {
    let general = classes[serviceClass].flatMap(value) ?? usual
    guard let own = services[request.service].flatMap(value) else { return general }
    return request.peerIsRoot ? own : min(own, general)
  }
}
