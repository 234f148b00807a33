// SPDX-License-Identifier: Apache-2.0

import Policy
import Testing

@testable import DaemonCore

/// Sections of services and classes.
@Suite struct SectionTests {
  @Test func everyValueArrives() {
    let (configuration, problems) = Configuration.parse(
      """
      [service sudo]
      factors=finger
      tries=1
      timeout = 170
      root=true
      class=login
      [class screen-unlock]
      factors=  pattern\tfinger
      [service su-l]
      factors=none
      [class remote]
      factors=pattern
      [class self]
      timeout=5
      [service sudo]
      """)
    #expect(problems == [])
    var sudo = Rule()
    sudo.factors = .finger
    sudo.tries = 1
    sudo.timeout = 170
    sudo.root = true
    sudo.serviceClass = .login
    var locked = Rule()
    locked.factors = []
    #expect(configuration.policy.services == ["sudo": sudo, "su-l": locked])
    #expect(configuration.policy.classes[.screenUnlock]?.factors == [.finger, .pattern])
    #expect(configuration.policy.classes[.remote]?.factors == .pattern)
    #expect(configuration.policy.classes[.oneself]?.timeout == 5)
    #expect(configuration.policy.classes.count == 3)
    #expect(configuration.policy.tries == 3 && !configuration.policy.isMistaken)
  }

  @Test(arguments: [
    ("[service]\nfactors=none", 1, "unknown group"),
    ("[service ]\nfactors=none", 1, "unknown group"),
    ("[service  sudo]\nfactors=none", 1, "unknown group"),
    ("[service sudo su]\nfactors=none", 1, "unknown group"),
    ("[service ../sudo]\nfactors=none", 1, "unknown group"),
    ("[Service sudo]\nfactors=none", 1, "unknown group"),
    ("[class]\nfactors=none", 1, "unknown group"),
    ("[class sudo]\nfactors=none", 1, "unknown group"),
    ("[class login]\nclass=remote", 2, "unknown key"),
    ("[service sudo]\nfactor=none", 2, "unknown key"),
    ("[service sudo]\nqueue-wait=5", 2, "unknown key"),
    ("[service sudo]\ntries=1\n\n[service sudo]\ntries=2", 5, "tries stands in line 2 already"),
    ("[service sudo]\nfactors=", 2, "factors must be finger, pattern, both with a blank between, or none"),
    (
      "[service sudo]\nfactors=none finger", 2,
      "factors must be finger, pattern, both with a blank between, or none"
    ),
    (
      "[service sudo]\nfactors=finger finger", 2,
      "factors must be finger, pattern, both with a blank between, or none"
    ),
    (
      "[service sudo]\nfactors=finger,pattern", 2,
      "factors must be finger, pattern, both with a blank between, or none"
    ),
    (
      "[service sudo]\nfactors=password", 2,
      "factors must be finger, pattern, both with a blank between, or none"
    ),
    ("[class remote]\nfactors=finger", 2, "factors must be pattern or none: no reader stands there"),
    ("[service sudo]\ntries=0", 2, "tries must be a number from 1 to 10"),
    ("[service sudo]\ntries=11", 2, "tries must be a number from 1 to 10"),
    ("[class login]\ntimeout=171", 2, "timeout must be a number from 5 to 170"),
    ("[class login]\ntimeout=4", 2, "timeout must be a number from 5 to 170"),
    ("[service su]\nroot=1", 2, "root must be true or false"),
    (
      "[service su]\nclass=self", 2, "class must be login, privilege, screen-unlock, fingerprint-only, remote"
    ),
    ("[service su]\nclass=", 2, "class must be login, privilege, screen-unlock, fingerprint-only, remote"),
    ("[reader]\n[service su]\n[policy]\nroot=true", 4, "unknown key"),
  ])
  func everyMistakeIsFoundAndTakesEverythingAway(_ text: String, _ line: Int, _ problem: String) {
    let (configuration, problems) = Configuration.parse(text)
    #expect(problems.first == ConfigurationProblem(line: line, text: problem))
    #expect(configuration == .strictest)
  }

  @Test func mistakesComeFromTheTop() {
    let text = "[service su]\ntries=0\n[reader]\ntries=0\n[class login]\ntries=0\n"
    #expect(Configuration.parse(text).1.map(\.line) == [2, 4, 6])
  }
}
