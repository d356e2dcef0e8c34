import type { IncomingHttpHeaders } from 'node:http'
import { Readable } from 'node:stream'
import type { Request, Response } from 'express'
import { expect, test } from 'vitest'
import { routes } from '../../generated/operations.ts'
import { readBody } from '../../server/http/body.ts'

// openapi-backend compiles and keeps one validator for each raw Content-Type, so only one value may reach it.

function settle(hasBody: boolean, contentType: string): Promise<IncomingHttpHeaders> {
  const route = routes.find(route => route.hasBody === hasBody)
  if (!route) throw new Error('no such route')
  const req = Object.assign(Readable.from(['{}']), {
    method: route.method.toUpperCase(),
    headers: { 'content-type': contentType, 'content-length': '2' } as IncomingHttpHeaders,
  })
  return new Promise((done, failed) => {
    readBody(route, 1000)(req as unknown as Request, {} as Response, error =>
      error ? failed(error) : done(req.headers),
    )
  })
}

test.each([
  'application/json',
  'Application/JSON',
  'application/json; charset=UTF-8',
  'application/json;charset="utf-8"',
  'application/json; a=1',
])('the validator sees one Content-Type for %j', async type => {
  expect((await settle(true, type))['content-type']).toBe('application/json')
})

test.each(['application/json', 'text/plain', 'application/x-1', 'application/x-2; a=3'])(
  'the validator sees no Content-Type for %j if the operation has no body',
  async type => {
    expect((await settle(false, type))['content-type']).toBeUndefined()
  },
)
