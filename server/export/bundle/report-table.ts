/** Max rows shown of one table. export-report.json has all rows. */
const maxRows = 500

/** Writes a list as a collapsible table. Returns an empty string for an empty list. */
export function table<T>(title: string, heads: string[], rows: readonly T[], cells: (row: T) => string[]): string {
  if (rows.length === 0) return ''
  const shown = rows.slice(0, maxRows)
  const rest = rows.length - shown.length
  return `<details>
<summary>${toHtml(title)} (${rows.length})</summary>
<table>
<tr>${heads.map(head => `<th scope="col">${toHtml(head)}</th>`).join('')}</tr>
${shown
  .map(
    row =>
      `<tr>${cells(row)
        .map(cell => `<td>${toHtml(cell)}</td>`)
        .join('')}</tr>`,
  )
  .join('\n')}
</table>${rest > 0 ? `\n<p>${rest} more are in export-report.json.</p>` : ''}
</details>`
}

/** Escapes text for HTML. */
export function toHtml(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;')
}
