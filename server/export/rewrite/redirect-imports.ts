const exportStatement = /(?:^|[;}\s])export(?:\s*[{*]|\s+(?:default|async|function|class|const|let|var)\b)/
const importCall = /(?<![\w$.])import\s*\(/g

/** Decides whether a script is a module that others import for what it exports. */
export function isModule(text: string): boolean {
  return exportStatement.test(text)
}

/** Decides whether a script is no module, but imports modules when it needs them. */
export function isImporter(text: string): boolean {
  return text.search(importCall) !== -1 && !isModule(text)
}

/** Lets a script import copies of modules on file://, where it finds no modules. The function is hoisted. */
export function redirectImports(text: string): string {
  const call = 'self.__quireModule?self.__quireModule(a).then(b=>import(b)):import(a)'
  return `${text.replace(importCall, '__quireImport(')}\nfunction __quireImport(a){return ${call}}\n`
}
