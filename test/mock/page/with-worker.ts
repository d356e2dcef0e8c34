import { http } from 'msw'
import { setupWorker } from 'msw/browser'
import { createHandlers } from '../../../spec/package/mock/msw.ts'
import { useClient } from './use-client.ts'

const list = document.querySelector('ul') as HTMLElement
await setupWorker(...createHandlers(http, { scenario: 'rate-limit', stepSeconds: 1 })).start({ quiet: true })
useClient('http://api.test', list).finally(() => document.body.setAttribute('data-done', ''))
