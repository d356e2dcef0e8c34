import { html, type Markup } from './html.ts'

/** What a form needs of the request for its page. */
export interface FormContext {
  formToken: string
  /** Returns a relative link to a path below that of the organization. */
  link(path: string): string
}

/** The hidden field that each form needs; without it, the server refuses the form. */
export function tokenField({ formToken }: Pick<FormContext, 'formToken'>): Markup {
  return html`<input type="hidden" name="token" value="${formToken}">`
}

/**
 * A form of one button.
 *
 * @param path of the action, below that of the organization
 * @param options.confirm a question that the script asks first; undefined = none
 * @param options.name says what the button does, where its label alone does not
 */
export function actionButton(
  context: FormContext,
  path: string,
  options: {
    label: string
    name?: string
    confirm?: string
    kind?: 'danger' | 'main'
    fields?: Readonly<Record<string, string>>
  },
): Markup {
  const { label, name, confirm, kind, fields = {} } = options
  const hidden = Object.entries(fields).map(
    ([key, value]) => html`<input type="hidden" name="${key}" value="${value}">`,
  )
  const question = confirm !== undefined && html` data-confirm="${confirm}"`
  return html`<form method="post" action="${context.link(path)}" class="inline"${question}>
${tokenField(context)}${hidden}
<button${kind && html` class="${kind}"`}${name !== undefined && html` aria-label="${name}"`}>${label}</button>
</form>`
}
