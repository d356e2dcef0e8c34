import { type Fragment, html, type Markup } from './html.ts'

/** A browser moves the focus to the first of these fields, and into view. */
const refused = html` aria-invalid="true" autofocus`

interface FieldOptions {
  label: string
  name: string
  value?: string
  hint?: string
  /** What is wrong with the value that was sent. */
  problem?: string | undefined
}

/** A text field with its label, its hint, and what is wrong with it. */
export function textField({
  type = 'text',
  required = false,
  maxLength,
  ...field
}: FieldOptions & { type?: 'text' | 'url' | 'date'; required?: boolean; maxLength?: number }): Markup {
  const { name, value = '' } = field
  const attributes = html`${required && html` required`}${maxLength && html` maxlength="${maxLength}"`}`
  return frameField(
    field,
    html`<input id="field-${name}" type="${type}" name="${name}" value="${value}" autocomplete="off"${attributes}${describe(field)}>`,
  )
}

/** A field with one entry a line. */
export function linesField({ rows = 3, ...field }: FieldOptions & { rows?: number }): Markup {
  const { name, value = '' } = field
  return frameField(
    field,
    html`<textarea id="field-${name}" name="${name}" rows="${rows}" spellcheck="false"${describe(field)}>${value}</textarea>`,
  )
}

/** Reads a field of lines; empty lines do not count. */
export function readLines(text: string | null): string[] {
  return (text ?? '')
    .split(/\r?\n/)
    .map(line => line.trim())
    .filter(line => line !== '')
}

/** A list of choices, of which one is chosen. */
export function selectField({
  choices,
  ...field
}: FieldOptions & { choices: readonly (readonly [value: string, label: string])[] }): Markup {
  const { name, value = '' } = field
  const options = choices.map(
    ([each, label]) => html`<option value="${each}"${each === value && html` selected`}>${label}</option>`,
  )
  return frameField(field, html`<select id="field-${name}" name="${name}"${describe(field)}>${options}</select>`)
}

/** Boxes to tick, under one heading. Their names are the keys of `boxes`. */
export function checkFields({
  legend,
  boxes,
  problem,
}: {
  legend: string
  boxes: Readonly<Record<string, { label: string; checked: boolean }>>
  problem?: string | undefined
}): Markup {
  const [first = ''] = Object.keys(boxes)
  const isRefused = problem !== undefined
  const items = Object.entries(boxes).map(
    ([name, { label, checked }]) =>
      html`<label class="check"><input type="checkbox" name="${name}"${checked && html` checked`}${isRefused && name === first && refused}> ${label}</label>`,
  )
  const described = isRefused && html` aria-describedby="problem-${first}"`
  return html`<fieldset class="field"${described}><legend>${legend}</legend>${items}${problemLine(first, problem)}</fieldset>`
}

function frameField({ label, name, hint, problem }: FieldOptions, control: Markup): Markup {
  return html`<div class="field">
<label for="field-${name}">${label}</label>
${control}
${hint !== undefined && html`<p class="hint" id="hint-${name}">${hint}</p>`}${problemLine(name, problem)}
</div>`
}

/** What is wrong with a field, if anything. */
export function problemLine(name: string, problem: string | undefined): Fragment {
  return (
    problem !== undefined &&
    html`<p class="problem" role="alert"${name !== '' && html` id="problem-${name}"`}>${problem}</p>`
  )
}

function describe({ name, hint, problem }: FieldOptions): Fragment {
  const ids = [hint !== undefined && `hint-${name}`, problem !== undefined && `problem-${name}`].filter(Boolean)
  if (ids.length === 0) return false
  return html` aria-describedby="${ids.join(' ')}"${problem !== undefined && refused}`
}
