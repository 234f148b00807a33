/* SPDX-License-Identifier: Apache-2.0 */
/* Connects to the socket at argv[1] and hangs up, again and again, until it is killed. */
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int main(int count, char **words)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	if (count != 2)
		return 2;
	snprintf(address.sun_path, sizeof(address.sun_path), "%s", words[1]);
	for (;;) {
		int descriptor = socket(AF_UNIX, SOCK_SEQPACKET, 0);

		(void)!connect(descriptor, (struct sockaddr *)&address, sizeof(address));
		close(descriptor);
	}
}
