import { demoAgents } from '../../server/commands/demo/access-log.ts'

/** The names under which the agents of the demo are counted, by a part of their user agents; written by hand. */
const names: Record<string, string> = {
  'GPTBot/': 'GPTBot',
  'ChatGPT-User/': 'ChatGPT-User',
  'OAI-SearchBot/': 'OAI-SearchBot',
  'ClaudeBot/': 'ClaudeBot',
  'Claude-User/': 'Claude-User',
  'PerplexityBot/': 'PerplexityBot',
  'Perplexity-User/': 'Perplexity-User',
  'meta-externalagent/': 'Meta-ExternalAgent',
  'Amazonbot/': 'Amazonbot',
  'CCBot/': 'CCBot',
  'Googlebot/': 'search-engine: Googlebot',
  'bingbot/': 'search-engine: bingbot',
  'YandexBot/': 'search-engine: yandex.com/bots',
  'AhrefsBot/': 'seo: AhrefsBot',
  'SemrushBot/': 'seo: SemrushBot',
  'facebookexternalhit/': 'social-preview: facebookexternalhit',
  'Slackbot-LinkExpanding': 'social-preview: Slackbot',
  'UptimeRobot/': 'monitoring: UptimeRobot',
  'curl/': 'http-library: curl',
  'python-requests/': 'http-library: python-requests',
  'Go-http-client/': 'http-library: Go-http-client',
}

/** Returns the truth for `countByBruteForce`: the kind of each user agent, and the name of an agent or rule. */
export function nameDemoAgents(): Record<string, string> {
  return Object.fromEntries(
    demoAgents.map(({ userAgent, kind }) => {
      const name = Object.keys(names).find(part => userAgent.includes(part))
      return [userAgent, kind === 'human' ? kind : `${kind} ${name === undefined ? 'empty' : names[name]}`]
    }),
  )
}
