import { readFileSync } from 'node:fs'

/** What left this network namespace, or tried to. */
export interface NetworkCounters {
  /** Packets and connections without a route: every attempt to reach another machine. */
  withoutRoute: number
  /** Datagrams that were sent, also to this machine. Look-ups of names are datagrams. */
  datagrams: number
}

/** Reads the counters of the kernel. */
export function readNetworkCounters(): NetworkCounters {
  const old = readFileSync('/proc/net/snmp', 'utf8').split('\n')
  const count = (protocol: string, name: string) => {
    const [names = '', values = ''] = old.filter(line => line.startsWith(`${protocol}: `))
    const at = names.split(' ').indexOf(name)
    if (at === -1) throw new Error(`/proc/net/snmp has no ${protocol} ${name}.`)
    return Number(values.split(' ')[at])
  }
  const six = readFileSync('/proc/net/snmp6', 'utf8')
  const count6 = (name: string) => Number(new RegExp(`^${name}\\s+(\\d+)`, 'm').exec(six)?.[1] ?? 0)
  return {
    withoutRoute: count('Ip', 'OutNoRoutes') + count6('Ip6OutNoRoutes'),
    datagrams: count('Udp', 'OutDatagrams') + count6('Udp6OutDatagrams'),
  }
}
