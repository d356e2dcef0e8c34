import { Command } from 'commander'
import { OperatorError } from '../base/operator-error.ts'
import { addSettings, type FlagsOf, type Settings } from '../flags/setting.ts'
import { webhookSettings } from '../flags/shared-settings.ts'
import { readKeyFile } from '../flags/signing-settings.ts'
import { openSecretBox } from '../store/webhook-keys.ts'
import { changeSite } from './change-site.ts'
import { printResult } from './print.ts'

const signingSettings = {
  clear: { flag: '--clear', what: 'delete the key: the bundles of the site are no longer signed' },
  ...webhookSettings,
} as const satisfies Settings

export function setSigningKeyCommand(): Command {
  const command = new Command('set-signing-key')
    .description('set the private Ed25519 key, in PEM, that signs the bundles of a site; it is stored encrypted')
    .argument('<domain>')
    .argument('[key-file]')
  return addSettings(command, signingSettings).action(setSigningKey)
}

async function setSigningKey(
  domainText: string,
  file: string | undefined,
  flags: FlagsOf<typeof signingSettings>,
): Promise<void> {
  const domain = domainText.toLowerCase()
  if ((file === undefined) !== (flags.clear === true))
    throw new OperatorError('Give the file of a private key, such as quire-signing.pem, or give --clear.', 2)
  const given = file === undefined ? null : readKeyFile(file)
  const seal = (pem: string) => openSecretBox(flags.data, flags.webhookKeyFile).seal(domain, pem)
  const keyId = given?.key.id ?? null
  await changeSite(flags, { domain, detail: `signing key ${keyId ?? 'none'}` }, ({ sites }) =>
    sites.updateSigningKey(domain, given && { id: given.key.id, sealed: seal(given.pem) }),
  )
  const sentence =
    keyId === null
      ? `The bundles of ${domain} are no longer signed.`
      : `Downloads of the bundles of ${domain} are signed with the key ${keyId}, from now on.`
  printResult(flags.json, { domain, signingKeyId: keyId }, sentence)
}
