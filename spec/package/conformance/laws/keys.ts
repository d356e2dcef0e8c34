import { readRefusal } from '../exchange.ts'
import type { Ask, Exchange, Session } from '../session.ts'
import { baseRequest, listOperations } from './base-requests.ts'
import type { Law } from './law.ts'

/** A request without a valid key gets 401, the same for every reason, before anything else is checked. */
export const keyLaw: Law = {
  checks: ['missing_required_header', 'ignored_auth', 'auth_before_validation', 'same_refusal'],
  async run(session) {
    const wrongKeys = listWrongKeys(session)
    for (const operation of listOperations(session)) {
      const base = baseRequest(session, operation)
      const missing = await session.ask(operation, { ...base, authorization: null })
      const { status } = missing.answer
      session.check(
        'missing_required_header',
        status === 401,
        () => `Without Authorization, the status is ${status} instead of 401.`,
        missing,
      )
      for (const authorization of wrongKeys) {
        const wrong = await session.ask(operation, { ...base, authorization })
        const { answer } = wrong
        const fault = () => `With a wrong key, the status is ${answer.status} instead of 401.`
        session.check('ignored_auth', answer.status === 401, fault, wrong)
        if (answer.status === 401 && status === 401) checkSame(session, missing, wrong)
      }
      for (const broken of listBroken(base)) {
        const exchange = await session.ask(operation, { ...broken, authorization: null })
        const fault = () => `An invalid request without a key gets ${exchange.answer.status} instead of 401.`
        session.check('auth_before_validation', exchange.answer.status === 401, fault, exchange)
      }
    }
  },
}

/** Keys that are nearly right are secrets too, because they show nearly all of the key. */
function listWrongKeys({ settings: { key }, secrets }: Session): string[] {
  const last = key.at(-1) === 'a' ? 'b' : 'a'
  const nearly = [`${key.slice(0, -1)}${last}`, `${key}${last}`, key.slice(0, -1), key.toUpperCase()]
  const wrong = nearly.filter(text => text !== '' && text !== key)
  for (const text of wrong) secrets.add(text, 'WRONG_KEY')
  return [...wrong.map(text => `Bearer ${text}`), 'Bearer', 'Bearer unknown', `Basic ${btoa('user:unknown')}`]
}

function checkSame(session: Session, missing: Exchange, wrong: Exchange): void {
  const isSame = readRefusal(missing.answer) === readRefusal(wrong.answer)
  session.check('same_refusal', isSame, () => 'The 401 of a wrong key differs from the 401 without a key.', wrong)
}

function listBroken(base: Ask): Ask[] {
  return [{ ...base, query: 'unknown=1' }, ...(base.body === undefined ? [] : [{ body: '{' }, { body: { domain: 7 } }])]
}
