"""What an analysis may say. Read by lark, worked out by formula.py; nothing of it is ever run as code."""

GRAMMAR = r"""
start: pipe

?pipe: either ("|" step)*
?either: both ("or" both)*
?both: negated ("and" negated)*
?negated: "not" negated -> negation
        | compared
?compared: sum
         | sum COMPARE sum -> comparison
?sum: product
    | sum ADD product -> arithmetic
?product: signed
        | product MUL signed -> arithmetic
?signed: "-" signed -> minus
       | atom
?atom: "(" pipe ")"
     | "fact" STRING -> fact
     | "table" STRING -> table
     | "date" STRING -> day
     | COLUMN -> column
     | "any" -> anywhere
     | NUMBER WORD? -> number
     | MONEY -> money
     | STRING -> text
     | NAME "(" [pipe ("," pipe)*] ")" -> call

?step: "where" either -> where
     | "sort" COLUMN ORDER? -> sort
     | "first" NUMBER -> first
     | "last" NUMBER -> last
     | "row" NUMBER -> row
     | "group" COLUMN AGGREGATE COLUMN? -> group
     | "distinct" COLUMN -> distinct
     | "column" COLUMN -> pick
     | "only" COLUMN ("," COLUMN)* -> only
     | "join" STRING -> join
     | AGGREGATE COLUMN? -> aggregate
     | "largest" COLUMN -> largest
     | "smallest" COLUMN -> smallest
     | "get" COLUMN -> get
     | "in" WORD -> told_in
     | "round" NUMBER -> rounded

COMPARE: "=" | "!=" | "<=" | ">=" | "<" | ">" | "is" | "contains" | "before" | "after"
ADD: "+" | "-"
MUL: "*" | "/"
ORDER.2: "up" | "down"
AGGREGATE.2: "sum" | "count" | "average" | "minimum" | "maximum"
NAME: "days" | "percent" | "larger" | "smaller" | "abs" | "convert" | "add_days" | "if"
WORD: /[A-Za-z%]+/
MONEY: /[$€£¥]\s?\d[\d.,']*\d|[$€£¥]\s?\d/
NUMBER: /\d+(\.\d+)?/
COLUMN: /\[[^\[\]\n]+\]/
STRING: /"(\\.|[^"\\])*"/
%import common.WS
%ignore WS
"""
