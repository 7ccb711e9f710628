# Completion of staffbook's command lines in fish.

function __staffbook_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l program (string replace -r '^~/' "$HOME/" -- $words[1])
    # What stands for the program in an alias is no program.
    string match -q '*/*' -- $program; or set program staffbook
    set -l answer (command $program ---complete fish "$current" $words[2..-1] 2>/dev/null </dev/null)
    switch "$answer[1]"
        case words beginnings choices
            for line in $answer[2..-1]
                echo -- $line
            end
        case files
            __fish_complete_path "$current"
        case folders
            __fish_complete_directories "$current"
    end
end

complete -c staffbook -f -k -a '(__staffbook_complete)'
