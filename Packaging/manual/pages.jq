# Writes the manual pages of section 1 from what `staffbook --experimental-dump-help` prints.
#
# Each page follows a line `\u001d` + its name. The text is man(7), as groff and mandoc read it; the
# arguments are the version, the date, the text of `staffbook --help`, and what each page refers to.

# Text of ours in the middle of a line. Hyphens, quotes and the like are meant as they stand: readers
# copy them.
def literal:
  gsub("\\\\"; "\\e") | gsub("-"; "\\-") | gsub("'"; "\\(aq") | gsub("`"; "\\(ga")
  | gsub("\\^"; "\\(ha") | gsub("~"; "\\(ti");

# The same in running text, with options in bold.
def text:
  literal | gsub("(?<!\\w|-)(?<name>\\\\-\\\\-[a-z]+(\\\\-[a-z]+)*)"; "\\fB\(.name)\\fP");

# A line of its own, which must not be taken for a request.
def marked_line: if test("^[.']|^\\\\\\(aq") then "\\&" + . else . end;
def literal_line: literal | marked_line;
def line: text | marked_line;

# An argument of a macro.
def quoted: "\"" + (literal | gsub("\""; "\\(dq")) + "\"";

def sentence_start: if test("^[A-Z]([a-z]| )") then (.[:1] | ascii_downcase) + .[1:] else . end;

def page_name: join("-");

# The name of an option, without markup.
def flag: if .kind == "short" then "-" + .name else
  (if .kind == "longWithSingleDash" then "-" else "--" end) + .name end;

def placeholder: "\\fI" + (.valueName | literal) + "\\fP";

# One option or argument as the synopsis has it.
def synopsis:
  (if .kind == "positional" then placeholder
   elif .kind == "option" then "\\fB" + (.preferredName | flag | literal) + "\\fP\\ " + placeholder
   else "\\fB" + (.preferredName | flag | literal) + "\\fP" end)
  + (if .isRepeating then "\\ .\\|.\\|." else "" end);

def optional_synopsis: if .isOptional or .kind == "flag" then "[" + synopsis + "]" else synopsis end;

# The heading of an option: all its names, the short one first, and what it takes.
def heading:
  if .kind == "positional" then placeholder + (if .isRepeating then "\\ .\\|.\\|." else "" end)
  else . as $argument
    | [.names | sort_by(.kind != "short")[] | "\\fB" + (flag | literal) + "\\fP"] | join(", ")
    | if $argument.kind == "option" then . + " " + ($argument | placeholder) else . end
  end;

