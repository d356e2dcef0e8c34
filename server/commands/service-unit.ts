import { posix } from 'node:path'

/** What a unit of systemd for `quire serve` depends on. Paths are absolute. */
export interface ServiceUnit {
  /** The program and its arguments before `serve`. */
  program: readonly string[]
  user: string
  dataFolder: string
  publicUrl?: string | undefined
  /** Undefined = the default of `serve`. */
  port?: number | undefined
}

/**
 * What the service may not do. Left out on purpose: MemoryDenyWriteExecute, because V8 writes machine code; the name spaces user,
 * pid and net, in which Chromium locks itself up; and files below /proc that Node and Chromium read.
 */
export const hardening: readonly string[] = [
  'NoNewPrivileges=yes',
  'CapabilityBoundingSet=',
  'UMask=0077',
  'ProtectSystem=strict',
  'ProtectHome=yes',
  'PrivateTmp=yes',
  'PrivateDevices=yes',
  'ProtectClock=yes',
  'ProtectControlGroups=yes',
  'ProtectHostname=yes',
  'ProtectKernelLogs=yes',
  'ProtectKernelModules=yes',
  'ProtectKernelTunables=yes',
  'ProtectProc=invisible',
  'RemoveIPC=yes',
  'LockPersonality=yes',
  'RestrictRealtime=yes',
  'RestrictSUIDSGID=yes',
  'RestrictNamespaces=user pid net',
  'RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK',
  'SystemCallArchitectures=native',
  'SystemCallFilter=~@clock @cpu-emulation @debug @module @obsolete @raw-io @reboot @swap',
  'SystemCallErrorNumber=EPERM',
]

/** Writes a unit of systemd that runs the server with few rights. */
export function writeServiceUnit({ program, user, dataFolder, publicUrl, port }: ServiceUnit): string {
  const settings = { QUIRE_DATA: dataFolder, QUIRE_PUBLIC_URL: publicUrl, QUIRE_PORT: port }
  const environment = Object.entries(settings).flatMap(([name, value]) =>
    value === undefined ? [] : [`Environment=${quote(`${name}=${value}`)}`],
  )
  // systemd makes a folder directly below /var/lib, and gives it to the user.
  const isState = posix.dirname(dataFolder) === '/var/lib'
  const place = isState
    ? [`StateDirectory=${posix.basename(dataFolder)}`, 'StateDirectoryMode=0700']
    : [`ReadWritePaths=${quote(dataFolder)}`]
  return [
    '[Unit]',
    'Description=Quire, the administration API of a documentation platform',
    'After=network-online.target',
    'Wants=network-online.target',
    '',
    '[Service]',
    `User=${user}`,
    `ExecStart=${[...program.map(quote), 'serve'].join(' ')}`,
    ...environment,
    ...place,
    'CacheDirectory=quire',
    'CacheDirectoryMode=0700',
    'Restart=on-failure',
    '# One signal to the first process, which passes it on. A second signal ends the server at once.',
    'KillMode=mixed',
    'TimeoutStopSec=30',
    ...hardening,
    '',
    '[Install]',
    'WantedBy=multi-user.target',
    '',
  ].join('\n')
}

/** See systemd.syntax(7) and systemd.unit(5): % begins a specifier. */
function quote(text: string): string {
  const escaped = text.replaceAll('%', '%%')
  return /^[\w@%+=:,./-]+$/.test(escaped)
    ? escaped
    : `"${escaped.replaceAll(/["\\]/g, '\\$&').replaceAll('$', '$$$$')}"`
}
