"""Turns `staffbook tree --all --plain` into an export that ncdu reads: departments are folders, people are files."""

import json
import sys

out = sys.stdout
out.write('[1,0,{"progname":"staffbook","progver":"1","timestamp":0},\n[{"name":"/staff"}')
depth = 0
for line in sys.stdin:
    level, kind, _, name = line.rstrip("\n").split("\t")[:4]
    while depth > int(level):
        out.write("]")
        depth -= 1
    entry = json.dumps({"name": name.replace("/", "\u2215"), "asize": 1, "dsize": 1})
    if kind == "department":
        out.write(",\n[" + entry)
        depth += 1
    else:
        out.write(",\n" + entry)
out.write("]" * (depth + 1) + "]\n")
