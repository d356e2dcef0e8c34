import { html, type Markup } from './html.ts'

/** The states that look different. The style sheet gives each a colour and an icon of its own. */
export type StateKind =
  | 'active'
  | 'queued'
  | 'running'
  | 'completed'
  | 'failed'
  | 'archived'
  | 'expired'
  | 'revoked'
  | 'good'
  | 'warn'
  | 'bad'

/** A badge with the state of something. Its label says what its colour and its icon show. */
export function stateBadge(kind: StateKind, label: string): Markup {
  return html`<span class="state ${kind}">${label}</span>`
}
