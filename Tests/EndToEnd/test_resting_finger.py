# SPDX-License-Identifier: Apache-2.0
"""A finger that rests on the reader when it is armed must lift first."""

import time

from conftest import PROMPT, stack
from service import Service
from terminal import Shell


SCAN = "SCAN finger-one"


def test_a_resting_finger_must_lift_first(person):
    with Service("device", settle=250) as service:
        service.enroll(person, [SCAN] * 5)
        stack("thumbturn-sudo", service.socket)
        with Shell(person) as shell:
            mark = service.log.mark()
            shell.line("sudo -k; sudo id -un")
            shell.expect(PROMPT)
            service.log.wait(r"\barmed\b", mark)
            # The finger is down before the prompt can have been read: within the settle time.
            service.tell("FINGER 1")
            service.log.wait(r"\bretry\b", mark)
            shell.expect("lift your finger")
            shell.never("root\r\n", during=0.5)
            later = service.log.mark()
            service.tell("FINGER 0")
            service.log.wait(r"\barmed\b", later)
            # A touch after the settle time counts.
            time.sleep(0.4)
            service.tell(SCAN)
            shell.expect("root\r\n")
