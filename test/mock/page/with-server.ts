import { mocked, useClient } from './use-client.ts'

const list = document.querySelector('ul') as HTMLElement
const asked = new URLSearchParams(location.search)
const api = {
  baseUrl: asked.get('api') ?? '',
  apiKey: asked.get('key') ?? mocked.apiKey,
  projectId: asked.get('project') ?? mocked.projectId,
}
useClient(api, list).finally(() => document.body.setAttribute('data-done', ''))
