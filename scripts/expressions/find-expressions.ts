import ts from 'typescript'

/** A regular expression in a source file. */
export interface Expression {
  file: string
  /** As it stands in the source. */
  text: string
  /** What it matches; undefined = it is made at run time. */
  literal: { source: string; flags: string } | undefined
}

/** Finds the regular expressions in a TypeScript source: literals, and calls of `RegExp`. */
export function findExpressions(file: string, source: string): Expression[] {
  const found: Expression[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf('/')
      const literal = { source: node.text.slice(1, end), flags: node.text.slice(end + 1) }
      found.push({ file, text: node.text, literal })
    } else if ((ts.isNewExpression(node) || ts.isCallExpression(node)) && node.expression.getText() === 'RegExp') {
      found.push({ file, text: node.getText().replaceAll(/\s+/g, ' '), literal: readArguments(node.arguments ?? []) })
    }
    node.forEachChild(visit)
  }
  visit(ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true))
  return found
}

function readArguments(given: readonly ts.Expression[]): Expression['literal'] {
  const texts = given.flatMap(argument => (ts.isStringLiteralLike(argument) ? [argument.text] : []))
  const [source, flags = ''] = texts
  return source === undefined || texts.length !== given.length ? undefined : { source, flags }
}
