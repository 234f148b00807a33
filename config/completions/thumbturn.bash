# SPDX-License-Identifier: Apache-2.0
# Completion for thumbturn(1) in bash.

_thumbturn() {
	local current=$2 previous=$3 command= word
	local commands='enroll verify list delete pattern status policy lockdown unlock readers storage help'
	local fingers='left-thumb left-index left-middle left-ring left-little
		right-thumb right-index right-middle right-ring right-little'
	local options='--socket --help --version'

	COMPREPLY=()
	case $previous in
	--finger)
		mapfile -t COMPREPLY < <(compgen -W "$fingers" -- "$current")
		return
		;;
	--user)
		mapfile -t COMPREPLY < <(compgen -u -- "$current")
		return
		;;
	--socket)
		mapfile -t COMPREPLY < <(compgen -f -- "$current")
		return
		;;
	esac
	for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
		if [[ " $commands " == *" $word "* ]]; then
			command=$word
			break
		fi
	done
	case $command in
	enroll) options+=' --finger --user --password-stdin' ;;
	delete) options+=' --finger --all --user --password-stdin' ;;
	verify | list) options+=' --user' ;;
	pattern) options+=' --user --password-stdin set delete check' ;;
	policy)
		mapfile -t COMPREPLY < <(cd /etc/pam.d 2>/dev/null && compgen -W "$options" -f -u -- "$current")
		return
		;;
	lockdown)
		mapfile -t COMPREPLY < <(compgen -W "$options --all" -u -- "$current")
		return
		;;
	unlock)
		mapfile -t COMPREPLY < <(compgen -W "$options" -u -- "$current")
		return
		;;
	storage) options+=' --clear' ;;
	status | readers) options+=' --json' ;;
	help) options+=" $commands" ;;
	'') options+=" $commands" ;;
	esac
	mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current")
}

complete -F _thumbturn thumbturn
