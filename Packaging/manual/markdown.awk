# Makes a page of docs/ ready for `cmark-gfm -t man` (PHASE=before), and what that writes ready for
# man(7) (PHASE=after).
#
# cmark-gfm knows two levels of headings, writes tables whose cells are not wrapped, sets code in a font
# that terminals lack, and leaves a dot at the beginning of a line of code.

# A row of a table becomes a paragraph: a term, what else belongs to it in parentheses, and a text, the
# last cell. The two signs are of the private use area.
function table_row(line,    cells, count, i, term) {
  gsub(/\\\|/, "\357\200\203", line)
  sub(/^[ ]*\|[ ]*/, "", line)
  sub(/[ ]*\|[ ]*$/, "", line)
  count = split(line, cells, /[ ]*\|[ ]*/)
  term = cells[1]
  for (i = 2; i < count; i++) if (cells[i] != "") term = term " (" cells[i] ")"
  line = "\357\200\201" term "\357\200\202" cells[count]
  gsub(/\357\200\203/, "|", line)
  return line "\n"
}

PHASE == "before" && /^```/ { in_code = !in_code }
PHASE == "before" && in_code { print; next }
PHASE == "before" && /^# / && !title_seen { title_seen = 1; next }
PHASE == "before" && /^##/ { sub(/^#/, "") }
PHASE == "before" && /^[ ]*\|/ {
  # The headings of the columns and the line below them say nothing that the text does not.
  rows++
  if (rows > 2) print table_row($0)
  next
}
PHASE == "before" {
  rows = 0
  print
}

PHASE == "after" && /^\.(SH|SS)$/ { heading = $0; next }
PHASE == "after" && heading != "" {
  gsub(/"/, "\\(dq")
  print heading " \"" $0 "\""
  heading = ""
  in_section = 0
  next
}
PHASE == "after" && /^\.nf$/ { in_code = 1; printf "%s", held; held = ""; in_section = 1; print; next }
PHASE == "after" && /^\.fi$/ { in_code = 0; print; next }
PHASE == "after" && /^\\f\[C?\]$/ { next }
PHASE == "after" && /^\.(PP|IP|RS|RE|TP)/ && !in_code { held = held $0 "\n"; next }
PHASE == "after" {
  gsub(/\\f\[[CB]\]/, "\\fB")
  gsub(/\\f\[I\]/, "\\fI")
  gsub(/\\f\[\]/, "\\fP")
  gsub(/'/, "\\(aq")
  gsub(/`/, "\\(ga")
  gsub(/\^/, "\\(ha")
  gsub(/~/, "\\(ti")
  if (in_code && /^\./) $0 = "\\&" $0
  if (sub(/^\357\200\201/, "")) {
    sub(/\357\200\202/, "\n")
    sub(/\.PP\n$/, ".TP\n", held)
  }
  # The first paragraph of a section needs no request.
  if (!in_section) sub(/^\.PP\n/, "", held)
  in_section = 1
  if (held != "") printf "%s", held
  held = ""
  print
}
