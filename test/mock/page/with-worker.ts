import { http } from 'msw'
import { setupWorker } from 'msw/browser'
import { createHandlers } from '../../../spec/package/mock/msw.ts'
import { mocked, useClient } from './use-client.ts'

const list = document.querySelector('ul') as HTMLElement
await setupWorker(...createHandlers(http, { scenario: 'rate-limit', stepSeconds: 1 })).start({ quiet: true })
useClient({ baseUrl: 'http://api.test', ...mocked }, list).finally(() => document.body.setAttribute('data-done', ''))
