"""LaTeX environments: matrices, piecewise definitions, systems of equations."""

from turnwise.verifiers.math.read.building import system
from turnwise.verifiers.math.read.cursor import RELATIONS, WRAPPERS, Cursor, NotMath
from turnwise.verifiers.math.values.tree import Call, Junction, Matrix, Node, ReadError, Relation, Text

__all__ = ["Tables"]

_MATRICES = frozenset(["matrix", "pmatrix", "bmatrix", "Bmatrix", "smallmatrix", "vmatrix", "Vmatrix", "array"])


class Tables(Cursor):
    """The rules for environments."""

    def environment(self, cases: bool = False) -> Node:
        self.table += 1
        node = self.environment_inside(cases)
        self.table -= 1
        return node

    def environment_inside(self, cases: bool) -> Node:
        name = self.group_name()
        if name == "array" and self.is_op("{"):
            self.group_name()
        rows: list[tuple[Node, ...]] = []
        conditional = cases or name == "cases"
        table: list[list[tuple[Node, tuple[bool, Node | None]]]] = []
        while not self.is_cmd("end"):
            row: list[tuple[Node, tuple[bool, Node | None]]] = []
            while True:
                if self.is_op("&"):
                    self.next()
                    continue
                if self.is_cmd("\\", "end"):
                    break
                if conditional and row:
                    row[-1] = (row[-1][0], (True, self.row_condition()))
                    self.take(".", ",", ";")
                    continue
                cell = self.row_cell()
                row.append((cell, (False, None)))
                self.take(",", ";", ".")
            if row:
                table.append(row)
                if len(table) > 100:
                    raise ReadError("the answer has a table of more than 100 rows")
            if self.is_cmd("\\"):
                self.next()
            elif not self.is_cmd("end"):
                raise NotMath("a table")
        self.next()
        if self.group_name() != name:
            raise NotMath("a table")
        if not table:
            raise NotMath("an empty table")
        if name in _MATRICES and not conditional:
            rows = [tuple(cell for cell, _ in row) for row in table]
            if name == "array" and all(len(row) == 1 and isinstance(row[0], Relation) for row in rows):
                return Junction("and", tuple(row[0] for row in rows))
            if len({len(row) for row in rows}) != 1:
                raise NotMath("rows of different length")
            matrix = Matrix(tuple(rows))
            return Call("det", (matrix,)) if name in ("vmatrix", "Vmatrix") else matrix
        return system(table)

    def row_condition(self) -> Node | None:
        """The condition in a row of cases: a formula, or the words as they are; None for "otherwise"."""
        if self.is_word("otherwise"):
            self.next()
            return None
        if self.is_word("if", "where"):
            self.next()
        start = self.at
        try:
            found = self.clause()
            while self.is_word("and") or (self.is_op(",") and self.peek().value not in ("\\", "end")):
                self.next()
                found = Junction("and", (found, self.clause()))
            if self.is_cmd("\\", "end") or self.is_op(".", ",", ";"):
                return found
        except NotMath:
            pass
        self.at = start
        while not self.is_cmd("\\", "end"):
            if self.token.kind == "end":
                raise NotMath("a table without end")
            self.at += 1
            self.token = self.tokens[self.at]
        words = WRAPPERS.sub(r" \1 ", self.text[self.tokens[start].start : self.token.start])
        return Text(" ".join(words.replace(" is ", " ").split()).rstrip(".,"))

    def row_cell(self) -> Node:
        """A cell; ``x &= 5`` goes on after the mark."""
        operands: list[Node] = []
        ops: list[str] = []
        if self.relation_here() is None:
            operands.append(self.operand())
        while True:
            if self.is_op("&") and RELATIONS.get(self.peek().value) and self.peek().kind in ("op", "cmd"):
                self.next()
            op = self.relation_here()
            if op is None or not operands:
                break
            self.next()
            self.take("&")
            ops.append(op)
            operands.append(self.operand())
        if not operands:
            raise NotMath("a cell")
        return Relation(tuple(operands), tuple(ops)) if ops else operands[0]

    def group_name(self) -> str:
        self.expect("{")
        parts: list[str] = []
        while not self.is_op("}"):
            if self.token.kind == "end" or len(parts) > 30:
                raise NotMath("a group")
            parts.append(self.next().value)
        self.next()
        return "".join(parts)
