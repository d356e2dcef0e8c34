/** Variables that a program needs to find its files, its fonts, its language and its time zone. */
const common = [
  ...['PATH', 'HOME', 'TMPDIR', 'TZ', 'LANG', 'LANGUAGE', 'LC_ALL', 'LC_CTYPE', 'LC_MESSAGES'],
  // On NixOS and in some containers, libraries and fonts are found only with these.
  ...['LD_LIBRARY_PATH', 'NIX_LD', 'NIX_LD_LIBRARY_PATH', 'FONTCONFIG_FILE', 'FONTCONFIG_PATH'],
  ...['XDG_CACHE_HOME', 'XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'XDG_RUNTIME_DIR'],
  // The path of the sandbox program that Chromium starts where user namespaces are missing.
  'CHROME_DEVEL_SANDBOX',
]

/** Variables that Node and Quire need in addition. None of them is a secret. */
const ownNames = [
  'MALLOC_ARENA_MAX',
  ...['NODE_OPTIONS', 'NODE_COMPILE_CACHE', 'NODE_DISABLE_COMPILE_CACHE'],
  ...['NODE_EXTRA_CA_CERTS', 'NODE_USE_SYSTEM_CA', 'SSL_CERT_FILE', 'SSL_CERT_DIR'],
  ...['PUPPETEER_EXECUTABLE_PATH', 'PUPPETEER_CACHE_DIR', 'QUIRE_ALLOW_NO_SANDBOX'],
]

/** Returns the variables that a process of Quire needs to export a site. Passwords and keys are left out. */
export function minimalEnvironment(env: NodeJS.ProcessEnv = process.env): Record<string, string> {
  return pick(env, [...common, ...ownNames])
}

/** The variables by which a program finds the screen. */
export const displayNames = ['DISPLAY', 'WAYLAND_DISPLAY', 'XAUTHORITY'] as const

/**
 * Returns the variables that Chromium needs. Scripts of foreign pages run there.
 *
 * @param hasDisplay whether it shows a window.
 */
export function browserEnvironment(env: NodeJS.ProcessEnv = process.env, hasDisplay = false): Record<string, string> {
  return pick(env, hasDisplay ? [...common, ...displayNames] : common)
}

function pick(env: NodeJS.ProcessEnv, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.flatMap(name => (env[name] === undefined ? [] : [[name, env[name]]])))
}
