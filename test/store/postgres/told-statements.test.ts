import { describe, expect, test } from 'vitest'
import { type EndedStatement, endedStatements } from '../../../server/base/measures.ts'
import { isMissing, useProxiedStore } from './proxied-store.ts'

describe.skipIf(isMissing)('on PostgreSQL', () => {
  const used = useProxiedStore()

  test('each statement is told with its text and its time, without its values', async () => {
    const heard: EndedStatement[] = []
    const stop = endedStatements.listen(statement => heard.push(statement))
    await used.store.organizations.find('org_1')
    stop()
    await used.store.organizations.find('org_1')
    expect(heard).toMatchObject([{ text: expect.stringContaining('$1'), ms: expect.any(Number) }])
    expect(heard[0]?.text).not.toContain('org_1')
  })
})
