/**
 * The modules of the server. A module is written down once: in the comment of its `<name>.module.ts`, which says what
 * it is responsible for, and on which line of the direction of use it stands. The import rules, the documents and the
 * check of `app.module.ts` read it here.
 */
const { existsSync, readdirSync, readFileSync } = require('node:fs');
const { join } = require('node:path');

/** Folders that each module may use. */
const FOUNDATIONS = ['contract', 'platform'];

/** The text of the comment above `@Module`: `The tags of clients. Line 2 of the direction of use.` */
function describedIn(source) {
  const [, comment] = /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*@Module\(/.exec(source) ?? [];
  const words = comment
    ?.replace(/^\s*\*/gm, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  const [, text, line] = /^(.+?)\.? Line (\d+) of the direction of use[.:]/.exec(words ?? '') ?? [];
  return text && { text, line: Number(line) };
}

/** The modules of `src`, by line and name: `{ name, text, line }`. A folder that is not described has no entry. */
function modulesOf(src) {
  return readdirSync(src, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !FOUNDATIONS.includes(entry.name))
    .flatMap(({ name }) => {
      const file = join(src, name, `${name}.module.ts`);
      const described = existsSync(file) && describedIn(readFileSync(file, 'utf8'));
      return described ? [{ name, ...described }] : [];
    })
    .sort((one, other) => one.line - other.line || one.name.localeCompare(other.name));
}

/** The names of the modules by line: a module may use those of earlier lines, and none of its own line. */
function linesOf(modules) {
  const lines = [];
  for (const { name, line } of modules) {
    lines[line - 1] ??= [];
    lines[line - 1].push(name);
  }
  return lines;
}

const classOf = (name) => `${name.replace(/(?:^|-)(\w)/g, (_, letter) => letter.toUpperCase())}Module`;

/**
 * Faults of `app.module.ts`: a module that neither it nor the commands' module import, and an order other than that of
 * the lines. Its last import is outside of the order, because its catch-all must be the last route.
 */
function faultsOfStart(modules, appModule, commandsModule) {
  const imported = importedIn(appModule);
  const missing = modules
    .map(({ name }) => classOf(name))
    .filter((name) => !imported.includes(name) && !importedIn(commandsModule).includes(name))
    .map((name) => `${name} is not imported by src/app.module.ts`);
  const lineOf = new Map(modules.map(({ name, line }) => [classOf(name), line]));
  const ordered = imported.slice(0, -1).filter((name) => lineOf.has(name));
  const early = ordered
    .filter((name, at) => at > 0 && lineOf.get(name) < lineOf.get(ordered[at - 1]))
    .map((name) => `${name} stands after a module of a later line in src/app.module.ts`);
  return [...missing, ...early];
}

/** The classes in `imports: […]` of a Nest module, in their order. */
function importedIn(source) {
  const [, list] = /\bimports: \[([\s\S]*?)\n\s*\],/.exec(source) ?? [];
  return [...(list ?? '').matchAll(/^\s*(\w+Module)\b/gm)].map(([, name]) => name);
}

module.exports = { describedIn, faultsOfStart, FOUNDATIONS, linesOf, modulesOf };
