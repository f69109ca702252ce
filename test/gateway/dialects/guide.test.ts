import { readFile } from 'node:fs/promises';
import { configSchema } from '../../../src/platform/config/config.js';
import { dialects } from '../../support/fhir/dialects.js';

const guide = 'docs/operations/fhir-server.md';

/** The rows of the table of servers: name, base URL, and settings. */
async function rows(): Promise<string[][]> {
  const [, table = ''] = (await readFile(guide, 'utf8')).split('**Settings for each server.**');
  return [...table.matchAll(/^\| (?!Server|-)(.+) \|$/gm)].map(([, row = '']) => row.split(' | '));
}

/** True if the configuration has this setting, by its names with dots. */
function isSetting(name: string): boolean {
  const defaults: unknown = configSchema.parse({ server: { issuer: 'http://localhost:3000' } });
  let at: unknown = defaults;
  for (const part of name.split('.')) {
    if (typeof at !== 'object' || at === null) return false;
    const next = (at as Record<string, unknown>)[part];
    if (next === undefined) return optional.has(name);
    at = next;
  }
  return true;
}

/** Settings without a value of their own. */
const optional = new Set(['fhir.baseUrl']);

describe('The guide to connecting a FHIR server', () => {
  it('has a row for each server whose ways are tried, in their order, and for no other', async () => {
    const named = (await rows()).map(([name = '']) => name);
    expect(named).toHaveLength(dialects.length);
    for (const [index, { name }] of dialects.entries()) {
      expect(named[index]).toMatch(new RegExp(`^(?:Any )?${name.replace(/^one /, '')}(?: CDR| \\(.+\\))?$`));
    }
  });

  it('says for each what its ways take', async () => {
    for (const [index, [name, baseUrl, settings = '']] of (await rows()).entries()) {
      const dialect = dialects[index];
      expect([name, baseUrl !== '' && settings !== '']).toEqual([name, true]);
      const says = (words: string) => settings.includes(words);
      if (dialect?.self === 'alias') expect([name, says('`fhir.aliases`')]).toEqual([name, true]);
      if (dialect?.exportFiles === 'store') expect([name, says('`fhir.exportStores`')]).toEqual([name, true]);
      if (dialect?.returns === 'minimal') expect([name, says('answered without a body')]).toEqual([name, true]);
      if (dialect?.versions === false) expect([name, says('no versions')]).toEqual([name, true]);
      const isChecked = dialect?.checksReferences === true && settings !== 'as HAPI';
      if (isChecked) expect([name, says('references have to exist')]).toEqual([name, true]);
    }
  });

  it('names settings that exist', async () => {
    const text = await readFile(guide, 'utf8');
    const sections = Object.keys(configSchema.shape).join('|');
    const settings = [...text.matchAll(new RegExp(`\`((?:${sections})(?:\\.[A-Za-z]+)+)\``, 'g'))].map(
      ([, name = '']) => name,
    );
    expect(new Set(settings).size).toBeGreaterThan(10);
    expect([...new Set(settings)].filter((name) => !isSetting(name))).toEqual([]);
    expect(['fhir.alias', 'fhir.nonsense', 'server.issuer.x'].filter(isSetting)).toEqual([]);
  });
});
