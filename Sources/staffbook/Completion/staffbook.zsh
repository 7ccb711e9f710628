#compdef staffbook
# Completion of staffbook's command lines in zsh.

_staffbook() {
  local program=${(Q)words[1]} line
  local -a answer texts shown options
  # What stands for the program in an alias is no program.
  [[ $program == */* ]] || program=staffbook
  [[ $program == '~/'* ]] && program=$HOME/${program#\~/}
  answer=("${(@f)$(
    $program ---complete zsh "$QIPREFIX$PREFIX" "${(@Q)words[2,CURRENT-1]}" 2>/dev/null </dev/null
  )}")
  case $answer[1] in
    files) _files; return ;;
    folders) _files -/; return ;;
    beginnings) options=(-S '') ;;
    # What they all begin with is not put in the place of what was typed.
    choices) compstate[insert]='' compstate[list]='list force' ;;
    words) ;;
    *) return 1 ;;
  esac
  for line in "${(@)answer[2,-1]}"; do
    texts+=("${line%%$'\t'*}")
    shown+=("${line/$'\t'/  -- }")
  done
  (( $#texts )) || return 1
  # The program has chosen: what it gives need not begin with what was typed.
  compadd -U -V staffbook -l -d shown "${options[@]}" -- "${texts[@]}"
}

if [[ $funcstack[1] == _staffbook ]]; then
  _staffbook "$@"
else
  compdef _staffbook staffbook
fi
