// The user agents of requests and their correct kinds. They were listed by hand, not taken from the tested lists.

export type AgentKind = 'human' | 'ai' | 'neither'

export interface Agent {
  kind: AgentKind
  userAgent: string
}

const browsers: readonly ((version: number) => string)[] = [
  version =>
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${version}.0.0.0 Safari/537.36`,
  version =>
    `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${version}.0.0.0 Safari/537.36`,
  version =>
    `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${version}.0.0.0 Safari/537.36`,
  version =>
    `Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${version}.0.0.0 Mobile Safari/537.36`,
  version =>
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${version}.0.0.0 Safari/537.36 Edg/${version}.0.0.0`,
  version => `Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:${version}.0) Gecko/20100101 Firefox/${version}.0`,
  version => `Mozilla/5.0 (X11; Linux x86_64; rv:${version}.0) Gecko/20100101 Firefox/${version}.0`,
  version => `Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:${version}.0) Gecko/20100101 Firefox/${version}.0`,
  version =>
    `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/${version - 124}.3 Safari/605.1.15`,
  version =>
    `Mozilla/5.0 (iPhone; CPU iPhone OS ${version - 124}_3 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/${version - 124}.3 Mobile/15E148 Safari/604.1`,
]
/** Newest first, since most people use the newest. */
const versions = Array.from({ length: 30 }, (_, i) => 142 - i)

const assistants = `Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; ChatGPT-User/1.0; +https://openai.com/bot)
Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; OAI-SearchBot/1.0; +https://openai.com/searchbot
Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Claude-User/1.0; +Claude-User@anthropic.com)
Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Perplexity-User/1.0; +https://perplexity.ai/perplexity-user)
Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; MistralAI-User/1.0; +https://docs.mistral.ai/robots)`

const crawlers = `Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)
Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; ClaudeBot/1.0; +claudebot@anthropic.com)
Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; PerplexityBot/1.0; +https://perplexity.ai/perplexitybot)
meta-externalagent/1.1 (+https://developers.facebook.com/docs/sharing/webmasters/crawler)
Mozilla/5.0 (Macintosh; Intel Mac OS X 10_10_1) AppleWebKit/600.2.5 (KHTML, like Gecko) Version/8.0.2 Safari/600.2.5 (Amazonbot/0.1; +https://developer.amazon.com/support/amazonbot)
CCBot/2.0 (https://commoncrawl.org/faq/)
Mozilla/5.0 (Linux; Android 5.0) AppleWebKit/537.36 (KHTML, like Gecko) Mobile Safari/537.36 (compatible; Bytespider; spider-feedback@bytedance.com)`

const others = `Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)
Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm) Chrome/136.0.0.0 Safari/537.36
Mozilla/5.0 (compatible; YandexBot/3.0; +http://yandex.com/bots)
Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)
Mozilla/5.0 (compatible; SemrushBot/7~bl; +http://www.semrush.com/bot.html)
Mozilla/5.0 (compatible; Baiduspider/2.0; +http://www.baidu.com/search/spider.html)
facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)
Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)
Mozilla/5.0+(compatible; UptimeRobot/2.0; http://www.uptimerobot.com/)
curl/8.5.0
Wget/1.21.4
python-requests/2.32.5
Go-http-client/2.0
-`

/** Browsers, assistants, crawlers and other programs, in this order; see `groups`. */
export const agents: readonly Agent[] = [
  ...versions.flatMap(version => browsers.map(browser => ({ kind: 'human' as const, userAgent: browser(version) }))),
  ...toAgents('ai', assistants),
  ...toAgents('ai', crawlers),
  ...toAgents('neither', others),
]

/** Position of each group in `agents`. */
export const groups = {
  browsers: groupOf(0, browsers.length * versions.length),
  assistants: groupOf(browsers.length * versions.length, lineCount(assistants)),
  crawlers: groupOf(browsers.length * versions.length + lineCount(assistants), lineCount(crawlers)),
  others: groupOf(browsers.length * versions.length + lineCount(assistants) + lineCount(crawlers), lineCount(others)),
}

function groupOf(start: number, count: number) {
  return { start, count }
}

function lineCount(text: string): number {
  return text.split('\n').length
}

function toAgents(kind: AgentKind, text: string): Agent[] {
  return text.split('\n').map(userAgent => ({ kind, userAgent }))
}
