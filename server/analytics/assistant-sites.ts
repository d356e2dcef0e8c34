import list from './assistant-sites.json' with { type: 'json' }

/** The site of an AI assistant that people come from. */
export interface AssistantSite {
  /** Product name. */
  assistant: string
  /** The site under which visitors are counted: its first host. */
  site: string
}

const byHost = new Map(
  list.sites.flatMap(({ assistant, hosts }) => hosts.map(host => [host, { assistant, site: hosts[0] as string }])),
)

/** Finds the assistant of a host in lower case, with or without `www.`; undefined when it is no assistant's host. */
export function findAssistantSite(host: string): AssistantSite | undefined {
  return byHost.get(host.startsWith('www.') ? host.slice('www.'.length) : host)
}

/** Lists the assistants with the names of their agents that read pages for someone who asked, or for their search. */
export function listAssistants(): readonly (AssistantSite & { agents: readonly string[] })[] {
  return list.sites.map(({ assistant, hosts, agents = [] }) => ({ assistant, site: hosts[0] as string, agents }))
}

/** Lists the hosts of all assistants. */
export function listAssistantHosts(): readonly string[] {
  return [...byHost.keys()]
}
