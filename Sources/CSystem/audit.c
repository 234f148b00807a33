/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One record for the kernel's audit system: a netlink message, as netlink(7) and
 * the kernel's linux/audit.h describe it. libaudit would be loaded at each start,
 * for a record that most machines never write.
 */
#define _GNU_SOURCE
#include "CSystem.h"

#include <linux/audit.h>
#include <linux/netlink.h>

#define MOST_BYTES 2048

int csystem_audit(int kind, const char *text)
{
	struct {
		struct nlmsghdr header;
		char text[MOST_BYTES];
	} message = { 0 };
	struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };
	size_t length = strlen(text) + 1;
	ssize_t sent;
	int saved, audit;

	if (length > sizeof(message.text)) {
		errno = EMSGSIZE;
		return -1;
	}
	audit = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_AUDIT);
	if (audit < 0)
		return -1;
	memcpy(message.text, text, length);
	message.header.nlmsg_len = (unsigned)NLMSG_LENGTH(length);
	message.header.nlmsg_type = (unsigned short)kind;
	message.header.nlmsg_flags = NLM_F_REQUEST;
	sent = sendto(audit, &message, message.header.nlmsg_len, MSG_NOSIGNAL, (struct sockaddr *)&kernel,
		      sizeof(kernel));
	saved = errno;
	close(audit);
	errno = saved;
	return sent < 0 ? -1 : 0;
}
