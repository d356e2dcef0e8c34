import { useClient } from './use-client.ts'

const list = document.querySelector('ul') as HTMLElement
const baseUrl = new URLSearchParams(location.search).get('api') ?? ''
useClient(baseUrl, list).finally(() => document.body.setAttribute('data-done', ''))
