/**
 * Returns a call of a script of generated/in-page.ts as text. The text is ASCII and cannot end the script element that
 * contains it, whatever the values are.
 *
 * @param values must be representable as JSON.
 */
export function callScript(script: string, ...values: unknown[]): string {
  return `${script}(${values.map(toLiteral).join(',')})`
}

function toLiteral(value: unknown): string {
  return JSON.stringify(value).replace(
    /[<\x7f-\uffff]/g,
    unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
