import { html, type Markup } from './parts/html.ts'
import { frameTexts } from './texts/frame.ts'

const { renewal: texts, noScript } = frameTexts

/**
 * Says whether the live parts of a page renew themselves. The script of the page shows the sentence of the state that it finds, see
 * in-page/dashboard/run-dashboard.ts; without scripts, the page says that it does not.
 *
 * @param signIn address of the page to sign in
 * @param home address of the overview
 */
export function renewalState({ signIn, home }: { signIn: string; home: string }): Markup {
  return html`<noscript><p class="notice">${noScript}</p></noscript>
<div class="renewal" role="status">
<p class="notice bad" data-renewal="unreachable" hidden>${texts.unreachable}</p>
<p class="notice bad" data-renewal="gone" hidden>${texts.gone} <a href="${home}">${texts.home}</a></p>
<p class="notice bad" data-renewal="ended" hidden>${texts.ended} <a href="${signIn}">${texts.signIn}</a></p>
</div>
`
}

/** A sentence that is true only while the page renews itself, so only its script shows it. */
export function whileRenewed(text: string): Markup {
  return html`<p class="hint" data-renewal="works" hidden>${text}</p>`
}

/** Whether a page has parts that the script renews. */
export function isLive({ text }: Markup): boolean {
  // Quotes in texts are escaped, so only an attribute can match.
  return text.includes(' data-live="')
}
