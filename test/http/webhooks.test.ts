import { describe, expect, test } from 'vitest'
import { useExtensionsServer } from '../support/extensions-server.ts'

const used = useExtensionsServer()

describe('webhooks', () => {
  test('are created, listed, tested, rotated and deleted', async () => {
    const created = await used.ask('POST', '/quire/v1/webhooks', { url: 'https://hooks.example.com/quire?token=abc' })
    expect(created).toMatchObject({ status: 201, json: { secret: expect.stringMatching(/^whsec_/), disabledAt: null } })
    const { secret, ...webhook } = created.json
    expect((await used.ask('GET', '/quire/v1/webhooks')).json).toEqual({ webhooks: [webhook] })
    const path = `/quire/v1/webhooks/${webhook.id}`
    const tested = await used.ask('POST', `${path}/test`)
    expect(tested).toMatchObject({ status: 202, json: { type: 'webhook.test', status: 'pending' } })
    await used.ask('POST', `${path}/test`)
    const listed = await used.ask('GET', `${path}/deliveries?limit=1`)
    const next = await used.ask('GET', `${path}/deliveries?limit=1&cursor=${listed.json.nextCursor}`)
    expect(next.json).toMatchObject({ deliveries: [{ id: tested.json.id }], nextCursor: null })
    const rotated = await used.ask('POST', `${path}/secret`)
    expect(rotated).toMatchObject({ status: 200, json: { secret: expect.stringMatching(/^whsec_/) } })
    expect(rotated.json.secret).not.toBe(secret)
    expect((await used.ask('DELETE', path, undefined, used.keys.other)).json.code).toBe('unknown_webhook')
    expect(await used.ask('DELETE', path)).toEqual({ status: 200, json: webhook })
    expect((await used.ask('GET', `${path}/deliveries`)).json.code).toBe('unknown_webhook')
  })

  test.each([
    [{ url: 'http://127.0.0.1:9/x' }, 'url'],
    [{ url: 'https://user:secret@hooks.example.com/' }, 'url'],
    [{ url: 'ftp://hooks.example.com/' }, 'url'],
    [{ url: 'https://hooks.example.com/', events: ['export.started'] }, 'events[0]'],
  ])('refuses %j', async (body, field) => {
    const { status, json } = await used.ask('POST', '/quire/v1/webhooks', body)
    expect({ status, details: json.details }).toMatchObject({ status: 400, details: [{ field }] })
    expect(JSON.stringify(json)).not.toContain('secret@')
  })
})
