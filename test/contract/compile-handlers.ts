import { readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import ts from 'typescript'
import type { Document } from '../../scripts/generate/document.ts'
import { writeFiles } from '../../scripts/generate/files.ts'

const root = join(import.meta.dirname, '../..')

export interface HandlersCompiler {
  /** Returns the compile errors of the handlers by file name, when generated/ is made from this document. */
  findErrors(document: Document): Promise<Record<string, string[]>>
}

/**
 * Compiles the real handlers against another document. The generated files are kept in memory and replace those on disk.
 * All documents use one language service, so that each takes a fraction of a second.
 */
export function openHandlersCompiler(handlersIndex = join(root, 'server/operations/index.ts')): HandlersCompiler {
  const configFile = join(root, 'tsconfig.json')
  const { options } = ts.parseJsonConfigFileContent(ts.readConfigFile(configFile, ts.sys.readFile).config, ts.sys, root)
  const generated = new Map<string, { text: string; version: number }>()
  let version = 0
  const service = ts.createLanguageService({
    getCompilationSettings: () => options,
    getScriptFileNames: () => [handlersIndex],
    getScriptVersion: file => String(generated.get(file)?.version ?? 0),
    getScriptSnapshot: file => {
      const text = generated.get(file)?.text ?? (ts.sys.fileExists(file) ? readFileSync(file, 'utf8') : undefined)
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text)
    },
    getCurrentDirectory: () => root,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: ts.sys.fileExists,
    readFile: ts.sys.readFile,
    readDirectory: ts.sys.readDirectory,
    directoryExists: ts.sys.directoryExists,
    getDirectories: ts.sys.getDirectories,
  })

  return {
    async findErrors(document) {
      version++
      for (const [name, text] of Object.entries(await writeFiles(document))) {
        generated.set(join(root, 'generated', name), { text, version })
      }
      const program = service.getProgram()
      const errors: Record<string, string[]> = {}
      for (const { fileName } of program?.getSourceFiles() ?? []) {
        if (dirname(fileName) !== dirname(handlersIndex)) continue
        const found = [...service.getSyntacticDiagnostics(fileName), ...service.getSemanticDiagnostics(fileName)]
        const texts = found.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))
        if (texts.length > 0) errors[basename(fileName)] = texts
      }
      return errors
    },
  }
}