def says_default: (.abstract // "") | contains("(default:");

def names_values: .abstract as $abstract | all(.allValues[]; . as $value | ($abstract // "") | contains($value));

def description:
  [(.abstract // "" | line),
   (if .discussion then (.discussion | text) else empty end),
   (if (.allValues // []) != [] and .kind == "option" and (names_values | not) then
      "The values are " + ([.allValues[] | "\\fB" + literal + "\\fP"]
        | if length > 1 then (.[:-1] | join(", ")) + " and " + .[-1] else .[0] end) + "."
    else empty end),
   (if .defaultValue and .defaultValue != "-" and .kind != "flag" and (says_default | not) then
      "The default is \\fB" + (.defaultValue | literal) + "\\fP."
    else empty end)]
  | join(" ");

def option: ".TP\n" + heading + "\n" + description;

# The lines of a block that is set off: each of them a word and what it means, or as they stand.
def set_off:
  . as $lines
  | ([.[] | test("^  \\S.*?\\S {2,}\\S")] | all) as $is_list
  | if $is_list then
      [$lines[] | capture("^  (?<term>\\S.*?) {2,}(?<text>\\S.*)$")
        | ".TP\n\\fB" + (.term | literal) + "\\fP\n" + (.text | line)] | join("\n")
    else
      ".RS 2\n.nf\n" + ([$lines[] | sub("^  "; "") | literal_line] | join("\n")) + "\n.fi\n.RE"
    end;

# The discussion of a command as {text, sections}: sections have headings in capitals, and hold what is
# set off below them; all paragraphs are the text.
def discussion:
  reduce (split("\n\n")[] | split("\n")) as $lines ({text: [], sections: []};
    if $lines | all(startswith("  ")) then
      if .sections == [] then .text += [$lines | set_off]
      else .sections[-1] += "\n" + ($lines | set_off) end
    elif $lines[0] | test("^[A-Z][A-Z ]+$") then
      .sections += [".SH " + ($lines[0] | quoted) + "\n" + ($lines[1:] | set_off)]
    else .text += [(if .text == [] then "" else ".PP\n" end) + ($lines | map(line) | join("\n"))] end);

def usual: .names // [] | any(.name == "help" or .name == "version");

def options($shown):
  [$shown[] | select(.sectionTitle == null) | select(usual | not)] as $own
  | [$shown[] | select(.kind == "positional")] as $positional
  | [$own[] | select(.kind != "positional")] as $plain
  | ([$shown[] | .sectionTitle // empty] | reduce .[] as $title ([];
      if index([$title]) then . else . + [$title] end)) as $titles
  | ".SH OPTIONS",
    ($positional[] | option), ($plain[] | option),
    ($titles[] as $title | ".SS " + ($title | quoted),
      ($shown[] | select(.sectionTitle == $title and .kind != "positional") | option)),
    (if $titles != [] then ".SS Help" else empty end),
    ($shown[] | select(usual) | option);

# The groups of commands as --help shows them, in its order: [{title, names}].
def groups($help):
  reduce ($help | split("\n")[]) as $line ([];
    if $line | test("^[A-Z ]*SUBCOMMANDS:$") then
      . + [{title: ($line | sub(" ?SUBCOMMANDS:$"; "") | (.[:1] + (.[1:] | ascii_downcase))), names: []}]
    elif length > 0 and ($line | test("^  [a-z]")) then
      .[-1].names += [$line | capture("^  (?<name>[a-z-]+)").name]
    elif $line | test("^[A-Z]") then . + [{title: null, names: []}]
    else . end)
  | map(select(.names != [] and .title != null));

def reference($names): "\\fB" + ($names | literal) + "\\fP(1)";

def command_list($path; $help):
  . as $command
  | ".SH COMMANDS",
    (if ($path | length) == 1 then groups($help) else [{title: "", names: [.subcommands[].commandName]}] end
      | .[]
      | (if .title != "" then ".SS " + (.title | quoted) else empty end),
        (.names[] as $name | $command.subcommands[] | select(.commandName == $name)
          | ".TP\n" + reference($path + [$name] | page_name) + "\n" + (.abstract | line)));

def see_also($path; $related):
  [(if ($path | length) > 1 then ($path[:-1] | page_name) + "(1)" else empty end),
   ($related[$path | page_name] // [])[]]
  | [.[] | capture("(?<name>.*)\\((?<section>.)\\)")
      | "\\fB" + (.name | literal) + "\\fP(" + .section + ")"]
  | if . == [] then empty else ".SH SEE ALSO\n" + join(",\n") end;

def page($path; $extra):
  ($path | page_name) as $name
  | [.arguments[]? | select(.shouldDisplay)] as $shown
  | (.discussion // "" | discussion) as $discussion
  | (.abstract | line) as $abstract
  | "\u001d" + $name + ".1",
    ".\\\" Made from what `" + ($path | join(" ")) + " --help` shows.",
    ".TH " + ([($name | ascii_upcase | quoted), "1", $date] + (["Staffbook " + $version, "Staffbook Manual"]
      | map(quoted)) | join(" ")),
    ".nr HY 0", ".nh", ".ad l",
    ".SH NAME",
    ($name | literal) + " \\- " + (.abstract | sub("\\.$"; "") | sentence_start | literal),
    ".SH SYNOPSIS",
    ".SY " + ($path | join(" ") | quoted),
    (([$shown[] | select(.kind != "positional" and (usual | not))]
        + [$shown[] | select(.kind == "positional")])[] | optional_synopsis),
    (if .subcommands then "\\fIcommand\\fP [\\fIoptions\\fP]" else empty end),
    ".YS",
    ".SH DESCRIPTION",
    (if $discussion.text == [] then $abstract else $discussion.text[] end),
    (if .subcommands then command_list($path; $help) else empty end),
    options($shown),
    $discussion.sections[],
    ($extra[$name] // (".SH EXIT STATUS\nThe exit status is 0 on success. "
      + "\\fBstaffbook\\fP(1) lists the others.")),
    see_also($path; $related);

def pages($above; $extra):
  ($above + [.commandName]) as $path
  | page($path; $extra), (.subcommands // [] | .[] | select(.commandName != "help" and .shouldDisplay)
      | pages($path; $extra));

.command | pages([]; $extra)
