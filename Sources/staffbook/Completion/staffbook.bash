# Completion of staffbook's command lines in bash (4.4 or later); it works with and without the package
# bash-completion. The program gives the words with their quotes.

_staffbook() {
  local answer program=$1
  COMPREPLY=()
  # What stands for the program in an alias is no program.
  [[ $program == */* ]] || program=staffbook
  [[ $program == '~/'* ]] && program=$HOME/${program#'~/'}
  mapfile -t answer < <(
    "$program" ---complete bash "${COMP_LINE:0:COMP_POINT}" "$2" 2>/dev/null </dev/null
  )
  case ${answer[0]-} in
  words) COMPREPLY=("${answer[@]:1}") ;;
  beginnings)
    compopt -o nospace
    COMPREPLY=("${answer[@]:1}")
    ;;
  # An empty word keeps bash from putting what they all begin with in the place of what was typed.
  choices) COMPREPLY=("${answer[@]:1}" '') ;;
  files) compopt -o default ;;
  folders) compopt -o dirnames ;;
  esac
}

complete -o nosort -F _staffbook staffbook
