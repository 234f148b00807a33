# SPDX-License-Identifier: Apache-2.0
#
# "make install" and "make uninstall". Nothing is built here, so that root need
# not run the compiler. DESTDIR is the root of a package's tree; PREFIX and the
# other folders are where the files will be used.

DATA := install -D -m 0644
PROGRAM := install -D -m 0755

install: ## install into PREFIX (/usr/local), after "make"
	@for file in thumbturn $(HELPERS) libpam_thumbturn.so; do \
	  [ -e $(RELEASE)/$$file ] || { echo "$(RELEASE)/$$file is missing: run \"make\" first." >&2; exit 1; }; done
	@$(PROGRAM) $(RELEASE)/thumbturn $(DESTDIR)$(BINDIR)/thumbturn
	@for file in $(HELPERS); do $(PROGRAM) $(RELEASE)/$$file $(DESTDIR)$(LIBEXECDIR)/$$file; done
	@$(STRIP) $(DESTDIR)$(BINDIR)/thumbturn $(HELPERS:%=$(DESTDIR)$(LIBEXECDIR)/%)
	@# A new file beside the old one and a rename: hosts that run have the old one mapped.
	@$(DATA) $(RELEASE)/libpam_thumbturn.so $(DESTDIR)$(PAMDIR)/.pam_thumbturn.so.new
	@$(STRIP) --strip-unneeded $(DESTDIR)$(PAMDIR)/.pam_thumbturn.so.new
	@mv -f $(DESTDIR)$(PAMDIR)/.pam_thumbturn.so.new $(DESTDIR)$(PAMDIR)/pam_thumbturn.so
	@$(DATA) config/systemd/thumbturn.socket $(DESTDIR)$(UNITDIR)/thumbturn.socket
	@$(DATA) config/systemd/thumbturn.service $(DESTDIR)$(UNITDIR)/thumbturn.service
	@sed -i 's|^ExecStart=.*|ExecStart=$(LIBEXECDIR)/thumbturnd|' $(DESTDIR)$(UNITDIR)/thumbturn.service
	@$(DATA) config/sysusers.d/thumbturn.conf $(DESTDIR)$(SYSUSERSDIR)/thumbturn.conf
	@$(DATA) config/completions/thumbturn.bash $(DESTDIR)$(COMPLETIONDIR)/thumbturn
	@for page in config/man/*.[158]; do \
	  $(DATA) $$page $(DESTDIR)$(MANDIR)/man$${page##*.}/$${page##*/}; done
	@for file in README.md CHANGELOG.md LICENSE docs/*.md; do \
	  $(DATA) $$file $(DESTDIR)$(DOCDIR)/$${file##*/}; done
	@for file in config/thumbturn.conf config/pam.d/*; do \
	  $(DATA) $$file $(DESTDIR)$(DOCDIR)/examples/$${file##*/}; done
	@# What an administrator changed stays.
	@[ -e $(DESTDIR)$(SYSCONFDIR)/thumbturn/thumbturn.conf ] || \
	  $(DATA) config/thumbturn.conf $(DESTDIR)$(SYSCONFDIR)/thumbturn/thumbturn.conf
	@[ -e $(DESTDIR)$(SYSCONFDIR)/pam.d/thumbturn-password ] || \
	  $(DATA) config/pam.d/thumbturn-password $(DESTDIR)$(SYSCONFDIR)/pam.d/thumbturn-password
	@[ -n "$(DESTDIR)" ] || id thumbturn-reader >/dev/null 2>&1 || \
	  systemd-sysusers $(SYSUSERSDIR)/thumbturn.conf || \
	  useradd --system --no-create-home --home-dir / --shell /usr/sbin/nologin thumbturn-reader
	@echo "Installed. Next, as root:"
	@echo "  systemctl daemon-reload && systemctl enable --now thumbturn.socket"
	@echo "  thumbturn readers, then thumbturn enroll --user NAME"
	@echo "and the PAM line of $(DOCDIR)/examples/sudo.example, with a root shell kept open."

uninstall: ## remove what "make install" installed; data and settings stay
	@used=$$(grep -ls '^[^#]*pam_thumbturn' $(DESTDIR)$(SYSCONFDIR)/pam.d/* || true); \
	[ -z "$$used" ] || { echo "First take the pam_thumbturn line out of:" $$used >&2; exit 1; }
	@[ -n "$(DESTDIR)" ] || ! command -v systemctl >/dev/null || \
	  systemctl disable --now thumbturn.socket thumbturn.service >/dev/null 2>&1 || true
	@rm -f $(DESTDIR)$(BINDIR)/thumbturn $(DESTDIR)$(PAMDIR)/pam_thumbturn.so
	@rm -f $(DESTDIR)$(UNITDIR)/thumbturn.socket $(DESTDIR)$(UNITDIR)/thumbturn.service
	@rm -f $(DESTDIR)$(SYSUSERSDIR)/thumbturn.conf $(DESTDIR)$(COMPLETIONDIR)/thumbturn
	@for page in config/man/*.[158]; do \
	  rm -f $(DESTDIR)$(MANDIR)/man$${page##*.}/$${page##*/}; done
	@rm -rf $(DESTDIR)$(LIBEXECDIR) $(DESTDIR)$(DOCDIR)
	@echo "Removed. Left as they are: $(SYSCONFDIR)/thumbturn, $(SYSCONFDIR)/pam.d/thumbturn-password,"
	@echo "/var/lib/thumbturn (the enrolled prints) and the user thumbturn-reader."
