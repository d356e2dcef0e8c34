import ts from 'typescript'

/** A small fault that can be put into a file. */
export interface Mutation {
  /** Path below the root of the project. */
  file: string
  /** Where the text begins in the file, and the line, which begins with 1. */
  at: number
  line: number
  from: string
  to: string
}

const operators = new Map<ts.SyntaxKind, string>([
  [ts.SyntaxKind.LessThanToken, '<='],
  [ts.SyntaxKind.LessThanEqualsToken, '<'],
  [ts.SyntaxKind.GreaterThanToken, '>='],
  [ts.SyntaxKind.GreaterThanEqualsToken, '>'],
  [ts.SyntaxKind.EqualsEqualsEqualsToken, '!=='],
  [ts.SyntaxKind.ExclamationEqualsEqualsToken, '==='],
  [ts.SyntaxKind.AmpersandAmpersandToken, '||'],
  [ts.SyntaxKind.BarBarToken, '&&'],
])

/** Lists the faults that can be put into a source text: turned comparisons, other logic, lost negations, turned constants. */
export function findMutations(file: string, text: string): Mutation[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const found: Mutation[] = []
  const add = (node: ts.Node, to: string, end = node.end) => {
    const at = node.getStart(source)
    found.push({ file, at, line: source.getLineAndCharacterOfPosition(at).line + 1, from: text.slice(at, end), to })
  }
  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node)) return
    if (ts.isBinaryExpression(node)) {
      const to = operators.get(node.operatorToken.kind)
      if (to !== undefined) add(node.operatorToken, to)
    }
    if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken)
      add(node, '', node.operand.getStart(source))
    const isReturned = ts.isReturnStatement(node.parent ?? node) || ts.isArrowFunction(node.parent ?? node)
    if (isReturned && node.kind === ts.SyntaxKind.TrueKeyword) add(node, 'false')
    if (isReturned && node.kind === ts.SyntaxKind.FalseKeyword) add(node, 'true')
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

/** Returns the text with the fault. */
export function mutate(text: string, { at, from, to }: Mutation): string {
  return text.slice(0, at) + to + text.slice(at + from.length)
}
