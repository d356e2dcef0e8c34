import { copyFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { runNpm } from './run-npm.ts'

/**
 * Lists a package and what is installed with it, as JSON of CycloneDX.
 *
 * @param folder of the package
 * @param scratch a missing folder with the name of the package, which npm reads from it
 */
export async function listComponents(folder: string, scratch: string): Promise<string> {
  await mkdir(scratch, { recursive: true })
  await copyFile(join(folder, 'package.json'), join(scratch, 'package.json'))
  // What users may install beside it, such as Express, is theirs.
  const omit = ['--omit=dev', '--omit=peer', '--omit=optional']
  await runNpm(['install', '--package-lock-only', '--prefer-offline', '--no-audit', '--no-fund', ...omit], scratch)
  return runNpm(['sbom', '--package-lock-only', '--sbom-format=cyclonedx', '--sbom-type=library', ...omit], scratch)
}
